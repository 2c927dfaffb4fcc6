//! What is wrong with the arguments of `learn` and with the models that a crawl is given is said, with what to do, and nothing
//! is written.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::recording::Recording;

#[test]
fn learn_says_what_is_wrong_with_its_arguments_and_writes_nothing() {
    let recording = Recording::unlabelled();
    let absent = "http://elsewhere.test/";
    for (args, code, said) in [
        (&["missing.warc.gz", "--out", "m"][..], 2, "file missing.warc.gz does not exist"),
        (&[".", "--out", "m"], 2, ". is a directory: give a WARC file"),
        (&["forum", "--out", "m"], 2, "seed `forum` is not a URL"),
        (&["forum.warc", "--out", "no/where/m"], 2, "directory no/where does not exist"),
        (&["forum.warc", "--out", "."], 2, "it is a directory"),
        (&["forum.warc"], 2, "--out <MODEL>"),
        (&["forum.warc", "--out", "m", "--pages", "0"], 2, "--pages"),
        (&["forum.warc", "--out", "m", "--keep", "crawl"], 2, "--keep applies to the crawl of a URL only"),
        (&["forum.warc", "--out", "m", "--set", "host.delay=0s"], 2, "--set applies to the crawl of a URL only"),
        (&["forum.warc", "--out", "m", "--example", absent], 2, "--example http://elsewhere.test/ is not in forum"),
        (&["forum.warc", "--out", "m", "--by", "name"], 2, "expected url, structure or both"),
        (&["forum.warc", "--out", "m", "--by", "url", "--example", absent], 2, "cannot be used with"),
        (&["forum.warc", "--out", "m", "--variant", "paper"], 2, "--by <WHAT>"),
        (&["forum.warc", "--out", "m", "--by", "both", "--variant", "paper"], 2, "use --by url"),
        (&["forum.warc", "--out", "m", "--by", "url", "--pages", "2"], 1, "fetches, too few to learn from"),
        (&["empty.warc", "--out", "m"], 1, "empty.warc"),
        (&["http://127.0.0.1:9/", "--out", "m", "--set", "host.dely=0s"], 2, "did you mean `host.delay`?"),
        (&["http://127.0.0.1:9/", "--out", "m", "--keep", "."], 2, "not empty"),
        (&["http://127.0.0.1:9/", "--out", "m", "--example", absent], 2, "outside the scope"),
    ] {
        recording.write("empty.warc", "no records\n");
        let ran = recording.run(&[&["learn"], args].concat());
        ran.failed(code, &[said]);
        assert!(!recording.path("m").exists() && !recording.path("crawl").exists(), "{args:?}");
    }
}

#[test]
fn a_site_that_cannot_be_reached_teaches_nothing_and_the_exit_code_says_so() {
    let recording = Recording::empty();
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{dead}/");
    let ran = recording.run(&["learn", &url, "--out", "m", "--set", "host.retries_max=0", "--quiet"]);
    ran.failed(3, &["no page could be fetched, so nothing could be learned"]);
    assert!(!recording.path("m").exists());
}

/// A crawl of nothing reachable, that starts from a model.
fn crawl<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["crawl", "http://127.0.0.1:9/", "--out", "crawl", "--model", model], more].concat()
}

#[test]
fn a_model_that_cannot_be_used_is_named_with_what_to_do_before_anything_is_done() {
    let recording = Recording::unlabelled();
    assert_eq!(recording.run(&["learn", "forum.warc", "--pages", "60", "--out", "good"]).code, Some(0));
    let good = std::fs::read(recording.path("good")).unwrap();
    let newer = packed(r#"{"magic":"harvestman site model","format":9999,"model":{}}"#);
    let older = packed(r#"{"magic":"harvestman site model","format":1,"model":{}}"#);
    let damaged = packed(r#"{"magic":"harvestman site model","format":2,"model":{"facts":7}}"#);
    let files = [
        ("cut", &good[..good.len() / 2]),
        ("text", b"a text"),
        ("newer", &newer),
        ("older", &older),
        ("damaged", &damaged),
    ];
    for (name, bytes) in files {
        std::fs::write(recording.path(name), bytes).unwrap();
    }
    for (name, said) in [
        ("missing", ["cannot read the site model missing", "No such file"]),
        (".", ["cannot read the site model .", "directory"]),
        ("cut", ["the site model cut: ", "learn the site again with `harvestman learn`"]),
        ("text", ["this is not a site model", "name a file that `harvestman learn` or a crawl wrote"]),
        ("newer", ["has format 9999", "use a newer version of this program"]),
        ("older", ["has format 1, of an earlier version", "learn the site again with `harvestman learn`"]),
        ("damaged", ["is damaged", "learn the site again with `harvestman learn`"]),
    ] {
        recording.run(&crawl(name, &["--policy", "ucc"])).failed(2, &said);
        assert!(!recording.path("crawl").exists(), "{name}");
    }
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_policy_that_cannot_start_from_a_model_is_a_mistake_and_those_that_can_are_named() {
    let recording = Recording::empty();
    let can = "`ucc`, `target`, `xcrawl` and `topic` in their default variant can";
    for policy in ["bfs", "random", "opic", "irobot", "tpm", "sb"] {
        let said = format!("the policy `{policy}` cannot start from a site model");
        recording.run(&crawl("m", &["--policy", policy])).failed(2, &["--model", &said, can]);
    }
    recording.run(&crawl("m", &[])).failed(2, &["the policy `bfs` cannot start", can]);
    let paper = ["--policy", "ucc", "--variant", "paper"];
    recording.run(&crawl("m", &paper)).failed(2, &["the variant `paper` cannot start", can]);
    assert!(!recording.path("crawl").exists());
}
