//! `harvestman posts teach`: corrects the places from which the posts of a site are taken, and shows what that changes
//! on the page that it is tried on.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::posts::crawl_pages::CrawlPage;
use crate::cli::posts::page_view::counted;
use harvestman_extraction::{CORRECTIONS_FILE, read_corrections, write_corrections};
use harvestman_library::program::seeds;
use harvestman_posts::{Correction, Corrections, ExplainedPage, NodeIndex, Page, PagePost, RecordField, TaughtField};
use harvestman_report::terminal;

/// Correct from which places of pages posts are taken
///
/// A correction says which elements of the pages of a host are a field of its posts, or with --not, that they are not.
/// Where it matches within a post, it wins over what was learned, and over markup. It is tried on one page of the
/// crawl, tells what changes there, and is kept in the directory of the crawl (posts.corrections.json), where
/// harvestman posts, export posts, inspect posts and a crawl with --posts find it. Posts that were written before stay
/// as they are: export them again.
///
/// Selectors are those of CSS, as `harvestman inspect posts` prints them. Elements that are not shown, such as scripts,
/// do not count.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Fields:
  author  the element with the name; its link, or one around it, is the author's page
  time    the element with the date. With --not: dates there are never those of posts
  text    the elements with the text, all of them. With --not: parts of the text to leave out
  title   the element with the post's own title
  record  the element that holds a whole post, for pages parted wrongly. With --not: no post

Examples:
  harvestman inspect posts https://forum.example.org/t/17 --crawl forum
  harvestman posts teach forum https://forum.example.org/t/17 --field author --path 'p.nick > a'
  harvestman posts teach forum https://forum.example.org/t/17 --field time --path '.joined' --not
  harvestman posts teach forum https://forum.example.org/t/17 --field record --path 'li.comment'
  harvestman posts teach forum --list
  harvestman posts teach forum --remove 2")]
pub struct TeachArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
    /// A page of the crawl to try it on
    #[arg(value_name = "URL", requires = "field", requires = "path", required_unless_present_any = ["list", "remove"])]
    url: Option<String>,
    /// What the elements are
    #[arg(long, value_enum, value_name = "FIELD", requires = "url")]
    field: Option<FieldName>,
    /// CSS selector of the elements
    #[arg(long, value_name = "SELECTOR", requires = "url")]
    path: Option<String>,
    /// The elements are not this field
    #[arg(long, requires = "url")]
    not: bool,
    /// List the corrections of the crawl
    #[arg(long, conflicts_with_all = ["url", "remove"])]
    list: bool,
    /// Remove the correction with this number
    #[arg(long, value_name = "N", conflicts_with = "url")]
    remove: Option<usize>,
}

/// Runs the command.
pub(super) fn run(args: &TeachArgs) -> Result<(), Failure> {
    if !args.dir.is_dir() {
        let what = "name the directory given as --out to the crawl";
        return Err(Failure::usage(format!("directory {} does not exist: {what}", args.dir.display())));
    }
    let known = read_corrections(&args.dir).map_err(Failure::usage)?;
    let text = match (&args.url, args.field, &args.path, args.remove) {
        (Some(url), Some(field), Some(path), _) => {
            let correction =
                Correction { host: String::new(), field: field.field(), path: path.clone(), is_wrong: args.not };
            teach(&args.dir, known, url.as_str(), correction)?
        }
        (.., Some(number)) => remove(&args.dir, known, number)?,
        _ => list(&known),
    };
    // A closed pipe (`| head`) is not an error.
    let _ = terminal::stdout().write_all(text.as_bytes());
    Ok(())
}

/// Adds a correction, after it was tried on a page.
fn teach(directory: &Path, known: Vec<Correction>, url: &str, correction: Correction) -> Result<String, Failure> {
    let url = seeds::parse(url).map_err(|error| Failure::usage(error.replacen("seed ", "", 1)))?.url;
    let correction = Correction { host: url.authority().to_owned(), ..correction };
    if let Some(number) = known.iter().position(|other| *other == correction) {
        return Err(Failure::usage(format!("this is taught already: {}", line(number, &correction).trim_end())));
    }
    let mut all = known;
    all.push(correction.clone());
    let corrections = Corrections::new(&all).map_err(Failure::usage)?;
    let found = CrawlPage::find(directory, &url)?;
    let page = found.read()?.page;
    let mut extractor = found.extractor()?;
    let before = extractor.explain(&page);
    extractor.correct(corrections);
    extractor.settle();
    let after = extractor.explain(&page);
    let elements = correction.elements(&page).map_err(Failure::usage)?;
    let effect = Effect { page: &page, correction: &correction, elements: &elements, before: &before, after: &after };
    let told = effect.told().map_err(|why| {
        let hint = format!("see what was taken: harvestman inspect posts {url} --crawl {}", directory.display());
        Failure::new(Exit::Failed, format!("nothing is taught: {why}; {hint}"))
    })?;
    write_corrections(directory, &all).map_err(|error| Failure::new(Exit::Output, error))?;
    Ok(format!("{}on {url}: {told}\n", line(all.len() - 1, &correction)))
}

fn remove(directory: &Path, mut known: Vec<Correction>, number: usize) -> Result<String, Failure> {
    let at = number.checked_sub(1).filter(|at| *at < known.len());
    let Some(at) = at else {
        let what = match known.len() {
            0 => "there are no corrections".to_owned(),
            count => format!("there are {count} corrections: harvestman posts teach {} --list", directory.display()),
        };
        return Err(Failure::usage(format!("there is no correction {number}: {what}")));
    };
    let removed = known.remove(at);
    write_corrections(directory, &known).map_err(|error| Failure::new(Exit::Output, error))?;
    Ok(format!("removed {}", line(at, &removed)))
}

