//! No process and no file of a browser is left, whatever ends it or the crawler.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use harvestman_render::{Browser, RenderFailure, RenderLimits};

use crate::support::{Site, browser, browser_in, render};

/// The folder of the browser that the test `a_crawler_to_kill` starts.
const FOLDER: &str = "HARVESTMAN_TEST_BROWSER_FOLDER";

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_is_replaced_after_its_pages() {
    let Some(browser) = browser(RenderLimits { pages_per_process: 2, ..RenderLimits::default() }) else { return };
    for _ in 0..3 {
        assert!(render(&browser, "<p>x", Site::default()).await.0.is_ok());
    }
    assert_eq!(browser.starts(), 2);
    browser.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_browser_fails_its_page_and_the_next_page_has_another() {
    let folder = tempfile::tempdir().unwrap();
    open_to_all(folder.path());
    let Some(browser) = browser_in(folder.path().to_owned(), RenderLimits::default()) else { return };
    assert!(render(&browser, "<p>x", Site::default()).await.0.is_ok());
    let site = Site { delay: Duration::from_secs(20), ..Site::default() };
    let rendered = render(&browser, "<script>fetch('/never')</script>", site);
    let kill = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        signal("KILL", main_process(folder.path()).unwrap());
    };
    let ((rendered, _), ()) = tokio::join!(rendered, kill);
    assert_eq!(rendered.unwrap_err(), RenderFailure::Crashed);
    assert!(render(&browser, "<p>x", Site::default()).await.0.is_ok());
    assert_eq!(browser.starts(), 2);
    browser.end().await;
    assert_nothing_left(folder.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_rests_has_no_process_and_renders_the_next_page() {
    let folder = tempfile::tempdir().unwrap();
    open_to_all(folder.path());
    let Some(browser) = browser_in(folder.path().to_owned(), RenderLimits::default()) else { return };
    browser.rest().await;
    for starts in 1..=2 {
        assert!(render(&browser, "<p>x", Site::default()).await.0.is_ok());
        assert_eq!(browser.starts(), starts);
        browser.rest().await;
        assert_nothing_left(folder.path()).await;
    }
}

/// Not a test: what `no_browser_outlives_its_crawler` kills.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a part of another test"]
async fn a_crawler_to_kill() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let limits = RenderLimits { active: Duration::from_secs(300), ..RenderLimits::default() };
    let browser = browser_in(folder.into(), limits).unwrap();
    let _ = render(&browser, "<script>while(1);</script>", Site::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_browser_outlives_its_crawler() {
    if browser(RenderLimits::default()).is_none() {
        return;
    }
    // Also a browser that was stopped, and so does not see that its pipe is closed.
    for is_stopped in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        open_to_all(folder.path());
        let mut crawler = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kills::a_crawler_to_kill", "--ignored"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut tries = 0;
        let browser = loop {
            tokio::time::sleep(Duration::from_millis(200)).await;
            tries += 1;
            match main_process(folder.path()) {
                // Until the page computes.
                Some(process) if tries > 10 => break process,
                _ => assert!(tries < 150, "the browser does not start"),
            }
        };
        if is_stopped {
            signal("STOP", browser);
        }
        crawler.kill().unwrap();
        crawler.wait().unwrap();
        assert_nothing_left(folder.path()).await;
    }
}

/// Lets the browser's user enter the folder.
fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o1777)).expect("the folder is ours");
}

/// Returns the processes whose command line has `folder`, each with it.
fn processes_of(folder: &Path) -> Vec<(u32, String)> {
    let folder = folder.display().to_string();
    let command = |entry: std::fs::DirEntry| {
        let process: u32 = entry.file_name().to_str()?.parse().ok()?;
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        Some((process, String::from_utf8_lossy(&command).replace('\0', " ")))
    };
    let all = std::fs::read_dir("/proc").expect("Linux").filter_map(|entry| command(entry.ok()?));
    all.filter(|(_, command)| command.contains(&folder)).collect()
}

/// Returns the browser's main process.
fn main_process(folder: &Path) -> Option<u32> {
    let is_main = |command: &str| {
        command.contains("--remote-debugging-pipe")
            && !command.contains("--type=")
            && !["unshare", "setpriv", "sh"].iter().any(|other| command.starts_with(&format!("{other} ")))
            && !command.starts_with("/bin/sh ")
    };
    processes_of(folder).into_iter().find(|(_, command)| is_main(command)).map(|(process, _)| process)
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill").args([format!("-{name}"), process.to_string()]).status();
    assert!(status.expect("kill is a program").success());
}

async fn assert_nothing_left(folder: &Path) {
    let mut left = Vec::new();
    for _ in 0..100 {
        left = processes_of(folder);
        if left.is_empty() && files_in(folder).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("left: {left:?} {:?}", files_in(folder));
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().filter_map(|file| Some(file.ok()?.path())).collect()
}
