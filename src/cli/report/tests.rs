//! Tests of reports of synthetic directories, as the nodes of a fleet write them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use harvestman_core::clock::Instant;
use harvestman_report::{Report, read_object};

fn moment(second: u64) -> String {
    Instant::from_micros(second * 1_000_000).timestamp().to_string()
}

fn line(second: u64, path: &str, fate: &str, attempts: u8) -> String {
    let status = if fate == "fetched" { 200 } else { 404 };
    let reason = (fate == "failed").then_some("http_404");
    json!({
        "url": format!("http://h.test{path}"), "fate": fate, "reason": reason, "time": moment(second), "status": status, "bytes": 10,
        "attempts": attempts, "cluster": 2, "warc_file": "warc/x-00000.warc.gz",
    })
    .to_string()
}

/// A temporary root for the directories of nodes.
struct Fleet(TempDir);

impl Fleet {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, node: &str, file: &str, text: &str) {
        fs::create_dir_all(self.at(node)).unwrap();
        fs::write(self.at(node).join(file), text).unwrap();
    }

    /// Writes the directory of a node with its page log.
    fn node(&self, name: &str, lines: &[String]) {
        let config = format!(
            "[crawl]\nseeds = ['http://h.test/']\npolicy = 'bfs'\n[fleet]\nservers = 'nats://h:4222'\nname = 'all'\nnode = '{name}'\n"
        );
        self.write(name, "config.toml", &config);
        self.write(name, "pages.jsonl", &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    }

    /// Writes the report of a session that fetched `pages` pages, with one request each and one for robots.txt, and
    /// handed a link over.
    fn report(&self, node: &str, file: &str, (from, to): (u64, u64), pages: u64) {
        let report = json!({
            "started": moment(from), "ended": moment(to), "stop_reason": "interrupted", "pages": pages, "requests": pages + 1,
            "bytes": pages * 10, "discovered": pages + 3, "fates": {"fetched": pages, "duplicate": 2, "handed_over": 1},
            "statuses": {"200": pages}, "errors": {}, "cpu_seconds": 1.0, "peak_memory_bytes": 1_000 + from,
        });
        self.write(node, file, &report.to_string());
    }

    fn made(&self, nodes: &[&str], format: Format) -> Result<String, Failure> {
        let out = self.at("out");
        let dirs = nodes.iter().map(|node| self.at(node)).collect();
        run(&ReportArgs { dirs, out: Some(out.clone()), format, quiet: true })?;
        Ok(fs::read_to_string(out).unwrap())
    }

    fn document(&self, nodes: &[&str]) -> Value {
        serde_json::from_str(&self.made(nodes, Format::Json).map_err(|error| error.text).unwrap()).unwrap()
    }
}

/// Returns two nodes that both fetched one page; the second was killed before it wrote a report.
fn two_nodes() -> Fleet {
    let fleet = Fleet::new();
    fleet.node("a", &[line(110, "/1", "fetched", 1), line(120, "/2", "fetched", 1), line(130, "/3", "fetched", 1)]);
    fleet.report("a", "report.json", (100, 200), 3);
    fleet.node("b", &[line(115, "/1", "fetched", 1), line(125, "/gone", "failed", 2)]);
    fleet
}

