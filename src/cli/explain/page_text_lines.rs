//! What the text of a page added to the crawl, as text for people.

use std::fmt;

use super::archived::Quote;
use super::page_text::PageTextReport;
use super::text::fact;
use harvestman_policy::learned::{RepeatedAt, Repetition, TextHistory, TextShare};

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
