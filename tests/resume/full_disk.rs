//! A disk that is full in the middle of a crawl.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harvestman::sim::{Family, WorldOptions};

use super::runs::{Runs, output, serve};

/// A file system in memory; it goes with the test.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    /// None where the right to mount is missing.
    fn at(path: &'a Path, size: &str) -> Option<Self> {
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "harvestman-test"]).arg(path);
        mount.output().is_ok_and(|done| done.status.success()).then_some(Self(path))
    }

    fn grow(&self, size: &str) {
        let options = format!("remount,size={size}");
        assert!(Command::new("mount").args(["-o", &options]).arg(self.0).status().unwrap().success());
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_crawl_that_met_a_full_disk_goes_on_when_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = Mounted::at(dir.path(), "8m") else {
        // Past the harness, which keeps what a passing test prints to itself.
        let skipped = b"SKIPPED: a full disk needs the right to mount one\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), skipped);
        return;
    };
    let world = WorldOptions {
        pages: 2_000,
        hosts: 6,
        families: Family::SOCIAL.to_vec(),
        page_bytes: 6_000,
        ..WorldOptions::default()
    };
    let server = serve(&world, Duration::from_millis(1));
    let settings = ["host.delay=0s", "host.connections_per_host=8", "host.connections_per_ip=16"];
    let runs = Runs::of(&server, &settings).into(Some(dir.path().join("out")));
    let full = output(runs.crawl());
    let told = String::from_utf8_lossy(&full.stderr).into_owned();
    assert_eq!(full.status.code(), Some(4), "{told}");
    assert!(told.to_lowercase().contains("no space left"), "{told}");
    let fetched = runs.lines().len();
    // What ended when the state could not be written any more does not count, or the next run would count it again.
    let counted = runs.counted();
    let still_full = output(runs.resume());
    assert_eq!(still_full.status.code(), Some(4), "{}", String::from_utf8_lossy(&still_full.stderr));
    let still_counted = runs.counted();
    assert!(counted.0 > 0 && still_counted >= counted, "{counted:?}, then {still_counted:?}");
    disk.grow("200m");
    let more = output(runs.resume());
    assert_eq!(more.status.code(), Some(0), "{}", String::from_utf8_lossy(&more.stderr));
    let again = runs.check_complete(&server);
    eprintln!("{fetched} lines before the disk was full; {again} pages were fetched again");
}
