//! `harvestman posts` and `harvestman export posts`: the posts of recorded pages.

pub(super) mod crawl_pages;
pub(super) mod following;
mod inputs;
pub(super) mod page_view;

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::output::is_stdout;
use super::progress::ExportProgress;
use super::teach;
use super::teach::TeachArgs;
use harvestman_extraction::outputs::stream_posts;
use harvestman_extraction::{
    ExtractError, ExtractedSite, Format, Inputs, OutputError, Progress, Pseudonyms, Totals, corrections_of, extract,
    write,
};
use harvestman_report::document::quoted;
use harvestman_report::{figures, terminal};
use harvestman_stages::fetch::recorded_response;
use inputs::Found;

/// Directory and file of an export in a crawl directory.
const EXPORT: &str = "posts";
const DATABASE: &str = "posts.sqlite";

/// Extract posts, threads and users from WARC files
///
/// Reads WARC files of any tool, compressed or plain, and crawl directories: HTML pages and feeds (RSS, Atom, JSON
/// Feed) with status 200. The files are read twice: the first pass learns the templates of the sites from a sample of
/// their pages, the second one extracts. No rule names a software; see docs/how-to/posts.md.
///
/// A post that several pages show is one record: the best version, with the times at which it was first and last seen.
/// Memory grows by some 300 bytes for each post on each page; texts wait in an unnamed temporary file beside the output
/// (for -, in the directory for temporary files).
///
/// Of a crawl directory, the page log gives the number of the visit and the cluster of each page. Files that a crawl is
/// still writing (.open) are skipped. A torn or broken file is read up to the damage; the exit code is 1 then.
#[derive(Debug, Clone, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  harvestman posts forum.warc.gz | jq -r '[.author, .time, .text] | @tsv'
  harvestman posts forum --out records                          # posts.jsonl, threads.jsonl, users.jsonl
  harvestman posts *.warc.gz --format parquet --out records
  duckdb -c \"SELECT author, count(*) FROM 'records/posts.parquet' GROUP BY 1 ORDER BY 2 DESC\"
  harvestman posts forum --format sqlite --out forum.sqlite
  harvestman posts forum --format convokit --out corpus         # convokit.Corpus('corpus')
  harvestman posts forum --format csv --out for-4cat            # posts.csv has 4CAT's columns
  openssl rand -hex 32 > key && harvestman posts forum --pseudonymise key --out records
  zstdcat forum.warc.zst | harvestman posts -")]
pub struct WarcPostsArgs {
    /// WARC files, crawl directories, directories of WARC files, or - for standard input
    #[arg(value_name = "WARC|DIR|-", required = true, value_hint = clap::ValueHint::AnyPath)]
    inputs: Vec<PathBuf>,
    /// Output directory, file (with --format sqlite), or - for the posts as JSON lines on standard output [default: -]
    #[arg(long, value_name = "DIR|FILE", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    more: RecordArgs,
    #[command(subcommand)]
    command: Option<PostsCommand>,
}

/// What else is done with posts.
#[derive(Debug, Clone, clap::Subcommand)]
enum PostsCommand {
    Teach(TeachArgs),
}

/// Export posts, threads and users of a crawl
///
/// Like `harvestman posts DIR`, which describes the details, with an output in the crawl directory: the directory
/// posts, or the file posts.sqlite.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman export posts forum                                 # writes forum/posts/posts.jsonl and more
  harvestman export posts forum --format parquet
  harvestman export posts forum --format sqlite                 # writes forum/posts.sqlite
  harvestman export posts forum --out - | head -n 1")]
pub struct ExportPostsArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
    /// Output directory, file (with --format sqlite), or - for the posts as JSON lines on standard output
    #[arg(long, value_name = "DIR|FILE", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    more: RecordArgs,
}

