//! `harvestman inspect posts`: the posts of a page.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::printable;
use harvestman_core::clock::Clock;
use harvestman_document::decode;
use harvestman_posts::{Extractor, Page, PagePost};

/// Maximum size of a page, in bytes.
const PAGE_BYTES_MAX: u64 = 16 << 20;
/// The address of a page of which none is known; it is left out of its links.
const NO_URL: &str = "http://unknown.invalid";
/// Number of characters of a text that a listing shows.
const TEXT_SHOWN: usize = 300;

/// Show the posts of a page: author, date and text
///
/// Posts are found without a rule for the site's software: a date that recurs at one place of the page parts it into records,
/// and what is in the same place of all records is a field. Pages with a single post, or with posts that show no date, are not
/// recognised.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  harvestman inspect posts thread.html
  harvestman inspect posts - --json < thread.html")]
pub struct PostsArgs {
    /// HTML file, or `-` for standard input
    file: PathBuf,
    /// URL of the page, to resolve the links of authors
    #[arg(long, value_name = "URL")]
    url: Option<url::Url>,
    /// Content-Type header of the page, which may contain the charset
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// Local time at which the page was fetched, such as 2026-04-25T12:00, from which dates such as `yesterday` count; the
    /// default is now
    #[arg(long, value_name = "TIME")]
    fetched: Option<DateTime>,
    /// Print one JSON object per post
    #[arg(long)]
    json: bool,
}

/// A post with the number of its place on the page.
#[derive(Serialize)]
struct Numbered<'p> {
    position: usize,
    #[serde(flatten)]
    post: &'p PagePost,
}

/// Runs the subcommand.
///
/// # Errors
///
/// The page cannot be read, or exceeds the bounds on pages.
pub fn run(args: &PostsArgs) -> anyhow::Result<()> {
    let page = read(&args.file)?;
    let url = args.url.clone().map_or_else(|| url::Url::parse(NO_URL), Ok)?;
    let now = args.fetched.unwrap_or_else(|| Clock::system().now().timestamp().to_zoned(TimeZone::UTC).datetime());
    let Some(page) = Page::parse(&url, &decode(&page, args.content_type.as_deref()), now) else {
        bail!("the page has too many elements, or elements nested too deep, for posts to be found");
    };
    let mut posts = Extractor::default().extract(&page).posts;
    if args.url.is_none() {
        let links = posts.iter_mut().flat_map(|post| [&mut post.author_url, &mut post.url]).flatten();
        links.for_each(|link| *link = link.trim_start_matches(NO_URL).to_owned());
    }
    let mut output = io::stdout().lock();
    if args.json {
        for (number, post) in posts.iter().enumerate() {
            serde_json::to_writer(&mut output, &Numbered { position: number + 1, post })?;
            writeln!(output)?;
        }
        return Ok(());
    }
    listing(&posts, &mut output)?;
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().take(PAGE_BYTES_MAX + 1).read_to_end(&mut page).context("cannot read standard input")?;
    } else {
        let opened = std::fs::File::open(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let read = opened.take(PAGE_BYTES_MAX + 1).read_to_end(&mut page);
        read.with_context(|| format!("cannot read `{}`", file.display()))?;
    }
    if page.len() as u64 > PAGE_BYTES_MAX {
        bail!("the page is larger than {} MiB", PAGE_BYTES_MAX >> 20);
    }
    Ok(page)
}

fn listing(posts: &[PagePost], output: &mut impl Write) -> io::Result<()> {
    for (number, post) in posts.iter().enumerate() {
        let author = post.author.as_deref().unwrap_or("(no author)");
        let date = post.date.as_deref().unwrap_or("(no date)");
        let link = post.author_url.as_deref().map_or_else(String::new, |link| format!("  {link}"));
        writeln!(output, "{}. {} · {date}{}", number + 1, printable(author), printable(&link))?;
        writeln!(output, "   {}\n", printable(&shortened(&post.text)))?;
    }
    writeln!(output, "{} posts", posts.len())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT_SHOWN) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}
