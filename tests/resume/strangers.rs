//! Directories that came from somebody else: links in them, settings that name what is the user's, another owner.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use harvestman::sim::WorldOptions;

use super::runs::{Runs, output, serve};

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A crawl that has more to fetch.
fn crawled() -> (harvestman::sim::Server, Runs) {
    let server = serve(&WorldOptions { pages: 40, ..WorldOptions::default() }, Duration::ZERO);
    let runs = Runs::of(&server, &["host.delay=0s", "budget.pages=5"]);
    assert_eq!(output(runs.crawl()).status.code(), Some(0));
    (server, runs)
}

fn both(runs: &Runs) -> [Command; 2] {
    [runs.resume(), runs.recrawl()]
}

#[test]
fn nothing_is_read_or_written_through_a_link_in_a_crawl_directory() {
    let (_server, runs) = crawled();
    let precious = runs.out().with_file_name("precious");
    let places = [
        "warc/harvestman-20990101000000-00000.warc.gz.open",
        ".reserve",
        "posts.jsonl",
        "control.jsonl",
        "lock",
        "frontier.chunks",
        "state/link",
        "observations/9.log",
        "config.toml.new",
        "report.json.tmp",
    ];
    for place in places {
        let runs = runs.copied();
        fs::write(&precious, "precious").unwrap();
        let place = runs.out().join(place);
        let _ = fs::remove_file(&place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&precious, &place).unwrap();
        for run in both(&runs) {
            let refused = output(run);
            assert_eq!(refused.status.code(), Some(2), "{}", told(&refused));
            assert!(told(&refused).contains(&format!("{}: it is a link", place.display())), "{}", told(&refused));
        }
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious", "{}", place.display());
    }
    let runs = runs.copied();
    let elsewhere = runs.out().with_file_name("elsewhere");
    fs::rename(runs.out().join("warc"), &elsewhere).unwrap();
    symlink(&elsewhere, runs.out().join("warc")).unwrap();
    let before = fs::read_dir(&elsewhere).unwrap().count();
    assert_eq!(output(runs.resume()).status.code(), Some(2), "a directory behind a link");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), before);
}

/// Sets a setting in the configuration of a crawl directory.
fn set(out: &Path, section: &str, key: &str, value: &str) {
    let path = out.join("config.toml");
    let mut lines: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    let start = lines.iter().position(|line| *line == format!("[{section}]")).unwrap();
    let at = start + lines[start..].iter().position(|line| line.starts_with(&format!("{key} ="))).unwrap();
    lines[at] = format!("{key} = {value}");
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

#[test]
fn a_program_that_a_crawl_directory_names_is_not_run() {
    let (_server, runs) = crawled();
    let (program, ran) = (runs.out().join("chromium"), runs.out().with_file_name("ran"));
    fs::write(&program, format!("#!/bin/sh\ntouch {}\nexit 1\n", ran.display())).unwrap();
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    set(&runs.out(), "render", "browser", &format!("{:?}", program.display().to_string()));
    set(&runs.out(), "render", "mode", "\"always\"");
    for run in both(&runs) {
        let refused = output(run);
        assert_eq!(refused.status.code(), Some(2), "{}", told(&refused));
        assert!(told(&refused).contains("`render.browser` names a program"), "{}", told(&refused));
    }
    assert!(!ran.exists());
    let mut again = runs.resume();
    again.args(["--set", "render.browser=", "--set", "render.mode=never"]);
    let again = output(again);
    assert_eq!(again.status.code(), Some(0), "{}", told(&again));
    assert!(!ran.exists());
}

#[test]
fn a_file_of_the_users_own_gives_again_what_a_directory_must_not_choose() {
    let (_server, runs) = crawled();
    let (cookies, own) = (runs.out().with_file_name("cookies"), runs.out().with_file_name("own.toml"));
    fs::write(&cookies, "").unwrap();
    set(&runs.out(), "fetch", "cookies_file", &format!("{:?}", cookies.display().to_string()));
    let refused = output(runs.resume());
    assert!(told(&refused).contains("--cookies FILE"), "{}", told(&refused));
    fs::write(&own, format!("[fetch]\ncookies_file = {:?}\n[budget]\npages = 9\n", cookies.display().to_string()))
        .unwrap();
    let mut again = runs.resume();
    again.arg("--config").arg(&own);
    let again = output(again);
    assert_eq!(again.status.code(), Some(0), "{}", told(&again));
    assert_eq!(runs.report()["pages"], 5, "the budget is that of the crawl");
}

#[test]
fn a_directory_of_another_user_is_refused_unless_that_user_is_trusted() {
    let (_server, runs) = crawled();
    if let Err(why) = std::os::unix::fs::chown(runs.out(), Some(65_534), None) {
        eprintln!("SKIPPED, nothing is tested here: only root can give a directory away: {why}");
        return;
    }
    for (run, mut trusting) in both(&runs).into_iter().zip(both(&runs)) {
        let refused = output(run);
        assert_eq!(refused.status.code(), Some(2), "{}", told(&refused));
        for part in ["belongs to another user", "--trust-owner"] {
            assert!(told(&refused).contains(part), "{}", told(&refused));
        }
        trusting.arg("--trust-owner");
        let trusted = output(trusting);
        assert_eq!(trusted.status.code(), Some(0), "{}", told(&trusted));
    }
}
