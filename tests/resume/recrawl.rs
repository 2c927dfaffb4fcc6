//! Recrawls of a site that changes: what has changed is found at a fraction of the requests, what has not becomes
//! revisit records, and a kill loses nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harvestman::archive::reader::{Limits, WarcReader};
use harvestman::model::PageRecord;
use harvestman::sim::{Family, Server, ServerOptions, Validators, WorldOptions};

use super::runs::{Runs, harvestman, output, serve, serve_with, sums};

const DAY: u64 = 86_400;

fn forum(pages: u64) -> WorldOptions {
    WorldOptions { pages, hosts: 1, families: vec![Family::Forum], changes: true, ..WorldOptions::default() }
}

fn changing(world: &WorldOptions, validators: Validators) -> Server {
    serve_with(world, ServerOptions { validators, ..ServerOptions::default() })
}

fn runs(server: &Server) -> Runs {
    Runs::of(server, &["host.delay=0s", "host.delay_factor=0", "state.commit_every=5ms"])
}

fn succeed(command: Command) {
    let output = output(command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn urls<'a>(lines: impl IntoIterator<Item = &'a PageRecord>) -> BTreeSet<&'a str> {
    lines.into_iter().map(|line| line.url.as_str()).collect()
}

/// The pages that were fetched before and are different now.
fn changed(server: &Server, since: u64, before: &[PageRecord]) -> BTreeSet<String> {
    let fetched = urls(before.iter().filter(|line| line.fate == "fetched"));
    server.world().changed_since(since).map(|row| row.url).filter(|url| fetched.contains(url.as_str())).collect()
}

fn check_account(runs: &Runs) {
    let report = runs.report();
    let fates = sums(&report["fates"]);
    assert_eq!(fates.values().sum::<u64>(), report["discovered"].as_u64().unwrap(), "ACC-1: {fates:?}");
    assert!(!fates.contains_key("queued"), "{fates:?}");
}

#[test]
fn a_recrawl_finds_what_has_changed_with_a_fraction_of_the_requests() {
    let server = changing(&forum(700), Validators::Etag);
    let runs = runs(&server);
    succeed(runs.crawl());
    let before = runs.lines();
    let full = server.log().requests();
    server.world().set_time(4 * DAY);
    let changed = changed(&server, 0, &before);
    succeed(runs.recrawl());
    let lines = runs.lines();
    let round = &lines[before.len()..];
    let visited = urls(round);
    let found = changed.iter().filter(|url| visited.contains(url.as_str())).count();
    let requests = server.log().requests() - full;
    eprintln!("{found} of {} changed pages with {requests} of {full} requests", changed.len());
    assert!(requests * 10 <= full * 4, "{requests} of {full}");
    assert!(changed.len() >= 20 && found * 10 >= changed.len() * 8, "{found} of {}", changed.len());
    // What the page log says is what is so; and where nothing has changed the server says it.
    for line in round.iter().filter(|line| line.visit == Some(2)) {
        assert_eq!(line.changed, Some(changed.contains(&line.url)), "{}", line.url);
        assert_eq!(line.fate == "not_modified", line.changed == Some(false), "{}", line.url);
    }
    // A few are asked for twice, to tell a clock from a change.
    let probes = round.iter().filter(|line| line.visit == Some(3)).count();
    assert!(probes <= 10 && round.iter().all(|line| line.visit <= Some(3)), "{probes}");
    // New links are new URLs, and fetched.
    let new: Vec<_> = round.iter().filter(|line| line.visit.is_none() && line.fate == "fetched").collect();
    assert!(!new.is_empty() && new.iter().all(|line| !urls(&before).contains(line.url.as_str())));
    check_account(&runs);
    let figures = &runs.report()["recrawl"];
    assert_eq!((figures["round"].as_u64(), figures["new_pages"].as_u64()), (Some(1), Some(new.len() as u64)));
    assert_eq!(figures["changed"].as_u64(), Some(found as u64), "{figures}");
    assert!(runs.out().join("report-0.json").exists(), "the crawl's own report is kept");
}

