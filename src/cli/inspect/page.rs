//! `harvestman inspect page`: the links and leaf paths of a page.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{answer_lines, printable};
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{LinkKind, ParsedPage, RawLink};
use harvestman_report::terminal;
use harvestman_structure::parse::{Parser, Spelling};

/// Maximum number of links listed per group.
const SAMPLES: usize = 3;
/// Maximum number of leaf paths listed, the most frequent first.
const PATHS_SHOWN: usize = 20;

/// Show the links of a page by position (Apath), and its leaf paths.
#[derive(Debug, clap::Args)]
pub struct PageArgs {
    /// HTML file, or `-` for standard input. Without FILE, questions are read from standard input, one JSON object per
    /// line: {id, html_b64, content_type?, url?}; each is answered with one line
    file: Option<PathBuf>,
    /// URL of the page, to resolve its links
    #[arg(long, value_name = "URL")]
    url: Option<url::Url>,
    /// Content-Type header of the page, which may contain the charset
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// Print one JSON object instead of a listing
    #[arg(long)]
    json: bool,
}

/// A question on standard input.
#[derive(Debug, Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    html_b64: String,
    content_type: Option<String>,
    url: Option<String>,
}

#[derive(Debug, Serialize)]
struct Link<'p> {
    apath: &'p str,
    href: &'p str,
    kind: &'static str,
    nofollow: bool,
    /// The resolved URL, if the URL of the page is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// Runs the subcommand.
pub fn run(args: &PageArgs) -> anyhow::Result<()> {
    let mut output = terminal::stdout();
    let Some(file) = &args.file else {
        answer_lines(io::stdin().lock(), output, |question| answer(&question))?;
        return Ok(());
    };
    let html = read(file)?;
    let page = parse(&html, args.content_type.as_deref());
    if args.json {
        serde_json::to_writer(&mut output, &to_json(&page, args.url.as_ref()))?;
        writeln!(output)?;
    } else {
        listing(&page, args.url.as_ref(), &mut output)?;
    }
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    if file == Path::new("-") {
        let mut html = Vec::new();
        io::stdin().lock().read_to_end(&mut html).context("cannot read the page from standard input")?;
        return Ok(html);
    }
    std::fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))
}

fn parse(html: &[u8], content_type: Option<&str>) -> ParsedPage {
    Parser::with_spelling(&ParseOptions::default(), Spelling::On).parse(html, content_type)
}

fn answer(question: &Question) -> Value {
    let id = &question.id;
    let Ok(html) = BASE64.decode(question.html_b64.as_bytes()) else {
        return json!({"id": id, "error": "html_b64 is not base64"});
    };
    let url = match question.url.as_deref().map(url::Url::parse).transpose() {
        Ok(url) => url,
        Err(error) => return json!({"id": id, "error": format!("url is not a URL: {error}")}),
    };
    let mut answer = to_json(&parse(&html, question.content_type.as_deref()), url.as_ref());
    answer["id"] = id.clone();
    answer
}

fn to_json(page: &ParsedPage, url: Option<&url::Url>) -> Value {
    let base = base_of(page, url);
    let mut links: Vec<(&RawLink, Link<'_>)> = Vec::new();
    for group in &page.groups {
        let apath = group.apath_text.as_deref().unwrap_or_default();
        links.extend(group.links.iter().map(|link| (link, describe(page, link, apath, base.as_ref()))));
    }
    // Sort in page order; the groups are ordered by their first links.
    links.sort_by_key(|(link, _)| link.start);
    let links: Vec<Link<'_>> = links.into_iter().map(|(_, link)| link).collect();
    let robots = page.robots;
    json!({
        "title": page.title,
        "canonical": page.canonical,
        "base": page.base,
        "charset": page.charset,
        "robots": {"noindex": robots.noindex, "nofollow": robots.nofollow, "noarchive": robots.noarchive},
        "links": links,
        "leaf_paths": leaf_paths(page),
    })
}

fn describe<'p>(page: &'p ParsedPage, link: &RawLink, apath: &'p str, base: Option<&url::Url>) -> Link<'p> {
    let href = page.href(link);
    let url = base.and_then(|base| base.join(href).ok()).map(String::from);
    Link { apath, href, kind: kind_name(link.kind), nofollow: link.nofollow, url }
}

const fn kind_name(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Anchor => "anchor",
        LinkKind::Frame => "frame",
        LinkKind::Embed => "embed",
        LinkKind::Refresh => "refresh",
    }
}

fn base_of(page: &ParsedPage, url: Option<&url::Url>) -> Option<url::Url> {
    let url = url?;
    let base = page.base.as_deref().and_then(|base| url.join(base).ok());
    Some(base.unwrap_or_else(|| url.clone()))
}

