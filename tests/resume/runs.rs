//! Runs of the binary over one directory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harvestman::archive::reader::{Limits, WarcReader};
use harvestman::model::PageRecord;
use harvestman::seed::Seed;
use harvestman::sim::compare::fate_of;
use harvestman::sim::{Server, ServerOptions, World, WorldOptions};
use serde_json::Value;
use tempfile::TempDir;

/// Leases that are out at once: no more pages may be fetched again after a kill.
pub const LEASES: u32 = 32;

pub fn serve(world: &WorldOptions, latency: Duration) -> Server {
    serve_with(world, ServerOptions { latency, ..ServerOptions::default() })
}

pub fn serve_with(world: &WorldOptions, options: ServerOptions) -> Server {
    let world = Arc::new(World::new(world, Seed(11)).unwrap());
    Server::start(world, "127.0.0.1:0".parse().unwrap(), options).unwrap()
}

/// A crawl directory, and how it is crawled into.
pub struct Runs {
    dir: TempDir,
    out: PathBuf,
    seeds: Vec<String>,
    settings: Vec<String>,
}

impl Runs {
    pub fn of(server: &Server, settings: &[&str]) -> Self {
        let all: Vec<&str> = std::iter::once("scope.hosts=*.localhost").chain(settings.iter().copied()).collect();
        Self::from(server.world().seeds(), &all)
    }

    /// From these seeds, on their hosts.
    pub fn from(seeds: Vec<String>, settings: &[&str]) -> Self {
        let quick = [
            format!("frontier.in_flight_max={LEASES}"),
            "fetch.private_addresses=true".to_owned(),
            // Most tests count requests.
            "robots.sitemap_guess=false".to_owned(),
            "filter.trap_guard=false".to_owned(),
        ];
        let settings = quick.into_iter().chain(settings.iter().map(|setting| (*setting).to_owned())).collect();
        let dir = tempfile::tempdir().unwrap();
        Self { out: dir.path().join("out"), dir, seeds, settings }
    }

    /// Into this directory, which stays, if one is given.
    pub fn into(self, out: Option<PathBuf>) -> Self {
        Self { out: out.unwrap_or_else(|| self.out.clone()), ..self }
    }