#[test]
fn what_has_not_changed_is_a_revisit_record_that_replays() {
    for (validators, profile) in
        [(Validators::Etag, "server-not-modified"), (Validators::Ignored, "identical-payload-digest")]
    {
        let server = changing(&forum(150), validators);
        let runs = runs(&server);
        succeed(runs.crawl());
        let before = runs.lines().len();
        server.world().set_time(DAY);
        succeed(runs.recrawl());
        succeed(runs.recrawl());
        let responses = records(&runs, "response");
        let revisits = records(&runs, "revisit");
        let lines = runs.lines();
        let same: Vec<_> = lines[before..].iter().filter(|line| line.changed == Some(false)).collect();
        assert!(same.len() > 20, "{}", same.len());
        for line in same {
            let place = (line.warc_file.clone().unwrap(), line.warc_offset.unwrap());
            let fields = &revisits[&place];
            assert!(fields["warc-profile"].ends_with(profile), "{fields:?}");
            let original = (&fields["warc-refers-to-target-uri"], &fields["warc-refers-to-date"]);
            let held = responses.values().find(|held| (&held["warc-target-uri"], &held["warc-date"]) == original);
            let held = held.unwrap_or_else(|| panic!("{} refers to {original:?}", line.url));
            assert_eq!(held["warc-record-id"], fields["warc-refers-to"]);
            assert_eq!(held["warc-payload-digest"], fields["warc-payload-digest"]);
        }
        replay(&runs, &server, &lines[before..]);
    }
}

/// The records of a type, by the file and offset of each, with their fields.
fn records(runs: &Runs, of_type: &str) -> HashMap<(String, u64), BTreeMap<String, String>> {
    let names = [
        "warc-profile",
        "warc-refers-to",
        "warc-refers-to-target-uri",
        "warc-refers-to-date",
        "warc-target-uri",
        "warc-date",
        "warc-record-id",
        "warc-payload-digest",
    ];
    let mut records = HashMap::new();
    for entry in fs::read_dir(runs.out().join("warc")).unwrap() {
        let path = entry.unwrap().path();
        let file = format!("warc/{}", path.file_name().unwrap().to_str().unwrap());
        let mut reader = WarcReader::new(File::open(&path).unwrap(), Limits::default());
        while let Some(mut record) = reader.next_record().unwrap() {
            if record.record_type() == of_type {
                let field = |name: &&str| Some(((*name).to_owned(), record.header().get(name)?.to_owned()));
                records.insert((file.clone(), record.offset()), names.iter().filter_map(field).collect());
            }
            record.verify().unwrap();
        }
    }
    records
}

/// Has pywb bring the latest capture of each unchanged page back, byte for byte, where there is one.
fn replay(runs: &Runs, server: &Server, lines: &[PageRecord]) {
    let Some(python) = std::env::var_os("HARVESTMAN_PYTHON") else {
        assert!(std::env::var("HARVESTMAN_REQUIRE_PYTHON").is_err(), "HARVESTMAN_PYTHON is not set");
        return;
    };
    let expected = runs.out().join("expected");
    fs::create_dir_all(&expected).unwrap();
    let (mut text, mut pages) = (String::new(), 0);
    for line in lines.iter().filter(|line| line.changed == Some(false)) {
        let (host, path) = line.url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).unwrap();
        let body = server.world().respond(host, &format!("/{path}")).body;
        fs::write(expected.join(pages.to_string()), &body).unwrap();
        let time: String = line.time.as_deref().unwrap().chars().filter(char::is_ascii_digit).take(14).collect();
        let row = serde_json::json!({"url": line.url, "status": 200, "body": pages.to_string(), "time": time});
        text.push_str(&format!("{row}\n"));
        pages += 1;
    }
    fs::write(expected.join("expected.jsonl"), text).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/pywb_replay.py");
    let done = Command::new(&python).arg(script).args([runs.out().join("warc"), expected]).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains(&format!("{pages} of {pages} pages")), "{said}");
    for entry in fs::read_dir(runs.out().join("warc")).unwrap() {
        let check = ["-c", "from warcio.cli import main; main()", "check"];
        let done = Command::new(&python).args(check).arg(entry.unwrap().path()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    }
}