fn leaf_paths(page: &ParsedPage) -> BTreeMap<&str, u64> {
    let mut paths = BTreeMap::new();
    for leaf in &page.leaf_paths {
        *paths.entry(leaf.text.as_deref().unwrap_or_default()).or_default() += u64::from(leaf.count);
    }
    paths
}

/// Writes the listing.
fn listing(page: &ParsedPage, url: Option<&url::Url>, output: &mut impl Write) -> io::Result<()> {
    let mut fact = |name: &str, value: Option<&str>| match value {
        Some(value) => writeln!(output, "{name:<10} {}", printable(value)),
        None => Ok(()),
    };
    fact("title", page.title.as_deref())?;
    fact("charset", Some(page.charset))?;
    fact("base", page.base.as_deref())?;
    fact("canonical", page.canonical.as_deref())?;
    let robots =
        [("noindex", page.robots.noindex), ("nofollow", page.robots.nofollow), ("noarchive", page.robots.noarchive)];
    let robots: Vec<&str> = robots.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect();
    fact("robots", Some(robots.join(", ")).filter(|text| !text.is_empty()).as_deref())?;

    writeln!(output, "\n{} links at {} places", page.link_count(), page.groups.len())?;
    if page.links_dropped > 0 {
        writeln!(output, "{} more dropped: too many or too long", page.links_dropped)?;
    }
    let base = base_of(page, url);
    for group in &page.groups {
        let apath = group.apath_text.as_deref().unwrap_or_default();
        writeln!(output, "\n{:>6}  {apath}", group.links.len())?;
        for link in group.links.iter().take(SAMPLES) {
            let Link { href, nofollow, url, .. } = describe(page, link, apath, base.as_ref());
            let (shown, mark) = (printable(url.as_deref().unwrap_or(href)), if nofollow { "  (nofollow)" } else { "" });
            writeln!(output, "        {shown}{mark}")?;
        }
        if group.links.len() > SAMPLES {
            writeln!(output, "        …")?;
        }
    }

    let mut paths: Vec<(&str, u64)> = leaf_paths(page).into_iter().collect();
    paths.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    writeln!(output, "\n{} leaf paths", paths.len())?;
    for (path, count) in paths.iter().take(PATHS_SHOWN) {
        writeln!(output, "{count:>6}  {path}")?;
    }
    if paths.len() > PATHS_SHOWN {
        writeln!(output, "        …")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(html: &str) -> Question {
        Question { id: json!(7), html_b64: BASE64.encode(html.as_bytes()), content_type: None, url: None }
    }

    #[test]
    fn a_question_is_answered_with_links_in_page_order_and_paths() {
        let html =
            "<title>T</title><p><a class=k href=1>x</a><div><a rel=ugc href='2'></a></div><p><a class=k href=3>y</a>";
        let answer = answer(&question(html));
        let expected = json!({
            "id": 7, "title": "T", "canonical": null, "base": null, "charset": "UTF-8",
            "robots": {"noindex": false, "nofollow": false, "noarchive": false},
            "links": [
                {"apath": "/html/body/p/a[k]", "href": "1", "kind": "anchor", "nofollow": false},
                {"apath": "/html/body/div/a", "href": "2", "kind": "anchor", "nofollow": true},
                {"apath": "/html/body/p/a[k]", "href": "3", "kind": "anchor", "nofollow": false},
            ],
            "leaf_paths": {"/html/body/p/a[k]": 2, "/html/body/p/a/#text": 2, "/html/body/div/a": 1},
        });
        assert_eq!(answer, expected);
    }

    #[test]
    fn links_are_resolved_if_the_url_of_the_page_is_known() {
        let url = Some("http://h.test/x/y".to_owned());
        let answer = answer(&Question { url, ..question("<base href=/b/><a href=c>") });
        assert_eq!(answer["links"][0]["url"], "http://h.test/b/c");
    }

    #[test]
    fn an_invalid_question_is_answered_with_the_error() {
        assert!(answer(&Question { html_b64: "?".into(), ..question("") })["error"].is_string());
        assert!(answer(&Question { url: Some("no url".into()), ..question("") })["error"].is_string());
    }

    #[test]
    fn the_listing_shows_groups_with_samples() {
        let page =
            parse(b"<title>T</title><a href=1></a><a href=2 rel=nofollow></a><a href=3></a><a href=4></a>", None);
        let mut output = Vec::new();
        listing(&page, None, &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        for line in
            ["title      T", "4 links at 1 places", "     4  /html/body/a", "        2  (nofollow)", "        …"]
        {
            assert!(text.lines().any(|shown| shown == line), "{line:?} is not in\n{text}");
        }
        assert!(!text.contains("        4\n"));
    }
}
