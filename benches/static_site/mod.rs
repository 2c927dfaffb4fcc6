//! A static site that is served by another process, and how what crawls it is measured.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use harvestman::config::{Config, Period};
use harvestman::report::Usage;

/// Connections to it.
pub const CONNECTIONS: usize = 16;

/// A number from the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The middle; of an even number the upper of two.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// How the site codes its pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coding {
    /// Not at all.
    Identity,
    /// With gzip.
    #[allow(dead_code, reason = "not every bench has a coded site")]
    Gzip,
}

/// The static site in a process of its own.
pub struct Site {
    process: Child,
    /// The page to begin with.
    pub seed: String,
    /// Held open: the process writes more than the first line.
    _stdout: BufReader<ChildStdout>,
}

impl Site {
    /// Serves so many pages, each with two of so many tags if there are any, and lists of the pages of each tag.
    pub fn start(pages: u64, tags: u64, coding: Coding) -> Self {
        let gzip: &[&str] = if coding == Coding::Gzip { &["--gzip"] } else { &[] };
        let mut process = Command::new(env!("CARGO_BIN_EXE_harvestman"))
            .args([
                "sim",
                "--static",
                "--port",
                "0",
                "--pages",
                &pages.to_string(),
                "--tags",
                &tags.to_string(),
                "--for",
                "14400s",
            ])
            .args(gzip)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the simulator starts");
        let stdout = process.stdout.take().expect("it is piped");
        let mut line = String::new();
        let mut stdout = BufReader::new(stdout);
        stdout.read_line(&mut line).expect("it names its seed");
        let seed = line.split_whitespace().find(|word| word.starts_with("http://")).expect("a URL").to_owned();
        Self { process, seed, _stdout: stdout }
    }

    /// Ends it.
    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A crawl of the site into a directory, as fast as it can be.
pub fn config(seed: &str, directory: &Path) -> Config {
    let mut config = Config::default();
    config.crawl.seeds = vec![seed.to_owned()];
    config.crawl.out = directory.join("crawl").display().to_string();
    config.crawl.seed = 1;
    config.host.delay = Period(Duration::ZERO);
    config.host.connections_per_host = CONNECTIONS as u32;
    config.host.connections_per_ip = CONNECTIONS as u32;
    config
}

/// The processor time of this process that something takes.
pub fn cpu_seconds(work: impl FnOnce()) -> f64 {
    let before = Usage::now();
    work();
    Usage::now().since(before).cpu_seconds.expect("the system tells processor time")
}