#[test]
fn pages_are_visited_again_however_much_the_crawl_has_left() {
    // What a visit finds is told to the plan long before the host's next request but three, also where a disk is slow.
    let latency = Duration::from_millis(40);
    let server = serve_with(&forum(700), ServerOptions { latency, ..ServerOptions::default() });
    let runs = Runs::of(&server, &["host.delay=0s", "host.delay_factor=0", "state.commit_every=5ms"]);
    let mut crawl = runs.crawl();
    crawl.args(["--requests", "150"]);
    succeed(crawl);
    let before = runs.lines().len();
    let waiting = sums(&runs.report()["fates"])["queued"];
    assert!(waiting > 100, "{waiting}");
    server.world().set_time(4 * DAY);
    let mut recrawl = runs.recrawl();
    recrawl.args(["--requests", "100", "--share", "1", "--set", "recrawl.recall=1", "--set", "recrawl.chance=0"]);
    succeed(recrawl);
    let lines = runs.lines();
    let asked = || lines[before..].iter().filter(|line| line.status.is_some());
    let (visits, all) = (asked().filter(|line| line.visit.is_some()).count(), asked().count());
    // Half of them, and those that are no deeper than what waits; fewer where this machine is slow to plan.
    eprintln!("{visits} visits of {all} requests");
    assert!(visits * 10 >= all * 3 && (all - visits) * 10 >= all, "{visits} of {all}");
}

#[test]
fn each_recrawl_knows_what_those_before_it_saw() {
    let server = changing(&forum(150), Validators::None);
    let runs = runs(&server);
    succeed(runs.crawl());
    let crawled = runs.lines().len();
    for round in 1..=3_u64 {
        server.world().set_time(round * 2 * DAY);
        let before = runs.lines();
        let mut recrawl = runs.recrawl();
        recrawl.args(["--share", "1", "--set", "recrawl.recall=1", "--set", "recrawl.chance=0"]);
        succeed(recrawl);
        check_account(&runs);
        // With no limit each page is visited, once.
        let lines = runs.lines();
        let known = urls(before.iter().filter(|line| line.fate == "fetched" || line.fate == "not_modified"));
        let visited = urls(lines[before.len()..].iter().filter(|line| line.visit.is_some()));
        assert_eq!(visited, known, "round {round}");
    }
    let lines = runs.lines();
    let first = &lines[0].url;
    let visits: Vec<_> = lines.iter().filter(|line| line.url == *first).map(|line| line.visit).collect();
    assert!(lines.len() > crawled * 3 && visits[..4] == [None, Some(2), Some(3), Some(4)], "{visits:?}");
    assert_eq!(runs.report()["recrawl"]["round"], 3);
}

#[test]
fn a_clock_and_a_token_on_each_page_are_no_changes() {
    let world = WorldOptions { noise: true, ..forum(400) };
    let server = changing(&world, Validators::None);
    let runs = runs(&server);
    succeed(runs.crawl());
    let before = runs.lines();
    server.world().set_time(20 * DAY);
    let changed = changed(&server, 0, &before);
    succeed(runs.recrawl());
    let lines = runs.lines();
    let visited = urls(&lines[before.len()..]);
    let found = changed.iter().filter(|url| visited.contains(url.as_str())).count();
    assert!(found * 2 >= changed.len(), "{found} of {}", changed.len());
    // Before it is known that each page has a clock, some seem to have changed.
    let told = lines[before.len()..].iter().filter(|line| line.visit == Some(2) && line.changed == Some(true));
    let wrongly = told.filter(|line| !changed.contains(&line.url)).count();
    assert!(wrongly * 4 <= visited.len(), "{wrongly} of {}", visited.len());
    for line in lines[before.len()..].iter().filter(|line| line.visit == Some(2)) {
        let content = line.difference.as_deref() == Some("content");
        assert!(content || line.difference.as_deref() == Some("numbers"), "{line:?}");
        // A list may differ in nothing but numbers of replies.
        assert!(!content || changed.contains(&line.url), "{}", line.url);
    }
}

