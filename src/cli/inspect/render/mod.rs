//! `harvestman inspect render URL`: what a browser adds to a page. The answer may hold anything that a page says, so
//! control characters are replaced in the text for people.

mod answer;
mod loading;
mod verdict;

use std::fmt;
use std::io::Write;

use self::answer::{ClickFacts, PlainFacts, RenderAnswer, RenderedFacts, RequestFacts};
use self::loading::{Loaded, configuration, load};
use self::verdict::Verdict;
use super::printable;
use crate::cli::crawl::seeds_flag;
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::SettingArgs;
use harvestman_library::program::seeds;
use harvestman_report::figures::{bytes, count};
use harvestman_report::{StopReason, terminal};

/// Show what rendering in a browser adds to a page
///
/// Fetches one page as a crawl does, renders it in a browser without network, and compares both: links within the
/// scope, text, the requests of the page, and clicks. The last lines say whether a crawl with --render pays, and what
/// to do next.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RenderArgs {
    /// URL of the page; https:// is assumed where the scheme is missing
    #[arg(value_name = "URL")]
    url: String,
    /// Print one JSON object, with complete lists
    #[arg(long)]
    json: bool,
    /// The settings of the crawl.
    #[command(flatten)]
    settings: SettingArgs,
}

const AFTER_HELP: &str = "\
Examples:
  Decide whether a site needs a browser: inspect one page of each kind, then crawl:
    harvestman inspect render https://forum.example.org/ --contact you@example.org
    harvestman inspect render https://forum.example.org/t/17 --contact you@example.org
    harvestman crawl https://forum.example.org/ --render auto --contact you@example.org --out forum
  The requests of the page that were refused, each with the reason:
    harvestman inspect render https://forum.example.org/ --json \\
        | jq '.rendered.requests[] | select(.refused)'
  Without scrolling and clicks, and with more time for slow scripts:
    harvestman inspect render https://forum.example.org/ --set render.clicks=0 \\
        --set render.scrolls=0 --set render.page_time=30s
  A page behind a login:
    harvestman inspect render https://forum.example.org/inbox --cookies cookies.txt

The crawl answers each request of the page: robots.txt, the delay of the host, the address guard and
the settings hold as for `harvestman crawl`. A page with 30 requests takes some 30 seconds with the
default delay of one second. A request that fails is not repeated. Redirects are followed within the
scope. Nothing is stored. The policy, searches, and the budget of pages do not apply.

The verdict is one of:
  gain          rendering adds links within the scope or text; --render auto renders such pages
  no_gain       it adds nothing that --render auto counts: a few changed words, such as a date
  impaired      it adds nothing, and requests of the page were refused by robots.txt or failed
  failed        the browser could not render the page
  not_rendered  a crawl does not render it: not fetched, an error status, or not HTML

Exit codes: 0 if the page was rendered; 1 if it was not, or there is no browser (see
`harvestman doctor`); 2 for an invalid URL or setting; 3 if the page could not be fetched.";

/// Runs the subcommand.
pub(super) fn run(args: &RenderArgs) -> Result<Exit, Failure> {
    let seed = seeds::parse(&args.url).map_err(|error| Failure::usage(error.replacen("seed ", "", 1)))?;
    // Settings such as those of searches are valid only beside a seed.
    let seeds = seeds_flag(&[seed.url.to_string()]);
    let config = configuration(args.settings.load(seeds.into_iter().collect())?, &seed.url);
    let loaded = load(&config, seed.url)?;
    if loaded.stop_reason == StopReason::Interrupted {
        return Ok(Exit::Interrupted);
    }
    let answer = RenderAnswer::of(&loaded);
    let mut output = terminal::stdout();
    // A closed pipe (`| head`) is not an error.
    let _ = if args.json {
        let json = serde_json::to_string(&answer).map_err(anyhow::Error::from)?;
        writeln!(output, "{json}")
    } else {
        write!(output, "{answer}")
    };
    Ok(exit(&loaded, answer.verdict))
}

fn exit(loaded: &Loaded, verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Gain | Verdict::NoGain | Verdict::Impaired => Exit::Done,
        Verdict::Failed => Exit::Failed,
        Verdict::NotRendered if loaded.is_fetched() => Exit::Failed,
        Verdict::NotRendered => Exit::NothingFetched,
    }
}

/// Maximum number of links and of requests that are listed.
const LISTED: usize = 20;
/// Maximum number of lines of text that are listed.
const LINES: usize = 15;
/// Maximum number of characters of a line.
const WIDTH: usize = 160;

impl fmt::Display for RenderAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", shown(&self.url))?;
        self.redirected_from.iter().try_for_each(|url| writeln!(f, "  redirected from {}", shown(url)))?;
        if let Some(plain) = &self.plain {
            table(f, plain, self.rendered.as_ref())?;
        }
        if let Some(rendered) = &self.rendered {
            details(f, rendered)?;
        }
        writeln!(f, "\nverdict   {}", printable(&self.reason))?;
        let mut name = "next";
        for next in &self.next {
            writeln!(f, "{name:<10}{}", printable(next))?;
            name = "";
        }
        Ok(())
    }
}

