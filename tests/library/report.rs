//! The report of an embedded crawl is that of the program.

use std::process::Command;

use harvestman_library::Crawl;
use serde_json::Value;

use super::crawls::{Forum, QUICK, lines, quick};

/// Fields that depend on the clock, the machine, or the name of a file.
const OWN: [&str; 9] = [
    "started",
    "ended",
    "wall_seconds",
    "cpu_seconds",
    "peak_memory_bytes",
    "pages_per_second",
    "pages_per_cpu_second",
    "warc_files",
    "dedup",
];

/// The trap guard learns beside the crawl: when it acts depends on the clock, in two runs of the program too.
const GUARD: (&str, &str) = ("filter.trap_guard", "false");

fn comparable(json: &str) -> Value {
    let mut report: Value = serde_json::from_str(json).unwrap();
    let fields = report.as_object_mut().unwrap();
    for name in OWN {
        assert!(fields.remove(name).is_some(), "{name} is no field");
    }
    report
}

/// What the page log says of the fates of all links, sorted. Other fields depend on the clock, too: the next page is
/// requested while the pages before it are processed, so that another page may be the first to have a link, and another
/// snapshot scores it.
fn fates(out: &std::path::Path) -> Vec<String> {
    let of_line = |line: &Value| {
        ["url", "fate", "reason", "status", "attempts", "bytes", "title"].map(|name| line[name].to_string()).join(" ")
    };
    let mut all: Vec<String> = lines(out).iter().map(of_line).collect();
    all.sort();
    all
}

#[test]
fn the_report_of_an_embedded_crawl_is_that_of_the_program() {
    let forum = Forum::of(200);
    let settings = [("host.connections_per_host", "1"), ("crawl.threads", "1"), GUARD];
    let settings: Vec<_> = QUICK.into_iter().chain(settings).collect();
    let (program, embedded) = (forum.out(), forum.out().with_extension("embedded"));

    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
    command.args(["crawl", &forum.seed(), "--quiet", "--out"]).arg(&program);
    for (name, value) in &settings {
        command.args(["--set", &format!("{name}={value}")]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let crawl = quick(Crawl::builder().seed(forum.seed()).out(&embedded));
    let crawl = settings.iter().fold(crawl, |crawl, (name, value)| crawl.set(*name, value));
    let report = crawl.start().unwrap().wait().unwrap();

    let file = |out: &std::path::Path, name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let by_program = comparable(&file(&program, "report.json"));
    assert_eq!(comparable(&report.to_json()), by_program);
    assert_eq!(comparable(&file(&embedded, "report.json")), by_program);
    assert!(by_program["pages"].as_u64().unwrap() > 100);
    assert_eq!(fates(&embedded), fates(&program));
    let config = |out: &std::path::Path| file(out, "config.toml").replace(&out.display().to_string(), "OUT");
    assert_eq!(config(&embedded), config(&program));
}
