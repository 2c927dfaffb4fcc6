//! `harvestman export` of a real crawl and recrawl of a simulated site, as users and other tools see the result.
//!
//! Comparisons with pywb need a Python with it, given by `HARVESTMAN_PYTHON`. Without it they are skipped, or fail if
//! `HARVESTMAN_REQUIRE_PYTHON=1`.
#![allow(clippy::unwrap_used, reason = "the helpers belong to the tests")]

#[path = "export/wacz.rs"]
mod wacz;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, LazyLock};

use harvestman::archive::reader::{Limits, WarcReader};
use harvestman::seed::Seed;
use harvestman::sim::{Server, ServerOptions, Validators, World, WorldOptions};
use serde_json::Value;

const DAY: u64 = 86_400;
const INDEXER: &str = "from pywb.indexer.cdxindexer import main; main()";

fn harvestman<I: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = I>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HARVESTMAN_") {
            command.env_remove(name);
        }
    }
    command.args(args).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn export(what: &str, input: &Path, more: &[&str]) -> Output {
    harvestman(
        ["export", what].map(PathBuf::from).into_iter().chain([input.to_owned()]).chain(more.iter().map(PathBuf::from)),
    )
}

fn succeed(output: Output) -> Output {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

/// A crawl with links, a recrawl after changes, and a recrawl without changes.
static CRAWLED: LazyLock<PathBuf> = LazyLock::new(|| {
    // Statics are not dropped, so the next run removes it.
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    for (name, validators, compress) in [("gzip", Validators::Etag, "true"), ("plain", Validators::Ignored, "false")] {
        let options = WorldOptions { pages: 150, hosts: 6, changes: true, non_html: true, ..WorldOptions::default() };
        let world = Arc::new(World::new(&options, Seed(11)).unwrap());
        let server_options = ServerOptions { validators, ..ServerOptions::default() };
        let server = Server::start(world, "127.0.0.1:0".parse().unwrap(), server_options).unwrap();
        let out = dir.join(name);
        let mut args = vec!["crawl".to_owned(), "--out".to_owned(), out.display().to_string(), "--quiet".to_owned()];
        args.extend(server.world().seeds());
        args.extend(["--policy", "ucc"].map(str::to_owned));
        let compress = format!("archive.compress={compress}");
        for setting in [
            "scope.hosts=*.localhost",
            "fetch.private_addresses=true",
            "host.delay=0s",
            "host.delay_factor=0",
            "archive.links=true",
            "archive.file_size_max=256KiB",
            &compress,
        ] {
            args.extend(["--set".to_owned(), setting.to_owned()]);
        }
        succeed(harvestman(&args));
        for day in [DAY, DAY] {
            server.world().set_time(day);
            succeed(harvestman(["recrawl".as_ref(), out.as_os_str(), "--quiet".as_ref()]));
        }
    }
    dir
});

fn crawled(name: &str) -> PathBuf {
    CRAWLED.join(name)
}

fn warcs(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory.join("warc")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Creates the index of a directory.
fn index(directory: &Path, more: &[&str]) -> String {
    let output = succeed(export("cdxj", directory, &[&["--out", "-"], more].concat()));
    String::from_utf8(output.stdout).unwrap()
}

fn fields(line: &str) -> Value {
    serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap()
}

#[test]
fn the_index_of_several_directories_has_their_sorted_lines_and_file_paths() {
    let root = crawled("").canonicalize().unwrap();
    let directories = ["gzip", "plain"].map(|name| root.join(name));
    // The reference puts the names into the lines of each index, and sorts them all.
    let relative = |name: &str, line: &str| {
        let bare = fields(line)["filename"].as_str().unwrap().to_owned();
        line.replace(&format!("\"filename\": \"{bare}\""), &format!("\"filename\": \"{name}/warc/{bare}\""))
    };
    let of = |name: &str, directory: &Path| {
        index(directory, &[]).lines().map(|line| relative(name, line)).collect::<Vec<String>>()
    };
    let mut twin = [of("gzip", &directories[0]), of("plain", &directories[1])].concat();
    twin.sort();
    let both = |more: &[&str]| {
        let more = [&[directories[1].to_str().unwrap(), "--out", "-"], more].concat();
        String::from_utf8(succeed(export("cdxj", &directories[0], &more)).stdout).unwrap()
    };
    let named = both(&["--relative-to", root.to_str().unwrap()]);
    assert_eq!(named.lines().collect::<Vec<_>>(), twin);
    // Little memory changes nothing.
    assert_eq!(both(&["--relative-to", root.to_str().unwrap(), "--memory", "2KiB"]), named);
    for line in named.lines() {
        let fields = fields(line);
        let number = |name: &str| fields[name].as_str().unwrap().parse::<u64>().unwrap();
        let file = root.join(fields["filename"].as_str().unwrap());
        assert!(number("offset") + number("length") <= fs::metadata(file).unwrap().len(), "{line}");
    }
    let bare = both(&[]);
    assert!(bare.lines().is_sorted() && bare.lines().count() == twin.len() && !bare.contains("/warc/"), "bare names");
    let twice = export("cdxj", &directories[0], &[directories[0].to_str().unwrap(), "--out", "-"]);
    assert!(twice.status.code() == Some(2) && stderr(&twice).contains("given twice"), "{}", stderr(&twice));
}

/// Returns the index that pywb's own indexer creates for the WARC files below `directory`; `None` without pywb.
fn by_pywb(directory: &Path) -> Option<String> {
    let Some(python) = std::env::var_os("HARVESTMAN_PYTHON") else {
        assert!(std::env::var("HARVESTMAN_REQUIRE_PYTHON").is_err(), "HARVESTMAN_PYTHON is not set");
        eprintln!("pywb's indexer is skipped: HARVESTMAN_PYTHON is not set");
        return None;
    };
    let output = Command::new(python).args(["-c", INDEXER, "-s", "-j"]).arg(directory).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    Some(String::from_utf8(output.stdout).unwrap())
}

fn assert_same_lines(ours: &str, theirs: &str) {
    let (mut ours, mut theirs) = (ours.lines(), theirs.lines());
    loop {
        let (one, other) = (ours.next(), theirs.next());
        assert_eq!(one, other);
        if one.is_none() {
            return;
        }
    }
}

#[test]
fn the_index_has_one_line_per_capture_and_equals_that_of_pywb() {
    for name in ["gzip", "plain"] {
        let directory = crawled(name);
        let text = index(&directory, &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.is_sorted(), "the order is that of bytes");
        let (mut captures, mut revisits) = (0, 0);
        for path in warcs(&directory) {
            let mut reader = WarcReader::new(fs::File::open(path).unwrap(), Limits::default());
            while let Some(record) = reader.next_record().unwrap() {
                captures += u32::from(["response", "revisit"].contains(&record.record_type()));
                revisits += u32::from(record.record_type() == "revisit");
            }
        }
        let is_revisit = |line: &&&str| fields(line)["mime"] == "warc/revisit";
        assert!(revisits > 10 && warcs(&directory).len() > 2, "{name}: {revisits} revisits");
        assert_eq!(lines.len() as u32, captures, "{name}");
        assert_eq!(lines.iter().filter(is_revisit).count() as u32, revisits, "{name}");
        if let Some(theirs) = by_pywb(&directory.join("warc")) {
            assert_same_lines(&text, &theirs);
        }
    }
}

/// Returns records as other tools write them, and unusual ones.
fn odd_records() -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    let mut add = |kind: &str, url: &str, fields: &str, block: &str| {
        let head = format!("WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{}>\r\n", records.len());
        let date = format!("WARC-Date: 2026-01-02T03:04:{:02}.123Z\r\n", records.len());
        let url = format!("WARC-Target-URI: {url}\r\n{fields}");
        records.push(format!("{head}{date}{url}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).into_bytes());
    };
    let ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\nbody";
    let http = "Content-Type: application/http; msgtype=response\r\n";
    for url in [
        "http://site.test/",
        "https://site.test/",
        "https://www.site.test:443/",
        "http://site.test:8080/",
        "http://user:secret@site.test/a",
        "<http://site.test/wget>",
        "http://site.test/ü/日本?q=Straße&a=1",
        "http://bücher.test/",
        "http://xn--bcher-kva.test/%C3%BC",
        "http://site.test/a b",
        "http://127.0.0.1:81/x",
        "http://[::1]/x",
        "http://site.test/?sid=0123456789abcdef0123456789abcdef&z=\"quoted\"",
    ] {
        add("response", url, http, ok);
    }
    let digest = "WARC-Payload-Digest: sha1:AIED6RLZ4CFGCJBFYDA2C7XEPLOXQO4U\r\n";
    add("revisit", "http://site.test/", &format!("{http}{digest}"), "HTTP/1.1 304 Not Modified\r\n\r\n");
    add("revisit", "http://site.test/", &format!("{http}{digest}"), "");
    add("response", "http://site.test/", &format!("{http}WARC-Payload-Digest: sha256:AB\r\n"), ok);
    add("response", "http://site.test/robots.txt", http, "HTTP/1.1 404 Not Found\r\n\r\n");
    add("response", "http://site.test/304", http, "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n");
    add("response", "http://site.test/empty", http, "");
    add("response", "http://site.test/nothing", http, "HTTP/1.1 - \r\n\r\n");
    add("response", "http://site.test/lf", http, "HTTP/1.0 200\nContent-type:image/png\n\nbody");
    add("response", "dns:site.test", "Content-Type: text/dns\r\n", "site.test 1.2.3.4");
    add("resource", "urn:thing:A", "Content-Type: text/plain; a=b\r\n", "body");
    add(
        "resource",
        "http://site.test/r",
        "Content-Type: image/png\r\nWARC-Identified-Payload-Type: image/x\r\n",
        "body",
    );
    add("metadata", "http://site.test/", "Content-Type: application/warc-fields\r\n", "a: b\r\n");
    add("metadata", "http://site.test/", "Content-Type: text/anvl\r\n", "a: b\r\n");
    add("metadata", "http://site.test/m", "Content-Type: application/json\r\n", "{}");
    add("conversion", "http://site.test/c", "Content-Type: text/plain\r\n", "body");
    add("request", "http://site.test/", "Content-Type: application/http\r\n", "POST / HTTP/1.1\r\n\r\na=b");
    records
}

#[test]
fn records_of_other_tools_are_indexed_as_pywb_does() {
    let directory = tempfile::tempdir().unwrap();
    let records = odd_records();
    fs::write(directory.path().join("plain.warc"), records.concat()).unwrap();
    let member = |record: &Vec<u8>| {
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        member.write_all(record).unwrap();
        member.finish().unwrap()
    };
    fs::write(directory.path().join("gzip.warc.gz"), records.iter().flat_map(member).collect::<Vec<u8>>()).unwrap();
    let text = index(directory.path(), &[]);
    assert_eq!(text.lines().count(), 2 * 25);
    let key = |key: &str| text.lines().filter(|line| line.split(' ').next() == Some(key)).count();
    assert_eq!(key("test,site)/"), 2 * 6, "http, https and www are one");
    assert_eq!((key("test,site:8080)/"), key("test,site)/a"), key("test,xn--bcher-kva)/")), (2, 2, 2));
    if let Some(theirs) = by_pywb(directory.path()) {
        assert_same_lines(&text, &theirs);
    }
}

#[test]
fn sorting_on_disk_equals_sorting_in_memory() {
    let directory = crawled("gzip");
    assert_eq!(index(&directory, &["--memory", "3KiB"]), index(&directory, &[]));
}

#[test]
fn a_file_is_replaced_only_with_force() {
    let (directory, dir) = (crawled("gzip"), tempfile::tempdir().unwrap());
    let path = dir.path().join("x.cdxj");
    let out = path.to_str().unwrap();
    fs::write(&path, "mine").unwrap();
    let refused = export("cdxj", &directory, &["--out", out]);
    assert!(refused.status.code() == Some(2) && stderr(&refused).contains("--force"), "{}", stderr(&refused));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    let forced = succeed(export("cdxj", &directory, &["--out", out, "--force"]));
    assert!(stderr(&forced).contains("captures of"), "{}", stderr(&forced));
    assert_eq!(fs::read_to_string(&path).unwrap(), index(&directory, &[]));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    let quiet = succeed(export("cdxj", &directory, &["--out", out, "--force", "--quiet"]));
    assert_eq!(stderr(&quiet), "");
    let nowhere = export("cdxj", &directory, &["--out", "/nonexistent/x.cdxj"]);
    assert_eq!(nowhere.status.code(), Some(2), "{}", stderr(&nowhere));
}

#[test]
fn devices_and_links_are_written_to_and_not_replaced() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    let (directory, dir) = (crawled("gzip"), tempfile::tempdir().unwrap());
    let at = |name: &str| dir.path().join(name);
    // Through a link: a faulty program would replace the link, not the device of the machine.
    symlink("/dev/full", at("full")).unwrap();
    let full = export("cdxj", &directory, &["--out", at("full").to_str().unwrap(), "--force"]);
    assert!(full.status.code() == Some(4) && stderr(&full).contains("/dev/full"), "{}", stderr(&full));
    assert!(fs::metadata(at("full")).unwrap().file_type().is_char_device());
    fs::write(at("file"), "old").unwrap();
    symlink("file", at("link")).unwrap();
    succeed(export("cdxj", &directory, &["--out", at("link").to_str().unwrap(), "--force"]));
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(at("file")).unwrap(), index(&directory, &[]));
}

#[test]
fn a_torn_file_is_indexed_up_to_the_damage_and_an_open_one_is_skipped() {
    let (whole, dir) = (crawled("gzip"), tempfile::tempdir().unwrap());
    let files = warcs(&whole);
    fs::create_dir(dir.path().join("warc")).unwrap();
    let copy = |from: &Path, suffix: &str, length: &dyn Fn(&[u8]) -> usize| {
        let name = from.file_name().unwrap().to_str().unwrap().to_owned() + suffix;
        let bytes = fs::read(from).unwrap();
        fs::write(dir.path().join("warc").join(name), &bytes[..length(&bytes)]).unwrap();
    };
    // Within the head of a record: half of the file may end where a record does.
    let torn =
        |bytes: &[u8]| 5 + bytes[..bytes.len() / 2].windows(3).rposition(|head| head == [0x1f, 0x8b, 8]).unwrap();
    copy(&files[0], "", &<[u8]>::len);
    copy(&files[1], "", &torn);
    copy(&files[2], ".open", &<[u8]>::len);
    let output = export("cdxj", dir.path(), &[]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in
        ["killed: skipped", "records before it are indexed", "1 of 2 WARC files could not be indexed completely"]
    {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let of_file =
        |text: &str, file: usize| text.lines().filter(|line| fields(line)["filename"] == name(&files[file])).count();
    let (all, made) = (index(&whole, &[]), fs::read_to_string(dir.path().join("index.cdxj")).unwrap());
    assert_eq!(of_file(&made, 0), of_file(&all, 0));
    assert!((1..of_file(&all, 1)).contains(&of_file(&made, 1)));
    assert_eq!(of_file(&made, 2), 0);
}

#[test]
fn without_anything_to_export_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let empty = export("cdxj", dir.path(), &[]);
    assert!(empty.status.code() == Some(1) && stderr(&empty).contains("no closed WARC file"), "{}", stderr(&empty));
    let missing = export("cdxj", &dir.path().join("x"), &[]);
    assert!(missing.status.code() == Some(2) && stderr(&missing).contains("does not exist"), "{}", stderr(&missing));
    let site = export("site", dir.path(), &[]);
    assert!(site.status.code() == Some(1) && stderr(&site).contains("no site model"), "{}", stderr(&site));
    let unnamed = export("cdxj", &warcs(&crawled("gzip"))[0], &[]);
    assert!(unnamed.status.code() == Some(2) && stderr(&unnamed).contains("--out"), "{}", stderr(&unnamed));
    for what in ["pages", "links"] {
        assert_ne!(export(what, dir.path(), &[]).status.code(), Some(0));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn the_site_is_exported_from_a_crawl_directory_or_its_model() {
    let directory = crawled("gzip");
    let model = directory.join("site-model.json.gz");
    let by = |path: &Path, format: &str| {
        let shown = succeed(harvestman([
            "inspect".as_ref(),
            "site".as_ref(),
            path.as_os_str(),
            "--format".as_ref(),
            format.as_ref(),
        ]));
        String::from_utf8(shown.stdout).unwrap()
    };
    assert_eq!(by(&directory, "json"), by(&model, "json"));
    let facts: Value = serde_json::from_str(&by(&directory, "json")).unwrap();
    let clusters = facts["clusters"].as_array().unwrap().len();
    assert!(clusters > 3, "{clusters}");
    for format in ["graphml", "dot", "json"] {
        let exported = succeed(export("site", &directory, &["--format", format, "--out", "-"]));
        assert_eq!(String::from_utf8(exported.stdout).unwrap(), by(&model, format));
    }
    assert_eq!(by(&directory, "graphml").matches("<node ").count(), clusters);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_parquet_the_error_names_the_feature() {
    let output = export("pages", &crawled("gzip"), &[]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("--features parquet"), "{}", stderr(&output));
}

#[cfg(feature = "parquet")]
#[test]
fn a_table_has_one_row_per_line_and_damage_is_reported() {
    let (directory, dir) = (crawled("gzip"), tempfile::tempdir().unwrap());
    fs::copy(directory.join("pages.jsonl"), dir.path().join("pages.jsonl")).unwrap();
    let lines = fs::read_to_string(dir.path().join("pages.jsonl")).unwrap().lines().count();
    let rows = |output: &Output| stderr(output).contains(&format!("pages.parquet: {lines} rows"));
    let output = succeed(export("pages", dir.path(), &[]));
    assert!(rows(&output), "{}", stderr(&output));
    assert!(fs::read(dir.path().join("pages.parquet")).unwrap().ends_with(b"PAR1"));
    let mut log = fs::File::options().append(true).open(dir.path().join("pages.jsonl")).unwrap();
    log.write_all(b"nonsense\n{\"url\":\"http://").unwrap();
    let output = succeed(export("pages", dir.path(), &["--force"]));
    let said = stderr(&output);
    let line = format!("1 damaged lines were skipped, the first is line {}", lines + 1);
    assert!(rows(&output) && said.contains(&line) && said.contains("ends within a line"), "{said}");
    let links = succeed(export("links", &directory, &["--out", "-"]));
    assert!(links.stdout.starts_with(b"PAR1") && links.stdout.ends_with(b"PAR1"));
    let none = export("links", dir.path(), &[]);
    assert!(none.status.code() == Some(1) && stderr(&none).contains("archive.links=true"), "{}", stderr(&none));
}