#[test]
fn a_recrawl_that_is_killed_goes_on_and_visits_nothing_twice() {
    let server = serve_with(
        &forum(1_500),
        ServerOptions { validators: Validators::Etag, latency: Duration::from_millis(4), ..ServerOptions::default() },
    );
    let runs = runs(&server);
    succeed(runs.crawl());
    let before = runs.lines();
    server.world().set_time(20 * DAY);
    let changed = changed(&server, 0, &before);
    let mut found: Vec<usize> = (0..3).map(|_| found_with_kills(&runs.copied(), &before, &changed)).collect();
    found.sort_unstable();
    // What it had learned is not lost by a kill. Two threads hold a third of what has changed here: two recrawls of
    // some 150 came upon neither of them, one of them without a kill, so that one alone says little.
    assert!(found[1] * 5 >= changed.len() * 4, "{found:?} of {}", changed.len());
}

/// How many of the changed pages a recrawl finds that is killed four times.
fn found_with_kills(runs: &Runs, before: &[PageRecord], changed: &BTreeSet<String>) -> usize {
    for kill in 0..4 {
        let mut running = runs.start(if kill == 0 { runs.recrawl() } else { runs.resume() });
        let lines = runs.lines().len();
        let until = std::time::Instant::now() + Duration::from_secs(30);
        while runs.lines().len() < lines + 60 && running.try_wait().unwrap().is_none() {
            assert!(std::time::Instant::now() < until, "{}", runs.stderr());
            std::thread::sleep(Duration::from_millis(5));
        }
        running.kill().unwrap();
        running.wait().unwrap();
    }
    succeed(runs.resume());
    check_account(runs);
    let lines = runs.lines();
    let mut visits: BTreeMap<&str, u32> = BTreeMap::new();
    lines[before.len()..].iter().for_each(|line| *visits.entry(&line.url).or_default() += 1);
    let again: u32 = visits.values().map(|visits| visits - 1).sum();
    // A kill costs the leases at most, and a resumed run may ask for a page of each kind twice to tell noise from
    // changes.
    assert!(again <= 5 * 32, "{again}");
    let found = changed.iter().filter(|url| visits.contains_key(url.as_str())).count();
    eprintln!("{found} of {} changed pages with {} of {} visits", changed.len(), visits.len(), before.len());
    assert!(visits.len() * 2 < before.len(), "{} of {}", visits.len(), before.len());
    let figures = runs.report();
    assert_eq!(
        (figures["recrawl"]["round"].as_u64(), figures["stop_reason"].as_str()),
        (Some(1), Some("frontier_empty"))
    );
    found
}

#[test]
fn pages_that_are_gone_are_told_and_not_asked_for_again() {
    let server = serve(&WorldOptions { pages: 40, ..WorldOptions::default() }, Duration::ZERO);
    let runs = runs(&server);
    succeed(runs.crawl());
    // Another site at the same address: none of the pages but those that every site has is there.
    let addr = server.addr();
    server.stop().unwrap();
    let world = harvestman_world(&WorldOptions { pages: 40, ..WorldOptions::default() }, addr.port());
    let other = Server::start(world, addr, ServerOptions::default()).unwrap();
    let before = runs.lines().len();
    let all = |mut command: Command| {
        command.args(["--share", "1", "--set", "recrawl.recall=1", "--set", "recrawl.chance=0"]);
        succeed(command);
    };
    all(runs.recrawl());
    let gone = runs.report()["recrawl"]["gone"].as_u64().unwrap();
    let lines = runs.lines();
    let told = lines[before..].iter().filter(|line| line.visit.is_some() && line.status == Some(404)).count() as u64;
    assert!(gone > 20 && gone == told, "{gone} {told}");
    all(runs.recrawl());
    assert_eq!(runs.report()["recrawl"]["gone"], 0);
    drop(other);
}