    /// The same over a copy of the directory, which nobody must be crawling into.
    pub fn copied(&self) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        copy(&self.out, &out);
        Self { out, dir, seeds: self.seeds.clone(), settings: self.settings.clone() }
    }

    pub fn out(&self) -> PathBuf {
        self.out.clone()
    }

    /// The first run.
    pub fn crawl(&self) -> Command {
        let mut command = harvestman("crawl");
        command.args(&self.seeds).arg("--out").arg(self.out());
        for setting in &self.settings {
            command.args(["--set", setting]);
        }
        command
    }

    /// A further run.
    pub fn resume(&self) -> Command {
        let mut command = harvestman("resume");
        command.arg(self.out());
        command
    }

    /// Another visit to what is known.
    pub fn recrawl(&self) -> Command {
        let mut command = harvestman("recrawl");
        command.arg(self.out());
        command
    }

    /// A command that is told to the running crawl.
    pub fn tell(&self, command: &str) -> Command {
        let mut told = harvestman("ctl");
        told.arg(self.out()).arg(command);
        told
    }

    /// The command that serves the live page of the crawl.
    pub fn live(&self) -> Command {
        let mut live = harvestman("live");
        live.arg(self.out());
        live
    }

    pub fn start(&self, mut command: Command) -> Child {
        let stderr = File::options().create(true).append(true).open(self.dir.path().join("stderr")).unwrap();
        command.arg("--quiet").stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().unwrap()
    }

    /// Crawls to the end, killed as soon as the page log has each of these numbers of lines, and gone on with.
    pub fn kill_at(&self, kills: &[usize]) {
        let mut child = self.start(self.crawl());
        for pages in kills {
            while self.lines().len() < *pages {
                assert!(child.try_wait().unwrap().is_none(), "it ended too soon: {}", self.stderr());
                std::thread::sleep(Duration::from_millis(2));
            }
            child.kill().unwrap();
            child.wait().unwrap();
            child = self.start(self.resume());
        }
        assert_eq!(child.wait().unwrap().code(), Some(0), "{}", self.stderr());
    }

    /// The URLs of this fate.
    pub fn urls(&self, fate: &str) -> HashSet<String> {
        self.lines().into_iter().filter(|line| line.fate == fate).map(|line| line.url).collect()
    }

    /// Waits for the page log to begin: before, there is nothing to go on with.
    pub fn await_pages(&self) {
        let until = Instant::now() + Duration::from_secs(30);
        while self.lines().is_empty() {
            assert!(Instant::now() < until, "no page in time: {}", self.stderr());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the running crawl can be asked and told something.
    pub fn await_control(&self) {
        let until = Instant::now() + Duration::from_secs(30);
        while !output(self.tell("status")).status.success() {
            assert!(Instant::now() < until, "no control socket in time: {}", self.stderr());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn stderr(&self) -> String {
        fs::read_to_string(self.dir.path().join("stderr")).unwrap_or_default()
    }

    pub fn lines(&self) -> Vec<PageRecord> {
        let text = fs::read_to_string(self.out().join("pages.jsonl")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub fn report(&self) -> Value {
        serde_json::from_slice(&fs::read(self.out().join("report.json")).unwrap()).unwrap()
    }

    /// Pages and links that the report counts; its fates are all the links.
    pub fn counted(&self) -> (u64, u64) {
        let report = self.report();
        let discovered = report["discovered"].as_u64().unwrap();
        assert_eq!(sums(&report["fates"]).values().sum::<u64>(), discovered, "ACC-1");
        (report["pages"].as_u64().unwrap(), discovered)
    }

    /// Everything of the world was fetched, and the account is right. Returns how many pages were fetched more than
    /// once.
    pub fn check_complete(&self, server: &Server) -> u32 {
        let lines = self.lines();
        let last: HashMap<&str, &PageRecord> = lines.iter().map(|line| (line.url.as_str(), line)).collect();
        let mut again = 0;
        for row in server.world().truth() {
            let fate = last.get(row.url.as_str()).map(|line| line.fate.as_str());
            assert_eq!(fate, Some(fate_of(&row)), "{}", row.url);
            again += server.log().requests_of(&row.url).saturating_sub(1);
        }
        let report = self.report();
        assert_eq!(report["stop_reason"], "frontier_empty");
        let fates = sums(&report["fates"]);
        assert_eq!(fates.values().sum::<u64>(), report["discovered"].as_u64().unwrap(), "ACC-1: {fates:?}");
        assert!(!fates.contains_key("queued"), "{fates:?}");
        let fetched = last.values().filter(|line| line.fate == "fetched").count() as u64;
        assert_eq!((fates["fetched"], report["pages"].as_u64()), (fetched, Some(fetched)));
        self.check_archive(&last);
        again
    }

    /// Every WARC file is whole and has its final name, and each page is where its line says.
    fn check_archive(&self, lines: &HashMap<&str, &PageRecord>) {
        let mut records: HashMap<(String, u64), String> = HashMap::new();
        for file in fs::read_dir(self.out().join("warc")).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            assert!(name.ends_with(".warc.gz"), "{name} was left behind");
            let mut reader = WarcReader::new(File::open(&path).unwrap(), Limits::default());
            while let Some(record) = reader.next_record().unwrap() {
                let url = record.target_uri().unwrap_or_default().to_owned();
                let place = (format!("warc/{name}"), record.offset());
                let end = record.end().unwrap();
                assert!(end.line_breaks && end.member_ended, "{name} is torn");
                records.insert(place, url);
            }
        }
        for line in lines.values().filter(|line| line.status.is_some()) {
            let place = line.warc_file.clone().zip(line.warc_offset).unwrap();
            assert_eq!(records.get(&place), Some(&line.url), "{place:?}");
        }
    }
}

/// Copies a directory with all that is below it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.as_ref().unwrap().file_name()));
        match entry.unwrap().file_type().unwrap() {
            kind if kind.is_dir() => copy(&path, &to),
            kind if kind.is_file() => drop(fs::copy(&path, &to).unwrap()),
            // A socket that nobody listens at.
            _ => {}
        }
    }
}

/// A fate with reasons as their sum.
pub fn sums(fates: &Value) -> BTreeMap<String, u64> {
    let sum = |count: &Value| match count.as_object() {
        Some(reasons) => reasons.values().filter_map(Value::as_u64).sum(),
        None => count.as_u64().unwrap(),
    };
    fates.as_object().unwrap().iter().map(|(fate, count)| (fate.clone(), sum(count))).collect()
}

/// The binary, with none of this process's settings.
pub fn harvestman(what: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HARVESTMAN_")) {
        command.env_remove(name);
    }
    command.arg(what);
    command
}

/// What a command that is over soon has said.
pub fn output(mut command: Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

/// What is below a directory, for tests that must find it unchanged.
pub fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
