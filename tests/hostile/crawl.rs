//! Runs crawls with the binary, and holds each to what must be true of all.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use harvestman::archive::reader::{Limits, WarcReader};
use harvestman::model::PageRecord;
use serde_json::Value;
use tempfile::TempDir;

use super::site::Site;

const MIB: u64 = 1 << 20;
/// Fates that have a line in the page log.
const WITH_A_LINE: [&str; 8] =
    ["fetched", "redirected", "robots", "failed", "unwanted_type", "refused_by_site", "not_kept", "payment_required"];

/// Settings that reach every limit soon.
const QUICK: &[&str] = &[
    "host.delay=0s",
    "host.connections_per_host=8",
    "host.connections_per_ip=64",
    "host.delay_max=200ms",
    "host.backoff_start=10ms",
    "host.backoff_max=50ms",
    "host.breaker_pause=50ms",
    "host.retries_max=1",
    "host.retry_after_max=100ms",
    "fetch.connect_timeout=1s",
    "fetch.first_byte_timeout=1500ms",
    "fetch.whole_timeout=3s",
    "fetch.body_max=1MiB",
    "fetch.decoded_max=4MiB",
    "robots.unavailable_retry=1s",
    "robots.unavailable_retry_max=1s",
    "robots.unavailable_tries=2",
    // Most of these sites answer whatever they are asked for.
    "robots.sitemap_guess=false",
    "frontier.in_flight_max=32",
    "crawl.threads=2",
    "crawl.io_threads=2",
];

/// A crawl that is to be run.
pub struct Crawl {
    args: Vec<String>,
    memory_max: u64,
    time_max: Duration,
    wrapper: Option<String>,
    out: Option<PathBuf>,
}

/// A crawl that has ended.
pub struct Outcome {
    pub code: Option<i32>,
    pub took: Duration,
    pub stderr: String,
    pub stdout: String,
    pub out: PathBuf,
    /// Keeps the files for as long as they are looked at.
    _dir: TempDir,
}

/// A crawl under way.
pub struct Running {
    child: Child,
    started: Instant,
    time_max: Duration,
    out: PathBuf,
    dir: TempDir,
}

/// The binary, with none of this process's settings.
pub fn harvestman() -> Command {
    without_settings(Command::new(env!("CARGO_BIN_EXE_harvestman")))
}

fn without_settings(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HARVESTMAN_") {
            command.env_remove(name);
        }
    }
    command
}

impl Crawl {
    /// A crawl from these seeds.
    pub fn from<S: AsRef<str>>(seeds: impl IntoIterator<Item = S>) -> Self {
        let mut args = vec!["crawl".to_owned()];
        args.extend(seeds.into_iter().map(|seed| seed.as_ref().to_owned()));
        for setting in QUICK {
            args.extend(["--set".to_owned(), (*setting).to_owned()]);
        }
        Self { args, memory_max: 150 * MIB, time_max: Duration::from_secs(40), wrapper: None, out: None }
    }

    /// A crawl of one site.
    pub fn of(site: &Site) -> Self {
        Self::from([site.url("/")])
    }

    pub fn set(self, setting: &str) -> Self {
        self.arg("--set").arg(setting)
    }

    pub fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    /// The most memory that it may take.
    pub fn memory_max_mib(mut self, mib: u64) -> Self {
        self.memory_max = mib * MIB;
        self
    }

    /// Where it writes, in place of a directory of its own.
    pub fn out(mut self, out: &Path) -> Self {
        self.out = Some(out.to_owned());
        self
    }

    /// Runs the binary by a shell, after these commands.
    pub fn after(mut self, commands: &str) -> Self {
        self.wrapper = Some(commands.to_owned());
        self
    }

    /// Starts it.
    pub fn start(self) -> Running {
        let dir = tempfile::tempdir().unwrap();
        let out = self.out.unwrap_or_else(|| dir.path().join("out"));
        let mut command = match &self.wrapper {
            None => harvestman(),
            Some(commands) => {
                let mut shell = without_settings(Command::new("sh"));
                shell.args(["-c", &format!("{commands}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_harvestman")]);
                shell
            }
        };
        command.args(&self.args).arg("--out").arg(&out).stdin(Stdio::null());
        command.stdout(File::create(dir.path().join("stdout")).unwrap());
        command.stderr(File::create(dir.path().join("stderr")).unwrap());
        let child = command.spawn().unwrap();
        Running { child, started: Instant::now(), time_max: self.time_max, out, dir }
    }

    /// Runs it to its end, whatever that is.
    pub fn run(self) -> Outcome {
        self.start().wait()
    }

    /// Runs it; it must end by itself with an empty frontier and at least one page.
    pub fn finish(self) -> Outcome {
        let outcome = self.run_whole();
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(outcome.report()["stop_reason"], "frontier_empty");
        outcome
    }

    /// Runs it; it must leave a whole output and a right account, whatever its exit code.
    pub fn run_whole(self) -> Outcome {
        let memory_max = self.memory_max;
        let outcome = self.run();
        outcome.assert_whole();
        outcome.assert_accounted();
        let peak = outcome.report()["peak_memory_bytes"].as_u64().unwrap();
        assert!(peak <= memory_max, "{} MiB of memory", peak / MIB);
        if std::env::var_os("HARVESTMAN_FIGURES").is_some() {
            let test = thread::current().name().unwrap_or_default().to_owned();
            eprintln!("{test}: {:.1} s, {} MiB, {}", outcome.took.as_secs_f64(), peak / MIB, outcome.report()["fates"]);
        }
        outcome
    }
}

