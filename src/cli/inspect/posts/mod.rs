//! `harvestman inspect posts`: the posts of a page, and where they were found.

mod answer;

use std::io;
use std::io::Write;
use std::path::PathBuf;

use jiff::civil::DateTime;

use self::answer::{Answer, AnsweredPost, InspectedPage, PageFile};
use crate::cli::exit::Failure;
use crate::cli::inspect::printable;
use crate::cli::posts::page_view::{counted, reason};
use harvestman_posts::{FieldPlace, FieldSource, ParentRef, PlaceExactness, RecordField, UsedTemplate};
use harvestman_report::terminal;

/// Show the posts of a page, and from which places of the page they were taken
///
/// Posts are found without a rule for the site's software: a date that recurs at one place of the page parts it into
/// records, and what is in the same place of all records is a field. Of each field, the element that it was taken from
/// is shown as a CSS selector, or the markup for machines that has it. A single page tells less than several: with
/// --crawl, the page is one of a crawl, read from its WARC files, and is read by what all pages of its host teach, as
/// `harvestman export posts` does.
///
/// Where no posts are found, the reason is shown. `harvestman posts teach` corrects what is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  harvestman inspect posts thread.html
  harvestman inspect posts https://forum.example.org/t/17 --crawl forum
  harvestman inspect posts - --url https://forum.example.org/t/17 < thread.html
  harvestman inspect posts thread.html --json | jq -r '.posts[].places[] | [.field, .path] | @tsv'")]
pub struct PostsArgs {
    /// HTML file, or - for standard input; with --crawl, the URL of a page of the crawl
    #[arg(value_name = "FILE|URL", value_hint = clap::ValueHint::FilePath)]
    page: String,
    /// Directory of a crawl: shows a page of it as its posts are exported
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, conflicts_with_all = ["url", "content_type", "fetched"])]
    crawl: Option<PathBuf>,
    /// URL of the page, to resolve its links
    #[arg(long, value_name = "URL")]
    url: Option<url::Url>,
    /// Content-Type header of the page, which may contain the charset
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// Local time at which the page was fetched, such as 2026-04-25T12:00, from which dates such as `yesterday` count;
    /// the default is now
    #[arg(long, value_name = "TIME")]
    fetched: Option<DateTime>,
    /// Print one JSON object, with complete texts
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
///
/// # Errors
///
/// The page cannot be read, or exceeds the bounds on pages.
pub fn run(args: &PostsArgs) -> Result<(), Failure> {
    let input = match &args.crawl {
        Some(directory) => InspectedPage::of_crawl(directory, &args.page)?,
        None => InspectedPage::of_file(&PageFile {
            file: &args.page,
            url: args.url.as_ref(),
            content_type: args.content_type.as_deref(),
            fetched: args.fetched,
        })?,
    };
    let answer = Answer::of(&input);
    let mut output = terminal::stdout();
    // A closed pipe (`| head`) is not an error.
    let _ = if args.json {
        let json = serde_json::to_string(&answer).map_err(anyhow::Error::from)?;
        writeln!(output, "{json}")
    } else {
        write(&answer, &mut output)
    };
    Ok(())
}

/// Number of characters of a text that a listing shows.
const TEXT_SHOWN: usize = 300;
/// Width of the names of lines.
const NAME_WIDTH: usize = 10;

/// Writes the listing.
fn write(answer: &Answer, output: &mut impl Write) -> io::Result<()> {
    if let Some(url) = &answer.url {
        line(output, "page", url)?;
    }
    if let (Some(file), Some(offset)) = (&answer.warc_file, answer.warc_offset) {
        line(output, "record", &format!("{file}, offset {offset}, fetched {}Z", answer.fetched))?;
    }
    if let Some(thread) = &answer.thread {
        let title = thread.thread.title.as_deref().unwrap_or("(no title)");
        let url = thread.thread.url.as_deref().map_or_else(String::new, |url| format!("  {url}"));
        line(output, "thread", &format!("{title}{url}"))?;
        for place in &thread.places {
            line(output, "", &format!("{}: {}", name(place.field), shown_place(place)))?;
        }
    }
    if let Some(template) = &answer.template {
        line(output, "template", &shown_template(template, answer.evidence.learned_from))?;
    }
    if answer.evidence.is_taught {
        line(output, "template", "the elements of whole posts, as taught")?;
    }
    for post in &answer.posts {
        writeln!(output)?;
        write_post(post, output)?;
    }
    if let Some(why) = answer.no_posts {
        writeln!(output, "no posts: {}", printable(&reason(why, &answer.evidence)))?;
    }
    writeln!(output, "\n{}", counted(answer.posts.len(), "post"))
}

