//! What the text of a page added to the crawl, from the observations and the archive of the crawl.

use std::fmt;

use serde::Serialize;

use super::directory::{CrawlDirectory, Quote};
use crate::cli::output::fact;
use harvestman_core::model::{MediaType, PageRecord};
use harvestman_pipeline::TextReplay;
use harvestman_policy::learned::{RepeatedAt, Repetition, TextHistory, TextKey, TextShare, TextTrace};

/// What the text of a page added to the crawl.
#[derive(Debug, Serialize)]
pub(super) struct PageTextReport {
    /// Why nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// What it added.
    #[serde(flatten)]
    pub history: Option<TextHistory>,
    /// Words of it that no other page said when it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_words: Option<Quote>,
    /// What other pages say of it, for each of the pages that most of it counts for.
    pub said_elsewhere: Vec<Quote>,
}

impl PageTextReport {
    /// Follows a fetched page through the observations of the crawl; a replay that failed says why.
    pub fn of(directory: &CrawlDirectory, page: &PageRecord, replay: Result<TextReplay, String>) -> Self {
        match replay.and_then(|replay| history(replay, directory, page)) {
            Ok(history) => Self::with_quotes(directory, &page.url, history),
            Err(unknown) => Self { unknown: Some(unknown), history: None, new_words: None, said_elsewhere: Vec::new() },
        }
    }

    fn with_quotes(directory: &CrawlDirectory, url: &str, history: TextHistory) -> Self {
        let quote = |url: &str, shingles: &[TextKey]| Quote::of(directory, url, shingles);
        let new = [&history.arrival.only_here_keys, &history.latest_share().own_keys];
        let new = new.into_iter().find(|shingles| !shingles.is_empty());
        let said_by = history.latest_share().said_by.iter();
        Self {
            unknown: None,
            new_words: new.map(|shingles| quote(url, shingles)),
            said_elsewhere: said_by.map(|page| quote(&page.url, &page.keys)).collect(),
            history: Some(history),
        }
    }
}

/// Returns what is known, or why nothing is.
fn history(replay: TextReplay, directory: &CrawlDirectory, page: &PageRecord) -> Result<TextHistory, String> {
    let policy = directory.config.crawl.policy.name();
    let why = match replay {
        TextReplay::NotLearned => {
            format!(
                "the policy of the crawl ({policy}) does not learn from texts: only ucc, target, xcrawl and topic do, in their default variant"
            )
        }
        TextReplay::NotPersisted if !directory.config.state.enabled => {
            "the crawl did not keep what its policy learned from (state.enabled = false)".to_owned()
        }
        TextReplay::NotPersisted if !directory.config.fleet.servers.is_empty() => {
            "in a fleet, one node learns for all, and none keeps in its directory what it learned from".to_owned()
        }
        TextReplay::NotPersisted => "the directory does not hold what the policy learned from".to_owned(),
        TextReplay::Unreadable => {
            "what the policy learned from cannot be read: it was written by another version, or with other settings"
                .to_owned()
        }
        TextReplay::Done { trace: TextTrace::Page(history), .. } if history.words > 0 => return Ok(*history),
        TextReplay::Done { trace: TextTrace::Page(_), .. } => "the policy saw no text of it".to_owned(),
        TextReplay::Done { trace: TextTrace::Unread, .. } => {
            "its text was not read, because what pages of its link class are worth was known by then".to_owned()
        }
        TextReplay::Done { trace: TextTrace::NoPage, .. } => "it is no page with a text".to_owned(),
        TextReplay::Done { trace: TextTrace::NotObserved, .. } if !is_html(page) => "it is no HTML page".to_owned(),
        TextReplay::Done { observations, trace: TextTrace::NotObserved, .. } => format!(
            "it is not among the {observations} fetches that are kept: a crawl that is killed loses its latest ones, a policy \
             that is behind leaves some out, and of a long crawl only the first and the latest ones are kept"
        ),
    };
    Err(why)
}

fn is_html(page: &PageRecord) -> bool {
    MediaType::of(page.content_type.as_deref()) == MediaType::Html
}

impl fmt::Display for PageTextReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.unknown {
            writeln!(f, "  {why}")?;
        }
        let Some(history) = &self.history else { return Ok(()) };
        shares(f, history)?;
        if let Some(repeats) = &history.repeats {
            duplicate(f, repeats)?;
        }
        self.new_words.iter().try_for_each(|quote| said(f, "new text", quote))?;
        self.said_elsewhere.iter().try_for_each(|quote| said(f, "same text", quote))
    }
}

fn shares(f: &mut fmt::Formatter<'_>, history: &TextHistory) -> fmt::Result {
    let (arrival, share) = (&history.arrival, history.latest_share());
    let (words, shingles) = (history.words, share.shingles);
    fact(f, "words", format_args!("{words}, which make {shingles} different runs of three words of running text"))?;
    fact(f, "template", format_args!("{} of these runs are stock text of its page type", share.template))?;
    if share.uncompared > 0 {
        fact(f, "", format_args!("{} were not compared: the page is too long", share.uncompared))?;
    }
    fact(f, "new", format_args!("{} were on no other page when it came", arrival.only_here))?;
    if history.latest.is_none() {
        return fact(f, "", "since then so many pages have come that it is no longer remembered");
    }
    fact(f, "", format_args!("{} are on no other page now", share.only_here))?;
    let worth = history.worth.map(|worth| format!(" (worth {worth:.2} of 1)")).unwrap_or_default();
    fact(f, "counted", format_args!("{} count for this page{worth}", share.own))?;
    elsewhere(f, share)
}

fn elsewhere(f: &mut fmt::Formatter<'_>, share: &TextShare) -> fmt::Result {
    for page in &share.said_by {
        let when = if page.earlier { "came before" } else { "came later" };
        fact(f, "", format_args!("{} count for {}, which {when}", page.shingles, page.url))?;
    }
    if share.other_pages > 0 {
        fact(f, "", format_args!("{} count for {} other pages", share.other_shingles, share.other_pages))?;
    }
    if share.forgotten > 0 {
        fact(f, "", format_args!("{} count for pages that are no longer remembered", share.forgotten))?;
    }
    Ok(())
}

fn duplicate(f: &mut fmt::Formatter<'_>, repeats: &Repetition) -> fmt::Result {
    let Some((url, overlap)) = repeats.url.as_ref().zip(repeats.overlap) else {
        return fact(f, "duplicate", "it shows nothing but the stock text of its page type, as earlier pages do");
    };
    let relation = match overlap.relation {
        "alike" => "another view of",
        "within" => "contained in",
        _ => "a repetition of",
    };
    let since = match repeats.when {
        RepeatedAt::Arrival => "found when it came",
        RepeatedAt::Later => "found when that page came",
    };
    fact(f, "duplicate", format_args!("{relation} {url}, {since}"))?;
    let what = if overlap.compared == "texts" { "texts" } else { "runs" };
    let (share, other) = (100.0 * overlap.share, 100.0 * overlap.share_of_other);
    fact(f, "", format_args!("{share:.0} % of its {what} are there, {other:.0} % of that page's are here"))
}

fn said(f: &mut fmt::Formatter<'_>, name: &str, quote: &Quote) -> fmt::Result {
    match (&quote.words, &quote.missing) {
        (Some(words), _) => fact(f, name, format_args!("“{words}” ({})", quote.url)),
        (None, Some(why)) => fact(f, name, format_args!("not shown ({}): {why}", quote.url)),
        (None, None) => Ok(()),
    }
}