impl Running {
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal, by name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for its end; kills it, and fails, if that takes too long.
    pub fn wait(mut self) -> Outcome {
        let status = self.ended();
        let read =
            |name: &str| String::from_utf8_lossy(&std::fs::read(self.dir.path().join(name)).unwrap()).into_owned();
        let (stdout, stderr) = (read("stdout"), read("stderr"));
        let Some(status) = status else {
            panic!("the crawl did not end within {:?}; it said\n{stderr}", self.time_max)
        };
        Outcome { code: status.code(), took: self.started.elapsed(), stderr, stdout, out: self.out, _dir: self.dir }
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        while self.started.elapsed() < self.time_max {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(20));
        }
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        None
    }
}

impl Outcome {
    pub fn report(&self) -> Value {
        let path = self.out.join("report.json");
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{error}: no report; it said\n{}", self.stderr));
        serde_json::from_slice(&text).unwrap()
    }

    /// The page log.
    pub fn lines(&self) -> Vec<PageRecord> {
        let text = std::fs::read_to_string(self.out.join("pages.jsonl")).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'), "the page log ends within a line");
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
    }

    /// The URLs of the page log with what became of them: `fetched`, `fetched (time)`, `failed: protocol`.
    pub fn fates(&self) -> BTreeMap<String, String> {
        let fate = |line: PageRecord| {
            let reason = line.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            let cut = line.truncated.map(|why| format!(" ({why})")).unwrap_or_default();
            (line.url, format!("{}{reason}{cut}", line.fate))
        };
        self.lines().into_iter().map(fate).collect()
    }

    /// How many links had a fate, whatever the reason.
    pub fn count(&self, fate: &str) -> u64 {
        match &self.report()["fates"][fate] {
            Value::Object(reasons) => reasons.values().filter_map(Value::as_u64).sum(),
            count => count.as_u64().unwrap_or(0),
        }
    }

    /// How many links had a fate for this reason.
    pub fn count_of(&self, fate: &str, reason: &str) -> u64 {
        self.report()["fates"][fate][reason].as_u64().unwrap_or(0)
    }

    /// The healthy pages of a site were fetched, all of them.
    pub fn assert_healthy(&self, site: &Site) {
        let fates = self.fates();
        for n in 1..=5 {
            let url = site.url(&format!("/ok/{n}"));
            assert_eq!(fates.get(&url).map(String::as_str), Some("fetched"), "{url}: {fates:#?}");
        }
    }

    /// The URLs of a site had these fates.
    pub fn assert_fates(&self, site: &Site, expected: &[(&str, &str)]) {
        let fates = self.fates();
        let actual: Vec<(&str, &str)> = expected
            .iter()
            .map(|(path, _)| (*path, fates.get(&site.url(path)).map_or("no line", String::as_str)))
            .collect();
        assert_eq!(actual, expected);
    }

    /// Fates sum up to what was discovered; whatever had its turn has one line, and nothing else has.
    pub fn assert_accounted(&self) {
        let report = self.report();
        let mut sum = 0;
        let mut with_line = 0;
        for (fate, _) in report["fates"].as_object().unwrap() {
            sum += self.count(fate);
            if WITH_A_LINE.contains(&fate.as_str()) {
                with_line += self.count(fate);
            }
        }
        assert_eq!(report["discovered"].as_u64(), Some(sum), "{report:#}");
        let lines = self.lines();
        let mut times: HashMap<&str, u32> = HashMap::new();
        for line in &lines {
            *times.entry(&line.url).or_default() += 1;
        }
        assert!(times.values().all(|times| *times == 1), "{times:?}");
        assert_eq!(lines.len() as u64, with_line, "{report:#}");
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }

    /// No file is left open, every WARC file reads to its end, and the page log says where its records stand.
    pub fn assert_whole(&self) {
        let names: Vec<String> = std::fs::read_dir(self.out.join("warc"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(names.iter().all(|name| name.ends_with(".warc.gz")), "{names:?}");
        let mut responses: HashMap<(String, u64), String> = HashMap::new();
        for name in &names {
            for (offset, target) in records(&self.out.join("warc").join(name)) {
                responses.insert((format!("warc/{name}"), offset), target);
            }
        }
        for line in self.lines() {
            if let (Some(file), Some(offset)) = (line.warc_file, line.warc_offset) {
                assert_eq!(responses.get(&(file, offset)), Some(&line.url));
            }
        }
    }
}

/// Reads a WARC file to its end; returns where the records stand that belong to a URL, and to which.
fn records(path: &Path) -> Vec<(u64, String)> {
    let mut reader = WarcReader::new(File::open(path).unwrap(), Limits::default());
    let mut found = Vec::new();
    while let Some(record) = reader.next_record().unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
        let target = record.target_uri().map(str::to_owned);
        found.extend(target.map(|target| (record.offset(), target)));
        let end = record.end().unwrap();
        assert!(end.line_breaks && end.member_ended, "{}: a record without its end", path.display());
    }
    found
}