fn line(output: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(output, "{name:<NAME_WIDTH$}{}", printable(value))
}

fn write_post(answered: &AnsweredPost, output: &mut impl Write) -> io::Result<()> {
    let post = &answered.post;
    let author = post.author.as_deref().unwrap_or("(no author)");
    let date = post.date.as_deref().unwrap_or("(no date)");
    let link = post.author_url.as_deref().map_or_else(String::new, |link| format!("  {link}"));
    writeln!(output, "{}. {} · {date}{}", answered.position, printable(author), printable(&link))?;
    writeln!(output, "   {}", printable(&shortened(&post.text)))?;
    for place in &answered.places {
        let value = value(answered, place.field).map_or_else(String::new, |value| format!("{value}  "));
        writeln!(output, "   {:<8} {}({})", name(place.field), printable(&value), printable(&shown_place(place)))?;
    }
    let record = answered.record.as_deref().unwrap_or("only in markup");
    let excerpt = if post.is_excerpt { ", an excerpt" } else { "" };
    writeln!(output, "   {:<8} {} (confidence {:.2}{excerpt})", "record", printable(record), post.confidence)
}

/// Returns the value of a field that is not in the first lines.
fn value(answered: &AnsweredPost, field: RecordField) -> Option<String> {
    let post = &answered.post;
    match field {
        RecordField::Id => post.id.clone(),
        RecordField::Url => post.url.clone(),
        RecordField::Title => post.title.clone(),
        RecordField::Edited => post.edited.clone(),
        RecordField::Parent => post.parent.as_ref().map(|parent| match parent {
            ParentRef::Id(id) => format!("post {id}"),
            ParentRef::Url(url) => url.clone(),
            ParentRef::Index(index) => format!("{}.", index + 1),
            ParentRef::Quote { author, .. } => {
                format!("quotes {}", author.as_deref().unwrap_or("an unnamed author"))
            }
        }),
        RecordField::Author | RecordField::Time | RecordField::Text | RecordField::Forums | RecordField::Tags => None,
    }
}

fn shown_place(place: &FieldPlace) -> String {
    let (path, property) = (place.path.as_deref(), place.property.as_deref());
    let at = path.unwrap_or_default();
    match (place.source, property) {
        (FieldSource::Template, Some(attribute)) => format!("{at} @{attribute}"),
        (FieldSource::Template, None) => at.to_owned(),
        (FieldSource::Taught, _) => format!("{at}, as taught"),
        (FieldSource::Text, _) => format!("in the text of {at}"),
        (FieldSource::Nesting, _) => "nesting".to_owned(),
        (FieldSource::Page, _) => "address of the page".to_owned(),
        (FieldSource::Head, _) => "head or markup of the page".to_owned(),
        (source, property) => {
            let at = path.map_or_else(String::new, |path| format!(" at {path}"));
            format!("{} {}{at}", syntax(source), property.unwrap_or_default())
        }
    }
}

const fn syntax(source: FieldSource) -> &'static str {
    match source {
        FieldSource::JsonLd => "json-ld",
        FieldSource::Microdata => "microdata",
        FieldSource::Rdfa => "rdfa",
        FieldSource::Microformats => "microformats",
        FieldSource::Template
        | FieldSource::Taught
        | FieldSource::Text
        | FieldSource::Nesting
        | FieldSource::Head
        | FieldSource::Page => "page",
    }
}

const fn name(field: RecordField) -> &'static str {
    match field {
        RecordField::Author => "author",
        RecordField::Time => "time",
        RecordField::Edited => "edited",
        RecordField::Title => "title",
        RecordField::Text => "text",
        RecordField::Id => "id",
        RecordField::Url => "url",
        RecordField::Parent => "parent",
        RecordField::Forums => "forums",
        RecordField::Tags => "tags",
    }
}

fn shown_template(template: &UsedTemplate, learned_from: usize) -> String {
    let UsedTemplate { dates, exactness, number, templates, is_single, pages } = template;
    let kind = if *is_single { "pages with one post" } else { "pages with several posts" };
    let exactness = match exactness {
        PlaceExactness::Classes => "in the same elements with the same classes",
        PlaceExactness::Elements => "in the same elements",
        PlaceExactness::Near => "next to the same elements",
    };
    let from = match learned_from {
        0 => "learned from this page alone".to_owned(),
        from => format!("{pages} of the {} learned from have dates there", counted(from, "page")),
    };
    format!("dates {exactness} as {dates}: number {number} of {templates} for {kind}; {from}")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT_SHOWN) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}
