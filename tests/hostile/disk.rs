//! A disk that is full, output that nobody reads.

use std::path::Path;

use super::crawl::{Crawl, Outcome};
use super::site::Site;

/// A site of 400 pages with 20 KiB of noise each, which no compression makes smaller.
fn bulky() -> Site {
    let links: Vec<String> = (0..400).map(|n| format!("/bulk/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    Site::with_links(&links, |target, peer| {
        let mut state: u64 = target.trim_start_matches("/bulk/").parse::<u64>().unwrap() + 1;
        let noise: String = (0..20_000)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                char::from(b'!' + (state % 27) as u8)
            })
            .collect();
        peer.page(&format!("<pre>{noise}"))
    })
}

/// A crawl after `commands` runs out of space: it ends with exit code 4, names the file, and all that is there is
/// whole.
fn runs_out_of_space(commands: &str, out: Option<&Path>) -> Outcome {
    let site = bulky();
    // The state's journal is a file too, and larger than the limit that one of the commands sets.
    let mut crawl = Crawl::of(&site).after(commands).set("state.enabled=false");
    if let Some(out) = out {
        crawl = crawl.out(out);
    }
    let outcome = crawl.run();
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("no space left to write") && outcome.stderr.contains(".warc.gz"),
        "{}",
        outcome.stderr
    );
    outcome.assert_whole();
    let fetched = outcome.lines().iter().filter(|line| line.fate == "fetched").count();
    assert!((1..400).contains(&fetched), "{fetched}");
    let requests = site.requests().len();
    assert!(requests < 400, "the crawl stopped: {requests} requests");
    outcome
}

#[test]
fn a_file_that_may_not_grow_ends_the_crawl_and_the_report_says_so() {
    // A limit on the size of files, in blocks of 512 bytes (dash) or 1 KiB (bash). Without the trap the signal would
    // kill.
    let outcome = runs_out_of_space("trap '' XFSZ; ulimit -f 2100", None);
    let report = outcome.report();
    assert_eq!(report["stop_reason"], "archive_error");
    outcome.assert_accounted();
    assert!(outcome.count("queued") > 0);
}

#[test]
fn a_full_disk_ends_the_crawl_and_what_was_written_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mount = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=3m", "harvestman-test"])
        .arg(dir.path())
        .output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        // Past the harness, which keeps what a passing test prints to itself.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            "SKIPPED: a full disk needs the right to mount one\n".as_bytes(),
        );
        return;
    }
    let mounted = Mounted(dir.path());
    let outcome = runs_out_of_space(":", Some(&dir.path().join("out")));
    // What was held back is enough for the page log and the report.
    assert_eq!(outcome.report()["stop_reason"], "archive_error");
    outcome.assert_accounted();
    assert!(!outcome.out.join(".reserve").exists());
    drop(mounted);
}

#[test]
fn a_disk_without_room_for_a_crawl_is_found_out_before_the_first_request() {
    let site = Site::with_links(&[], |_, peer| peer.page(""));
    let outcome = Crawl::of(&site).after("trap '' XFSZ; ulimit -f 100").run();
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("no space left to write") && outcome.stderr.contains(".reserve"));
    assert!(site.requests().is_empty() && !outcome.out.join("warc").exists());
}

struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn nobody_reading_standard_output_or_error_does_not_lose_the_crawl() {
    let site = Site::with_links(&[], |_, peer| peer.page(""));
    for commands in ["exec >&-", "exec 2>&-", "exec <&- >&- 2>&-", "exec >/dev/full 2>/dev/full"] {
        let outcome = Crawl::of(&site).after(commands).run_whole();
        assert_eq!(outcome.code, Some(0), "{commands}: {}", outcome.stderr);
        outcome.assert_healthy(&site);
    }
}

#[test]
fn a_closed_pipe_does_not_lose_the_crawl() {
    let site = Site::with_links(&[], |_, peer| peer.page(""));
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    // The reader of both ends at once; the crawl says its warnings and its report to nobody.
    let mut command = super::crawl::harvestman();
    command.arg("crawl").arg(site.url("/")).args(["--delay", "0s", "--out"]).arg(&out);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["fates"]["fetched"], 6);
}