fn list(known: &[Correction]) -> String {
    if known.is_empty() {
        return format!("no corrections ({CORRECTIONS_FILE} is not there or empty)\n");
    }
    known.iter().enumerate().fold(String::new(), |mut text, (number, correction)| {
        let _ = write!(text, "{}", line(number, correction));
        text
    })
}

/// Returns the line of a correction.
fn line(at: usize, correction: &Correction) -> String {
    let Correction { host, field, path, is_wrong } = correction;
    let not = if *is_wrong { "not " } else { "" };
    format!("{}. {host}: {} is {not}`{path}`\n", at + 1, name(*field))
}

/// A field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FieldName {
    /// The name of the author
    Author,
    /// When it was written
    Time,
    /// The text
    Text,
    /// The title
    Title,
    /// The element of a post
    Record,
}

impl FieldName {
    /// Returns the field.
    pub const fn field(self) -> TaughtField {
        match self {
            Self::Author => TaughtField::Author,
            Self::Time => TaughtField::Time,
            Self::Text => TaughtField::Text,
            Self::Title => TaughtField::Title,
            Self::Record => TaughtField::Record,
        }
    }
}

/// Returns the name of a field.
pub(super) const fn name(field: TaughtField) -> &'static str {
    match field {
        TaughtField::Author => "author",
        TaughtField::Time => "time",
        TaughtField::Text => "text",
        TaughtField::Title => "title",
        TaughtField::Record => "record",
    }
}

/// Returns the value of a field of a post.
pub(super) fn value(post: &PagePost, field: TaughtField) -> Option<&str> {
    match field {
        TaughtField::Author => post.author.as_deref(),
        TaughtField::Time => post.date.as_deref(),
        TaughtField::Title => post.title.as_deref(),
        TaughtField::Text | TaughtField::Record => Some(post.text.as_str()).filter(|text| !text.is_empty()),
    }
}

/// Number of characters of a value that are shown.
const VALUE_SHOWN: usize = 40;

/// A page before and after a correction.
pub(super) struct Effect<'e> {
    pub page: &'e Page,
    pub correction: &'e Correction,
    /// The elements that it matches.
    pub elements: &'e [NodeIndex],
    pub before: &'e ExplainedPage,
    pub after: &'e ExplainedPage,
}

impl Effect<'_> {
    /// Tells what changes, or why the correction is of no use.
    pub fn told(&self) -> Result<String, String> {
        let Correction { field, path, is_wrong, .. } = self.correction;
        let count = self.elements.len();
        if count == 0 {
            return Err(format!("`{path}` matches no element of the page"));
        }
        let (before, after) = (&self.before.records.posts, &self.after.records.posts);
        let matched = format!("`{path}` matches {}", counted(count, "element"));
        if *field == TaughtField::Record || (*field == TaughtField::Time && *is_wrong) {
            if after.is_empty() && !before.is_empty() {
                return Err(format!("{matched}, but then none of the {} is left", counted(before.len(), "post")));
            }
            return Ok(format!("{matched}; {}, {} before", counted(after.len(), "post"), before.len()));
        }
        let inside = self.posts_with_match();
        if inside == 0 {
            let what = "teach first where whole posts are, with --field record";
            return Err(format!("{matched}, but none of them is in one of {}: {what}", counted(after.len(), "post")));
        }
        if *field == TaughtField::Time && !*is_wrong && !self.has_taught_time() {
            let text = self.elements.first().map(|node| self.page.tree.text(*node)).unwrap_or_default();
            return Err(format!("{matched}, but no date can be read in `{}`", shortened(&text)));
        }
        Ok(format!("{matched} in {inside} of {}; {}", counted(after.len(), "post"), changes(before, after, *field)))
    }

    fn posts_with_match(&self) -> usize {
        let tree = &self.page.tree;
        let has = |nodes: &Vec<NodeIndex>| {
            nodes.iter().any(|part| self.elements.iter().any(|element| tree.range(*part).contains(element)))
        };
        self.after.posts.iter().filter(|post| has(&post.nodes)).count()
    }

    /// Whether the time of a post is from one of the elements, or a part of one.
    fn has_taught_time(&self) -> bool {
        let tree = &self.page.tree;
        let is_one = |node: &NodeIndex| {
            self.elements
                .iter()
                .any(|element| tree.range(*element).contains(node) || tree.range(*node).contains(element))
        };
        let times = self.after.posts.iter().flat_map(|post| &post.fields);
        times.filter(|place| place.field == RecordField::Time).flat_map(|place| &place.nodes).any(is_one)
    }
}

fn changes(before: &[PagePost], after: &[PagePost], field: TaughtField) -> String {
    if before.len() != after.len() {
        return format!("{}, {} before", counted(after.len(), "post"), before.len());
    }
    let values = before.iter().zip(after).map(|(one, two)| (value(one, field), value(two, field)));
    let changed: Vec<_> = values.filter(|(one, two)| one != two).collect();
    let words = |value: &str| match field {
        TaughtField::Text => format!(" ({})", counted(value.split_whitespace().count(), "word")),
        _ => String::new(),
    };
    let shown = |value: Option<&str>| {
        value.map_or_else(|| "nothing".to_owned(), |value| format!("`{}`{}", shortened(value), words(value)))
    };
    match changed.first() {
        None => format!("no {} changes: it was taken from there already", name(field)),
        Some((one, two)) => {
            let count = counted(changed.len(), "post");
            format!("the {} of {count} changes, such as {} to {}", name(field), shown(*one), shown(*two))
        }
    }
}

fn shortened(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    match text.char_indices().nth(VALUE_SHOWN) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