fn harvestman_world(options: &WorldOptions, port: u16) -> std::sync::Arc<harvestman::sim::World> {
    let world = harvestman::sim::World::new(options, harvestman::seed::Seed(12)).unwrap();
    std::sync::Arc::new(world.with_port(port))
}

#[test]
fn what_cannot_be_visited_again_is_told() {
    let server = serve(&WorldOptions { pages: 30, ..WorldOptions::default() }, Duration::ZERO);
    let none = runs(&server);
    let refused = |runs: &Runs| {
        let output = output(runs.recrawl());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused(&none).contains("is not a crawl directory"));
    for (setting, said) in [("state.visits=false", "has no fetched page"), ("state.enabled=false", "visited again")] {
        let without = Runs::of(&server, &["host.delay=0s", setting]);
        succeed(without.crawl());
        let said_so = refused(&without);
        assert!(said_so.contains(said), "{said_so}");
    }
    let of_fleet = runs(&server);
    succeed(of_fleet.crawl());
    let mut recrawl = of_fleet.recrawl();
    recrawl.args(["--set", "fleet.servers=nats://127.0.0.1:1"]);
    let refused = output(recrawl);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("a fleet cannot be recrawled yet"), "{refused:?}");
    let mut help = harvestman("recrawl");
    help.arg("--help");
    let help = String::from_utf8(output(help).stdout).unwrap();
    assert!(help.contains("harvestman recrawl forum --requests 500"), "{help}");
}

/// The figures of a recrawl on each kind of site: of the pages that have changed, how many it asks for, with what share
/// of the requests that a full recrawl would take. `HARVESTMAN_RECRAWL_PAGES` sets the size of the sites (700: half a
/// minute), and what is printed is for people; `HARVESTMAN_RECRAWL_ROUNDS` how often each is recrawled, with three days
/// between.
#[test]
fn most_changes_are_found_with_two_fifths_of_the_requests_on_every_kind_of_site() {
    let set = |name: &str, default| std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default);
    let (pages, rounds) = (set("HARVESTMAN_RECRAWL_PAGES", 700), set("HARVESTMAN_RECRAWL_ROUNDS", 1));
    let (mut found_in_all, mut changed_in_all) = (0, 0);
    for (family, hosts) in [(Family::Forum, 1), (Family::Qa, 1), (Family::Media, 1), (Family::Blogs, 10)] {
        let world = WorldOptions {
            pages,
            hosts,
            families: vec![family],
            changes: true,
            session_ids: true,
            ..WorldOptions::default()
        };
        let server = changing(&world, Validators::Etag);
        let runs = runs(&server);
        succeed(runs.crawl());
        let full = server.log().requests();
        for round in 1..=rounds {
            let (before, since) = (runs.lines(), server.world().time());
            server.world().set_time(round * 3 * DAY);
            let changed = changed(&server, since, &before);
            let requests = server.log().requests();
            succeed(runs.recrawl());
            let requests = server.log().requests() - requests;
            let lines = runs.lines();
            let visited = urls(&lines[before.len()..]);
            let found = changed.iter().filter(|url| visited.contains(url.as_str())).count();
            let (share, recall) = (requests as f64 / full as f64, found as f64 / changed.len().max(1) as f64);
            eprintln!(
                "{family:<6} recrawl {round}: {found} of {} changed pages ({:.1} %) with {requests} of {full} requests ({:.1} %)",
                changed.len(),
                100.0 * recall,
                100.0 * share
            );
            assert!(share <= 0.4, "{family}: {share}");
            found_in_all += found;
            changed_in_all += changed.len();
        }
    }
    let recall = found_in_all as f64 / changed_in_all as f64;
    eprintln!("all: {found_in_all} of {changed_in_all} ({:.1} %)", 100.0 * recall);
    // Less than what larger sites show: of so few pages some are missed by chance.
    assert!(recall >= 0.75, "{recall}");
}