fn notes(document: &Value) -> String {
    document["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn numbers_are_sums_and_a_page_that_two_nodes_fetched_counts_twice() {
    let document = two_nodes().document(&["a", "b"]);
    let own = &document["report"];
    // Node `a` counts by its report, including a request for robots.txt; node `b` by its page log.
    assert_eq!((&own["pages"], &own["requests"], &own["bytes"]), (&4.into(), &7.into(), &50.into()));
    assert_eq!(own["fates"], json!({"fetched": 4, "duplicate": 2, "handed_over": 1, "failed": {"http_404": 1}}));
    assert_eq!(own["statuses"], json!({"200": 4, "404": 1}));
    assert_eq!((&document["account"]["adds_up"], &own["discovered"]), (&true.into(), &8.into()));
    assert_eq!((&document["log"]["pages"], &document["log"]["requests"]), (&4.into(), &6.into()));
    assert_eq!(own.get("cpu_seconds"), None, "that of the killed node is unknown");
    assert_eq!((&own["wall_seconds"], &own["stop_reason"]), (&100.0.into(), &"interrupted".into()));
    assert_eq!(document["standing"]["is"], "ended");
}

#[test]
fn a_table_lists_the_figures_of_each_node_and_those_by_the_log_alone() {
    let fleet = two_nodes();
    let document = fleet.document(&["a", "b"]);
    let nodes = document["nodes"].as_array().unwrap();
    let row = |at: usize| {
        let node = &nodes[at];
        let figures = ["sessions", "sessions_without_report", "pages", "requests", "bytes"];
        (node["node"].as_str().unwrap(), figures.map(|name| node[name].as_u64().unwrap()))
    };
    assert_eq!((row(0), row(1)), (("a", [1, 0, 3, 4, 30]), ("b", [0, 1, 1, 3, 20])));
    assert_eq!(nodes[1]["by_log"], json!({"lines": 2, "requests": 3, "pages": 1, "bytes": 20}));
    assert_eq!((&nodes[0]["standing"]["is"], &nodes[1]["standing"]["is"]), (&"ended".into(), &"broken_off".into()));
    let (notes, killed) = (notes(&document), fleet.at("b").display().to_string());
    assert!(notes.contains(&format!("{killed}: at least one session ended without a report")), "{notes}");
    assert!(notes.contains("1 pages, 3 requests for pages, 20 bytes"), "{notes}");
    for format in [Format::Html, Format::Markdown] {
        let text = fleet.made(&["a", "b"], format).map_err(|error| error.text).unwrap();
        assert!(text.contains("pages by the page log alone") && text.contains("broken off"), "{text}");
        assert!(text.contains("two pages and two requests"), "{text}");
    }
}

#[test]
fn the_curve_covers_all_requests_by_time_and_pages_are_grouped_by_place() {
    let document = two_nodes().document(&["a", "b"]);
    let points = document["log"]["curve"].as_array().unwrap();
    let curve: Vec<_> =
        points.iter().map(|at| (at["seconds"].as_f64().unwrap(), at["requests"].as_u64().unwrap())).collect();
    assert_eq!(curve, [(0.0, 0), (0.0, 1), (5.0, 2), (10.0, 3), (15.0, 5), (20.0, 6)]);
    let clusters: Vec<_> = document["log"]["groups"]["clusters"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(clusters, ["0"], "this policy does not cluster pages");
    let files: Vec<_> = document["warcs"]["files"].as_array().unwrap().iter().map(|file| &file["name"]).collect();
    assert_eq!(files.len(), 2, "files of the same name in two directories are two: {files:?}");
}

#[test]
fn only_a_fleet_that_learns_jointly_has_clusters() {
    let fleet = two_nodes();
    for node in ["a", "b"] {
        let config = fs::read_to_string(fleet.at(node).join("config.toml")).unwrap().replace("'bfs'", "'ucc'");
        fleet.write(node, "config.toml", &config);
    }
    let pages = |document: &Value| document["log"]["groups"]["clusters"]["2"]["pages"].as_u64();
    assert_eq!(pages(&fleet.document(&["a", "b"])), Some(4));
    let config = fs::read_to_string(fleet.at("b/config.toml")).unwrap().replace("'all'", "'another'");
    fleet.write("b", "config.toml", &config);
    assert_eq!(pages(&fleet.document(&["a", "b"])), None);
}

#[test]
fn all_sessions_of_a_directory_count_including_killed_ones() {
    let fleet = Fleet::new();
    let lines = [(110, "/1"), (310, "/2"), (510, "/3"), (710, "/4")];
    fleet.node("a", &lines.map(|(second, path)| line(second, path, "fetched", 1)));
    fleet.report("a", "report-0.json", (100, 200), 1);
    // The session from 300 to 400 was killed.
    fleet.report("a", "report-1.json", (500, 600), 1);
    fleet.report("a", "report.json", (700, 800), 1);
    let document = fleet.document(&["a"]);
    let node = &document["nodes"][0];
    assert_eq!((&node["sessions"], &node["sessions_without_report"]), (&3.into(), &1.into()));
    assert_eq!((&document["report"]["pages"], &document["report"]["requests"]), (&4.into(), &7.into()));
    assert_eq!((&document["account"]["adds_up"], &node["peak_memory_bytes"]), (&true.into(), &1_700.into()));
    assert_eq!(document["log"]["groups"]["clusters"]["2"]["pages"], 4, "the clusters of one node are distinguished");
}

#[test]
fn a_node_with_one_session_has_the_figures_of_its_report() {
    let fleet = two_nodes();
    let document = fleet.document(&["a"]);
    let own: Report = read_object("report.json", &fs::read(fleet.at("a/report.json")).unwrap()).unwrap();
    assert_eq!((&document["report"], document.get("nodes")), (&serde_json::to_value(own).unwrap(), None));
    let killed = fleet.document(&["b"]);
    assert_eq!((&killed["standing"]["is"], killed.get("nodes")), (&"broken_off".into(), None));
}

#[test]
fn a_malformed_file_is_skipped_with_a_note_that_names_file_and_field() {
    let fleet = two_nodes();
    fleet.write("a", "report.json", r#"{"pages": 3, "fates": {"fetched": "three"}}"#);
    fleet.write("a", "in-force.json", r#"{"format": 1, "banned": 5}"#);
    let document = fleet.document(&["a"]);
    let notes = notes(&document);
    assert!(notes.contains("report.json: field `fates.fetched`: expected a count"), "{notes}");
    assert!(notes.contains("in-force.json: field `banned`: invalid type"), "{notes}");
    assert_eq!((&document["report"], &document["in_force"]), (&Value::Null, &Value::Null));
}

#[test]
fn nodes_that_were_all_killed_are_reported_by_their_logs_alone() {
    let fleet = Fleet::new();
    fleet.node("a", &[line(1, "/1", "fetched", 1)]);
    fleet.node("b", &[line(2, "/2", "fetched", 1)]);
    let document = fleet.document(&["a", "b"]);
    assert_eq!((&document["standing"]["is"], &document["report"]), (&"broken_off".into(), &Value::Null));
    assert_eq!(document["log"]["pages"], 2);
}

#[test]
fn foreign_and_duplicate_directories_and_a_missing_output_are_refused() {
    let fleet = two_nodes();
    fs::create_dir(fleet.at("empty")).unwrap();
    let refused = |nodes: &[&str]| fleet.made(nodes, Format::Json).err().map(|error| error.text).unwrap_or_default();
    assert!(refused(&["a", "empty"]).contains("is not a crawl directory"));
    assert!(refused(&["a", "nowhere"]).contains("does not exist"));
    assert!(refused(&["a", "b", "b/../a/"]).contains("are the same directory"));
    let dirs = vec![fleet.at("a"), fleet.at("b")];
    let error = run(&ReportArgs { dirs, out: None, format: Format::Html, quiet: true }).err().map(|error| error.text);
    assert!(error.is_some_and(|text| text.contains("--out FILE")));
    let dirs = vec![fleet.at("b"), fleet.at("a")];
    let own = fleet.at("a/report.json");
    let error = run(&ReportArgs { dirs, out: Some(own), format: Format::Json, quiet: true }).err();
    assert!(error.is_some_and(|error| error.text.contains("belongs to the crawl")));
}

#[test]
fn another_crawl_and_damage_are_noted_with_their_directories() {
    let fleet = two_nodes();
    fleet.node("c", &[line(140, "/9", "fetched", 1), "{\"url\":".to_owned()]);
    let config = fs::read_to_string(fleet.at("c/config.toml")).unwrap().replace("h.test/", "other.test/");
    fleet.write("c", "config.toml", &config);
    fs::remove_file(fleet.at("b/config.toml")).unwrap();
    fs::create_dir(fleet.at("b/warc")).unwrap();
    let document = fleet.document(&["a", "b", "c"]);
    let notes = notes(&document);
    let at = |node: &str| fleet.at(node).display().to_string();
    for (node, note) in
        [("b", "there is no config.toml"), ("c", "this is another crawl than"), ("c", "1 lines of the page log")]
    {
        assert!(notes.contains(&format!("{}: {note}", at(node))), "{note}: {notes}");
    }
    assert!(Path::new(document["directory"].as_str().unwrap().split(", ").next().unwrap()).ends_with("a"));
}

#[test]
fn the_posts_of_all_directories_are_counted_once() {
    let fleet = two_nodes();
    let post = |id: &str, time: &str| json!({"id": id, "thread_id": "h:t", "author": "ann", "time": time}).to_string();
    assert!(fleet.document(&["a"])["posts"].is_null());
    assert!(!fleet.made(&["a"], Format::Markdown).map_err(|error| error.text).unwrap().contains("Posts"));
    fleet.write(
        "a",
        "posts.jsonl",
        &format!("{}\n{}\n{{\"id\"", post("h:1", "2026-01-01"), post("h:2", "2025-12-31T23:00:00")),
    );
    fleet.write("b", "posts.jsonl", &format!("{}\nspoilt\n", post("h:1", "2026-01-01")));
    let posts = &fleet.document(&["a"])["posts"];
    let field = |posts: &Value, name: &str| posts[name].clone();
    let names = ["posts", "threads", "authors", "changes", "damaged", "first_time", "last_time", "per_request"];
    let expected = json!([2, 1, 1, 0, 0, "2025-12-31T23:00:00", "2026-01-01", 0.5]);
    assert_eq!(Value::from(names.map(|name| field(posts, name)).to_vec()), expected);
    let posts = &fleet.document(&["a", "b"])["posts"];
    assert_eq!((&posts["posts"], &posts["changes"], &posts["damaged"]), (&json!(2), &json!(1), &json!(1)));
    let page = fleet.made(&["a"], Format::Markdown).map_err(|error| error.text).unwrap();
    assert!(page.contains("- Posts per request: 0.50\n"), "{page}");
}

#[test]
fn files_of_the_crawl_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["report.json", "pages.jsonl", "report.html"] {
        fs::write(dir.path().join(name), "x").unwrap();
    }
    let checked = |name: &str| check(dir.path(), &dir.path().join(name)).is_ok();
    assert!(!checked("report.json") && !checked("pages.jsonl") && !checked("./pages.jsonl"));
    assert!(checked("report.html") && checked("report.md") && checked("new.txt"));
    assert!(check(dir.path(), Path::new("elsewhere.json")).is_ok());
}

#[test]
fn a_report_is_written_atomically() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.html");
    write(&path, b"one").unwrap();
    write(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    fs::create_dir(dir.path().join("d")).unwrap();
    assert!(write(&dir.path().join("d"), b"x").is_err() && write(&dir.path().join("no/r.html"), b"x").is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left behind");
    write(Path::new("/dev/null"), b"x").unwrap();
}
