//! `harvestman export text` of a real crawl of simulated blogs, and of WARC files as other tools write them.
#![allow(clippy::unwrap_used, reason = "the helpers belong to the tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn export(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HARVESTMAN_") {
            command.env_remove(name);
        }
    }
    command.args(["export", "text"]).args(args).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[cfg(not(feature = "text"))]
#[test]
fn without_the_feature_the_error_names_it() {
    let output = export(&["any", "--out", path(Path::new("-"))]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("--features text"), "{}", stderr(&output));
    assert!(fs::metadata("any").is_err());
}

#[cfg(feature = "text")]
mod with_text {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use harvestman::archive::reader::{Limits, WarcReader};
    use harvestman::seed::Seed;
    use harvestman::sim::{Server, ServerOptions, World, WorldOptions};
    use serde_json::Value;

    use super::*;

    fn succeed(output: Output) -> Output {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        output
    }

    fn lines(text: &[u8]) -> Vec<Value> {
        let text = std::str::from_utf8(text).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn crawl(out: &Path) {
        let options = WorldOptions { pages: 120, hosts: 6, non_html: true, ..WorldOptions::default() };
        let world = Arc::new(World::new(&options, Seed(5)).unwrap());
        let server = Server::start(world, "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
        command.args(["crawl", "--quiet", "--out"]).arg(out).args(server.world().seeds());
        for setting in
            ["scope.hosts=*.localhost", "fetch.private_addresses=true", "host.delay=0s", "host.delay_factor=0"]
        {
            command.args(["--set", setting]);
        }
        succeed(command.output().unwrap());
    }

    /// Returns the content of the response at an offset.
    fn response_at(file: &Path, offset: u64) -> String {
        let mut reader = WarcReader::new(fs::File::open(file).unwrap(), Limits::default());
        while let Some(mut record) = reader.next_record().unwrap() {
            if record.offset() == offset {
                assert_eq!(record.record_type(), "response");
                let mut block = Vec::new();
                record.read_block(&mut block, 1 << 30).unwrap();
                return String::from_utf8_lossy(&block).into_owned();
            }
            record.end().unwrap();
        }
        panic!("no record at {offset}")
    }

    #[test]
    fn a_crawl_is_exported_with_the_places_of_its_pages() {
        let root = tempfile::tempdir().unwrap();
        let crawl_dir = root.path().join("crawl");
        crawl(&crawl_dir);
        let output = succeed(export(&[path(&crawl_dir)]));
        let texts = lines(&fs::read(crawl_dir.join("text.jsonl")).unwrap());
        let log = lines(&fs::read(crawl_dir.join("pages.jsonl")).unwrap());
        let is_html =
            |line: &&Value| line["status"] == 200 && line["content_type"].as_str().unwrap().starts_with("text/html");
        let place = |line: &Value| (line["warc_file"].to_string(), line["warc_offset"].as_u64().unwrap());
        let logged: BTreeMap<_, _> = log.iter().filter(is_html).map(|line| (place(line), line)).collect();
        assert!(
            texts.len() > 80 && texts.len() <= logged.len(),
            "{} of {}: {}",
            texts.len(),
            logged.len(),
            stderr(&output)
        );
        let skipped = logged.len() - texts.len();
        assert!(skipped == 0 || stderr(&output).contains(&format!("skipped: {skipped}")), "{}", stderr(&output));
        let mut with_content = 0;
        for text in &texts {
            let line = logged[&place(text)];
            assert_eq!((&text["url"], &text["crawl_time"]), (&line["url"], &line["time"]));
            let title = text["title"].as_str().unwrap();
            assert!(line["title"].as_str().unwrap().contains(title), "{title}: {line}");
            let (file, offset) = (text["warc_file"].as_str().unwrap(), text["warc_offset"].as_u64().unwrap());
            let page = response_at(&crawl_dir.join(file), offset);
            let Some((_, content)) = page.split_once("<div class=\"entry-content\"><p>") else { continue };
            let (content, _) = content.split_once("</p></div>").unwrap();
            assert_eq!(text["text"].as_str().unwrap(), content.split_whitespace().collect::<Vec<_>>().join(" "));
            with_content += 1;
        }
        assert!(with_content > 5, "{with_content} posts");

        let again = export(&[path(&crawl_dir)]);
        assert!(again.status.code() == Some(2) && stderr(&again).contains("--force"), "{}", stderr(&again));
        succeed(export(&[path(&crawl_dir), "--force", "--quiet"]));
    }

    fn response(url: &str, time: &str, body: &str) -> String {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
        let length = block.len();
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <{url}>\r\nWARC-Date: {time}\r\n\
             Content-Type: application/http\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    }

    fn page(text: &str) -> String {
        format!(
            "<title>On light – Site</title><meta name=author content='Nora Lind'><nav>Menu</nav><article><h1>On light</h1>\
             <time datetime='2024-05-06T07:08:09+02:00'>then</time><div class=e-content><p>{text}</p>\
             <p>See <a href=/b>this</a>.</p></div></article>"
        )
    }

    /// A file with two visits to a page, a page without text, and one that is nested too deep.
    fn recording() -> String {
        [
            response("http://h.test/a", "2026-01-02T03:04:05Z", &page("old text")),
            response("http://h.test/none", "2026-01-02T03:04:05Z", "<title>x</title>"),
            response("http://h.test/deep", "2026-01-02T03:04:05Z", &"<div>".repeat(200_000)),
            response("http://h.test/a", "2026-02-02T03:04:05Z", &page("new text")),
        ]
        .concat()
    }

    #[test]
    fn files_of_other_tools_are_exported_as_json_lines() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a.warc");
        fs::write(&file, recording()).unwrap();
        let unnamed = export(&[path(&file)]);
        assert!(unnamed.status.code() == Some(2) && stderr(&unnamed).contains("--out"), "{}", stderr(&unnamed));
        let output = succeed(export(&[path(&file), "--out", "-"]));
        let what = "standard output: 2 pages; skipped: 1 without main text, 1 too large or nested too deep";
        assert!(stderr(&output).contains(what), "{}", stderr(&output));
        let texts = lines(&output.stdout);
        let expected = serde_json::json!({
            "url": "http://h.test/a", "title": "On light", "author": "Nora Lind", "time": "2024-05-06T05:08:09Z",
            "text": "old text\n\nSee this.", "markdown": "old text\n\nSee [this](http://h.test/b).",
            "warc_file": path(&file), "warc_offset": 0, "crawl_time": "2026-01-02T03:04:05Z",
        });
        assert_eq!(texts[0], expected);
        assert_eq!(texts[1]["text"], "new text\n\nSee this.");
    }

    #[test]
    fn markdown_files_have_the_newest_visit() {
        let root = tempfile::tempdir().unwrap();
        let (file, out) = (root.path().join("a.warc"), root.path().join("notes"));
        fs::write(&file, recording()).unwrap();
        let args = [path(&file), "--format", "markdown", "--out", path(&out)];
        succeed(export(&args));
        let files: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(
            files.len() == 1 && files[0].file_name().unwrap().to_str().unwrap().starts_with("h-test-a-"),
            "{files:?}"
        );
        let text = fs::read_to_string(&files[0]).unwrap();
        assert!(text.starts_with("---\ntitle: \"On light\"\nauthor: \"Nora Lind\"\n"), "{text}");
        assert!(text.ends_with("\n---\n\nnew text\n\nSee [this](http://h.test/b).\n"), "{text}");

        let again = export(&args);
        assert!(again.status.code() == Some(2) && stderr(&again).contains("is not empty"), "{}", stderr(&again));
        succeed(export(&[&args[..], &["--force"]].concat()));
        for (out, part) in [("-", "name a directory"), (path(&file), "is not a directory")] {
            let refused = export(&[path(&file), "--format", "markdown", "--out", out]);
            assert!(refused.status.code() == Some(2) && stderr(&refused).contains(part), "{}", stderr(&refused));
        }
    }

    #[test]
    fn a_torn_file_is_exported_up_to_the_damage_and_an_open_one_is_skipped() {
        let root = tempfile::tempdir().unwrap();
        let whole = recording();
        fs::write(root.path().join("a.warc"), &whole[..whole.len() - 30]).unwrap();
        fs::write(root.path().join("b.warc.open"), &whole).unwrap();
        let output = export(&[path(root.path())]);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains("b.warc.open is still being written") && told.contains("1 of 1 files"), "{told}");
        assert_eq!(lines(&fs::read(root.path().join("text.jsonl")).unwrap()).len(), 1);
        let none = export(&[path(&root.path().join("missing"))]);
        assert!(none.status.code() == Some(2) && stderr(&none).contains("does not exist"), "{}", stderr(&none));
    }
}