/// How records are written.
#[derive(Debug, Clone, clap::Args)]
struct RecordArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatName::Jsonl)]
    format: FormatName,
    /// Replace names and addresses of authors by keyed hashes (HMAC-SHA-256 with the content of this file). Names in
    /// texts, in the HTML of posts and in addresses of pages are left as they are
    #[arg(long, value_name = "KEYFILE", value_hint = clap::ValueHint::FilePath)]
    pseudonymise: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Print warnings and errors only
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FormatName {
    /// JSON lines
    Jsonl,
    /// For DuckDB and data frames (cargo feature `parquet`)
    Parquet,
    /// For 4CAT and spreadsheets
    Csv,
    /// A SQLite database (cargo feature `sqlite`)
    Sqlite,
    /// A corpus for ConvoKit
    Convokit,
}

impl FormatName {
    const fn format(self) -> Format {
        match self {
            Self::Jsonl => Format::JsonLines,
            Self::Parquet => Format::Parquet,
            Self::Csv => Format::Csv,
            Self::Sqlite => Format::Sqlite,
            Self::Convokit => Format::ConvoKit,
        }
    }
}

/// Runs `harvestman posts`.
pub fn run(args: &WarcPostsArgs) -> Result<Exit, Failure> {
    if let Some(PostsCommand::Teach(args)) = &args.command {
        return teach::run(args).map(|()| Exit::Done);
    }
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("-"));
    run_on(&args.inputs, &out, &args.more)
}

/// Runs `harvestman export posts`.
pub fn run_export(args: &ExportPostsArgs) -> Result<Exit, Failure> {
    if !args.dir.is_dir() {
        let what = "name the directory given as --out to the crawl";
        return Err(Failure::usage(format!("directory {} does not exist: {what}", args.dir.display())));
    }
    let name = if args.more.format.format().is_one_file() { DATABASE } else { EXPORT };
    let out = args.out.clone().unwrap_or_else(|| args.dir.join(name));
    run_on(std::slice::from_ref(&args.dir), &out, &args.more)
}

fn run_on(paths: &[PathBuf], out: &Path, args: &RecordArgs) -> Result<Exit, Failure> {
    let format = args.format.format();
    check_output(out, format, args.force)?;
    let pseudonyms = args.pseudonymise.as_deref().map(|file| {
        Pseudonyms::with_key_of(file).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
    });
    let pseudonyms = pseudonyms.transpose()?;
    let found = Found::of(paths)?;
    found.open.iter().for_each(|path| {
        tell!("note: {} is still being written, or its crawl was killed: skipped", path.display());
    });
    let mut extracted = extracted(&found, out, args)?;
    let written = if is_stdout(out) {
        let mut stdout = BufWriter::new(terminal::data());
        stream_posts(&mut extracted, &mut stdout, pseudonyms.as_ref()).and_then(|()| Ok(stdout.flush()?))
    } else {
        let mut progress = ExportProgress::new("posts written", args.quiet);
        let written = write(&mut extracted, format, out, pseudonyms.as_ref(), &mut |count| progress.show(count));
        progress.finish();
        written
    };
    match written {
        Err(OutputError::Io(error)) if is_stdout(out) && error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error @ OutputError::Missing(_)) => return Err(Failure::usage(error)),
        Err(error) => return Err(Failure::new(Exit::Output, format!("cannot write {}: {error}", out.display()))),
        Ok(()) => {}
    }
    end(&extracted, out, args.quiet)?;
    if extracted.site.is_empty() {
        tell!("warning: no posts were found; {}", how_to_see_why(&found, extracted.totals.pages));
    }
    Ok(Exit::Done)
}

/// Says how to see why there are no posts.
fn how_to_see_why(found: &Found, pages: u64) -> String {
    let page = match found.crawls.first() {
        _ if pages == 0 => return "the input has no HTML page".to_owned(),
        Some(crawl) => format!("URL --crawl {}", quoted(&crawl.to_string_lossy())),
        None => "FILE".to_owned(),
    };
    format!(
        "`harvestman inspect posts {page}` tells why a page has none, and `harvestman posts teach` names the places of posts"
    )
}

