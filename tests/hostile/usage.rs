//! Wrong input at the command line: each is named, nothing is fetched, nothing is left behind. (What `config` refuses
//! stands in `tests/cli.rs`; here it is what only a crawl finds out.)

use std::path::Path;

use super::crawl::harvestman;
use super::site::Site;

/// Runs a crawl with these arguments; it must end with exit code 2, say all `parts`, make no request and no file.
fn refused(args: &[&str], parts: &[&str]) {
    let site = Site::with_links(&[], |_, peer| peer.page(""));
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let output = harvestman().arg("crawl").arg(site.url("/")).args(args).arg("--out").arg(&out).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{args:?}: {part}\nis not in\n{text}");
    }
    assert!(site.requests().is_empty());
    assert!(!out.exists(), "{args:?} left something behind");
}

#[test]
fn settings_that_only_a_crawl_finds_wrong_are_named_and_nothing_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let no_ca = dir.path().join("no-ca.pem");
    std::fs::write(&no_ca, "this is no certificate").unwrap();
    let no_ca = no_ca.to_str().unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["--ca-file", "/nonexistent/ca.pem"], &["/nonexistent/ca.pem"]),
        (&["--ca-file", no_ca], &[no_ca]),
        (&["--proxy", "ftp://127.0.0.1:1"], &["fetch.proxy"]),
        (&["--proxy", "not a proxy"], &["fetch.proxy"]),
        (&["--include", "(unclosed"], &["scope.include", "(unclosed"]),
        (&["--exclude", "[z-a]"], &["scope.exclude", "[z-a]"]),
        (&["--exclude", "a{1000}{1000}{1000}"], &["scope.exclude"]),
        (&["--resolve", "no-address"], &["fetch.resolve", "no-address"]),
        (&["--header", "no colon"], &["fetch.headers", "no colon"]),
        (&["--header", "X-Bad: a\nb"], &["fetch.headers"]),
        (&["--cookies", "/nonexistent/cookies.txt"], &["/nonexistent/cookies.txt"]),
        (&["--user-agent", "two\nlines"], &["fetch.user_agent"]),
        (&["--seeds-file", "/nonexistent/seeds.txt"], &["/nonexistent/seeds.txt"]),
        (&["--set", "archive.prefix=a/b"], &["archive.prefix"]),
        (&["--set", "archive.level=13"], &["archive.level"]),
        (&["--set", "archive.redact_request_headers=[\"two words\"]"], &["archive.redact_request_headers"]),
        (&["--metrics", "nonsense"], &["nonsense"]),
        (&["--policy", "magic"], &["crawl.policy", "magic"]),
    ];
    for (args, parts) in cases {
        refused(args, parts);
    }
}

#[test]
fn a_broken_configuration_file_has_all_its_mistakes_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("broken.toml");
    std::fs::write(
        &path,
        "[budget]\npages = -1\n[host]\ndelay = \"soon\"\n[nonsense]\nx = 1\n[fetch]\nbody_max = []\n",
    )
    .unwrap();
    refused(&["--config", path.to_str().unwrap()], &["budget.pages", "host.delay", "nonsense", "fetch.body_max"]);
    std::fs::write(&path, "[budget\npages = 1\n").unwrap();
    refused(&["--config", path.to_str().unwrap()], &["broken.toml:1"]);
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    refused(&["--config", path.to_str().unwrap()], &["broken.toml"]);
    refused(&["--config", dir.path().to_str().unwrap()], &["cannot read"]);
}

/// Runs a crawl into `out`, which must be refused for a reason that names it.
fn out_refused(out: &Path) -> String {
    let output = harvestman().args(["crawl", "http://127.0.0.1:1/", "--out"]).arg(out).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(out.to_str().unwrap()), "{text}");
    text
}

#[test]
fn an_output_directory_that_cannot_be_used_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    out_refused(&file);
    out_refused(&file.join("below"));
    assert!(out_refused(dir.path()).contains("not empty"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    // Where even the first user may not write.
    out_refused(Path::new("/proc/harvestman"));
    let dangling = dir.path().join("dangling");
    std::os::unix::fs::symlink("/nonexistent/target", &dangling).unwrap();
    out_refused(&dangling);
}

#[test]
fn an_output_directory_with_missing_parents_is_made() {
    let site = Site::with_links(&[], |_, peer| peer.page(""));
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a/b/c");
    let output =
        harvestman().arg("crawl").arg(site.url("/")).args(["--delay", "0s", "--out"]).arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(out.join("report.json").exists());
}

#[test]
fn seeds_that_are_no_urls_are_named_all_at_once() {
    refused(
        &["forum", "ftp://example.org/", "http://", "http://[::", "mailto:a@b.example", ""],
        &["`forum`", "`ftp://example.org/`", "`http://`", "`http://[::`", "`mailto:a@b.example`"],
    );
}