/// The figures of both pages, side by side.
fn table(f: &mut fmt::Formatter<'_>, plain: &PlainFacts, rendered: Option<&RenderedFacts>) -> fmt::Result {
    let number = |number: usize| count(number as u64);
    let status = plain.status.map_or_else(|| "none".to_owned(), |status| status.to_string());
    let (size, links) = (bytes(plain.bytes), plain.links.map(number));
    let common = rendered.map(|page| format!("  within the scope, {} in both", number(page.links_common)));
    row(f, "", "plain", rendered.map(|_| "rendered".to_owned()), "")?;
    row(f, "status", &status, None, plain.content_type.as_deref().map(shown).as_deref().unwrap_or_default())?;
    row(f, "size", &size, rendered.map(|page| bytes(page.bytes)), "")?;
    if let Some(links) = &links {
        row(f, "links", links, rendered.map(|page| number(page.links)), common.as_deref().unwrap_or_default())?;
    }
    match plain.words.map(number) {
        Some(words) => row(f, "words", &words, rendered.map(|page| number(page.words)), ""),
        None => Ok(()),
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, plain: &str, rendered: Option<String>, remark: &str) -> fmt::Result {
    let line = format!("{name:<10}{plain:<12}{:<12}{remark}", rendered.unwrap_or_default());
    writeln!(f, "{}", line.trim_end())
}

fn details(f: &mut fmt::Formatter<'_>, page: &RenderedFacts) -> fmt::Result {
    if !page.settled {
        writeln!(f, "\nthe page did not become quiet within render.page_time: it may lack content")?;
    }
    list(f, "links that only the rendered page has", &page.links_added, LISTED, |link| shown(link))?;
    list(f, "links that only the plain page has", &page.links_missing, LISTED, |link| shown(link))?;
    let text = format!("text that only the rendered page has, {} words", count(page.words_added as u64));
    list(f, &text, &page.lines_added, LINES, |line| shown(line))?;
    let refused = page.requests.iter().filter(|request| request.refused.is_some()).count();
    list(f, &format!("requests of the page, {refused} refused"), &page.requests, LISTED, request)?;
    list(f, "kinds of elements clicked", &page.clicks, LISTED, click)
}

/// Writes a list with a heading and its length; nothing if it is empty.
fn list<T>(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    elements: &[T],
    max: usize,
    line: impl Fn(&T) -> String,
) -> fmt::Result {
    if elements.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{heading} ({})", count(elements.len() as u64))?;
    elements.iter().take(max).try_for_each(|element| writeln!(f, "  {}", line(element)))?;
    match elements.len().saturating_sub(max) {
        0 => Ok(()),
        more => writeln!(f, "  … and {} more", count(more as u64)),
    }
}

fn request(RequestFacts { method, url, status, why, .. }: &RequestFacts) -> String {
    let outcome = status.map_or_else(|| "refused".to_owned(), |status| status.to_string());
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    format!("{outcome:<7}  {} {}{why}", shown(method), shown(url))
}

fn click(ClickFacts { path, clicks, links, words, navigations }: &ClickFacts) -> String {
    format!("{}: clicks {clicks}, links {links}, words {words}, other pages {navigations}", shown(path))
}

/// Returns text as it may be printed, and not too long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => printable(&text[..end]) + " …",
        None => printable(text),
    }
}

#[cfg(test)]
mod tests {
    use super::verdict::Verdict;
    use super::*;

    fn answer() -> RenderAnswer {
        let request = |status, why| RequestFacts {
            method: "GET".to_owned(),
            url: "http://h.test/api".to_owned(),
            status,
            refused: why,
            why,
        };
        let rendered = RenderedFacts {
            bytes: 3_000,
            links: 25,
            words: 7,
            settled: true,
            links_common: 0,
            links_added: (0..25).map(|link| format!("http://h.test/{link}")).collect(),
            links_missing: Vec::new(),
            words_added: 7,
            lines_added: vec!["red \u{1b}[31m".to_owned(), "x".repeat(WIDTH + 1)],
            requests: vec![request(Some(200), None), request(None, Some("robots.txt disallows it"))],
            clicks: vec![ClickFacts {
                path: "html/body/button".to_owned(),
                clicks: 2,
                links: 5,
                words: 0,
                navigations: 1,
            }],
        };
        let (status, content_type) = (Some(200), Some("text/html".to_owned()));
        RenderAnswer {
            url: "http://h.test/".to_owned(),
            redirected_from: Vec::new(),
            verdict: Verdict::Gain,
            reason: "Rendering adds 25 links and 7 words.".to_owned(),
            next: vec!["one".to_owned(), "two".to_owned()],
            plain: Some(PlainFacts { status, content_type, bytes: 90, links: Some(0), words: Some(0) }),
            rendered: Some(rendered),
        }
    }

    #[test]
    fn both_pages_are_side_by_side_and_long_lists_are_cut() {
        let text = answer().to_string();
        for line in [
            "          plain       rendered",
            "size      90 B        2.9 KiB",
            "links     0           25            within the scope, 0 in both",
            "links that only the rendered page has (25)",
            "  http://h.test/19",
            "  … and 5 more",
            "requests of the page, 1 refused (2)",
            "text that only the rendered page has, 7 words (2)",
            "  html/body/button: clicks 2, links 5, words 0, other pages 1",
            "  200      GET http://h.test/api",
            "  refused  GET http://h.test/api (robots.txt disallows it)",
            "verdict   Rendering adds 25 links and 7 words.",
            "next      one",
            "          two",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line:?} is not in\n{text}");
        }
        assert!(!text.contains("http://h.test/20\n"), "{text}");
    }

    #[test]
    fn control_characters_are_replaced_and_long_lines_are_cut() {
        let text = answer().to_string();
        assert!(!text.contains('\u{1b}') && text.contains("red \u{fffd}[31m"), "{text}");
        assert!(text.contains(&format!("{} …", "x".repeat(WIDTH))) && !text.contains(&"x".repeat(WIDTH + 1)));
    }

    #[test]
    fn a_page_that_is_not_rendered_has_one_column() {
        let plain = PlainFacts { status: Some(404), content_type: None, bytes: 5, links: None, words: None };
        let text = RenderAnswer { plain: Some(plain), rendered: None, ..answer() }.to_string();
        assert!(text.contains("\n          plain\nstatus    404\nsize      5 B\n\nverdict"), "{text}");
    }
}