/// Returns an error if the output is there already, or is no place for the format.
fn check_output(out: &Path, format: Format, force: bool) -> Result<(), Failure> {
    if is_stdout(out) {
        let what = "standard output takes JSON lines only: name a directory or a file with --out";
        return if format == Format::JsonLines { Ok(()) } else { Err(Failure::usage(what)) };
    }
    let files: Vec<PathBuf> = match format.files() {
        [] => vec![out.to_owned()],
        files => files.iter().map(|file| out.join(file)).collect(),
    };
    if format.is_one_file() && out.is_dir() {
        return Err(Failure::usage(format!("{} is a directory: name a file with --out", out.display())));
    }
    if !format.is_one_file() && out.exists() && !out.is_dir() {
        return Err(Failure::usage(format!("{} is not a directory: name one with --out", out.display())));
    }
    match files.iter().find(|file| file.exists()) {
        Some(file) if !force => {
            let what = "replace it with --force, or write elsewhere with --out";
            Err(Failure::usage(format!("{} exists: {what}", file.display())))
        }
        _ => Ok(()),
    }
}

fn extracted(found: &Found, out: &Path, args: &RecordArgs) -> Result<ExtractedSite, Failure> {
    let parent = out.parent().filter(|parent| parent.is_dir() && !is_stdout(out));
    let directory = parent.map_or_else(std::env::temp_dir, Path::to_owned);
    let inputs = Inputs {
        files: found.files.clone(),
        decode: recorded_response,
        visit: &|file, offset| found.visits.of(file, offset),
        directory,
        corrections: corrections_of(&found.crawls).map_err(Failure::usage)?,
    };
    let mut learning = ExportProgress::new("pages to learn from", args.quiet);
    let mut extracting = ExportProgress::new("pages", args.quiet);
    let extracted = extract(&inputs, &mut |progress| match progress {
        Progress::Learning(count) => learning.show(count),
        Progress::Extracting(count) => extracting.show(count),
    });
    learning.finish();
    extracting.finish();
    extracted.map_err(|error| {
        let exit = if matches!(error, ExtractError::Keep(_)) { Exit::Output } else { Exit::Failed };
        Failure::new(exit, error)
    })
}

/// Prints what was extracted.
fn end(extracted: &ExtractedSite, out: &Path, quiet: bool) -> Result<(), Failure> {
    let Totals { pages, pages_with_posts, given_up, given_up_first, feeds, sightings, records, damaged } =
        &extracted.totals;
    if !quiet {
        let (posts, threads) = (extracted.site.len() as u64, extracted.site.threads().count() as u64);
        let (posts, users) = (figures::count(posts), figures::count(extracted.site.users().len() as u64));
        let feeds = match feeds {
            0 => String::new(),
            1 => ", with one feed".to_owned(),
            feeds => format!(", with {} feeds", figures::count(*feeds)),
        };
        let to = if is_stdout(out) { "standard output".to_owned() } else { out.display().to_string() };
        tell!(
            "{to}: {posts} posts in {} threads, {users} users; {} of {} HTML pages show posts{feeds}, {} times in all",
            figures::count(threads),
            figures::count(*pages_with_posts),
            figures::count(*pages),
            figures::count(*sightings)
        );
    }
    for url in given_up_first {
        tell!("warning: the posts of {url} are given up: it takes too long to find them");
    }
    if *given_up > given_up_first.len() as u64 {
        tell!("warning: {} pages are given up in all", figures::count(*given_up));
    }
    for (name, error) in damaged {
        tell!("warning: {name}: {error}; the part before is read");
    }
    if *records == 0 {
        return Err(Failure::new(Exit::Failed, "the input has no WARC records"));
    }
    match damaged.len() {
        0 => Ok(()),
        count => Err(Failure::new(Exit::Failed, format!("{count} WARC files could not be read to their end"))),
    }
}
