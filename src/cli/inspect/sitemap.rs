//! `harvestman inspect sitemap`: lists the URLs of a sitemap or feed.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer_lines;
use harvestman_core::config::RobotsOptions;
use harvestman_report::terminal;
use harvestman_stages::host::sitemap::{SitemapContents, SitemapLimits, parse};

/// List the URLs of a sitemap, sitemap index, feed or list of URLs
///
/// Without FILE, answers JSON lines on standard input, `{id, path, url, content_type}`, each with `{id, urls,
/// sitemaps}` or `{id, error}`.
#[derive(Debug, Clone, Args)]
pub struct SitemapArgs {
    /// Document to read, compressed or not; `-` for standard input
    pub file: Option<PathBuf>,
    /// URL of the document, for resolving relative URLs
    #[arg(long, default_value = "", requires = "file")]
    pub url: String,
    /// Content-Type header of the document
    #[arg(long, requires = "file")]
    pub content_type: Option<String>,
}

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    path: PathBuf,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    content_type: Option<String>,
}

/// Runs the command.
pub fn run(args: SitemapArgs) -> anyhow::Result<()> {
    let mut output = terminal::stdout();
    let Some(file) = &args.file else {
        return Ok(answer_lines(io::stdin().lock(), output, answer)?);
    };
    let contents = if file.as_os_str() == "-" {
        let mut input = io::stdin().lock();
        if input.fill_buf()?.trim_ascii_start().starts_with(b"{") {
            return Ok(answer_lines(input, output, answer)?);
        }
        read(input, &args.url, args.content_type.as_deref())?
    } else {
        open(file, &args.url, args.content_type.as_deref())?
    };
    describe(&contents, &mut output)
}

fn answer(question: Question) -> Value {
    match open(&question.path, question.url.as_deref().unwrap_or_default(), question.content_type.as_deref()) {
        Ok(contents) => json!({"id": question.id, "urls": contents.urls, "sitemaps": contents.sitemaps}),
        Err(error) => json!({"id": question.id, "error": format!("{error:#}")}),
    }
}

fn open(path: &Path, url: &str, content_type: Option<&str>) -> anyhow::Result<SitemapContents> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    read(file, url, content_type).with_context(|| format!("cannot use {}", path.display()))
}

fn read(input: impl Read, url: &str, content_type: Option<&str>) -> anyhow::Result<SitemapContents> {
    let limits = SitemapLimits::from(&RobotsOptions::default());
    let mut bytes = Vec::new();
    // One byte more than the limit lets the parser detect a longer document.
    input.take(limits.bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(parse(&bytes, url, content_type, limits)?)
}

fn describe(contents: &SitemapContents, output: &mut impl Write) -> anyhow::Result<()> {
    for sitemap in &contents.sitemaps {
        writeln!(output, "sitemap  {sitemap}")?;
    }
    for url in &contents.urls {
        writeln!(output, "page     {url}")?;
    }
    if contents.dropped > 0 {
        writeln!(output, "note     {} entries skipped: not an http URL, too long, or too many", contents.dropped)?;
    }
    if let Some(first) = &contents.first_unreadable {
        writeln!(
            output,
            "note     {} of them have an entity that is not expanded, such as {}",
            contents.unreadable,
            super::printable(first)
        )?;
    }
    if contents.cut {
        writeln!(output, "note     the document is broken or too long; the remainder was not read")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(path: &Path) -> Value {
        answer(
            serde_json::from_value(json!({"id": 7, "path": path, "url": "http://h/s.xml", "content_type": null}))
                .unwrap(),
        )
    }

    #[test]
    fn a_question_is_answered_from_the_file_it_names() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.xml");
        std::fs::write(&path, "<urlset><url><loc>/1</loc></url></urlset>").unwrap();
        assert_eq!(ask(&path), json!({"id": 7, "urls": ["http://h/1"], "sitemaps": []}));
    }

    #[test]
    fn missing_files_and_other_documents_are_answered_with_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.xml");
        assert!(ask(&path)["error"].as_str().unwrap().contains("cannot open"));
        std::fs::write(&path, "<html></html>").unwrap();
        let answer = ask(&path);
        assert_eq!(answer["id"], 7);
        assert!(answer["error"].as_str().unwrap().contains("HTML page"), "{answer}");
    }

    #[test]
    fn the_listing_shows_pages_sitemaps_and_omissions() {
        let contents = SitemapContents {
            urls: vec!["http://h/1".into()],
            lastmods: vec![None],
            sitemaps: vec!["http://h/2.xml".into()],
            dropped: 3,
            unreadable: 1,
            first_unreadable: Some("http://h/&x;".into()),
            cut: true,
        };
        let mut output = Vec::new();
        describe(&contents, &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        assert!(text.contains("page     http://h/1\n") && text.contains("sitemap  http://h/2.xml\n"));
        assert!(text.contains("1 of them") && text.contains("http://h/&x;"));
        assert!(text.contains("3 entries") && text.contains("broken or too long"));
    }
}
