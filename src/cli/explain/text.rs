//! The history of a URL as text for people.

use std::fmt;

use serde_json::Value;

use super::policy_log::{Knowledge, Named};
use super::story::Story;
use crate::cli::output::fact;
use harvestman_core::model::PageRecord;

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.url)?;
        match (&self.page, &self.verdict) {
            (Some(page), _) => {
                fate(f, page)?;
                self.way(f, page)?;
                self.turn(f, page)?;
                if let Some(judged) = &self.judged {
                    write!(f, "\nhow it was judged\n{judged}")?;
                }
                if let Some(rendering) = &self.rendering {
                    write!(f, "\nhow it was rendered\n{rendering}")?;
                }
                if let Some(text) = &self.text {
                    write!(f, "\nwhat its text added\n{text}")?;
                }
            }
            (None, Some(verdict)) => {
                writeln!(f, "  {verdict}")?;
                self.waiting.iter().try_for_each(|link| write!(f, "\nwhat is expected of it\n{link}"))?;
            }
            (None, None) => {}
        }
        self.links(f)
    }
}

fn fate(f: &mut fmt::Formatter<'_>, page: &PageRecord) -> fmt::Result {
    let reason = page.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let status = page.status.map(|status| format!(", status {status}")).unwrap_or_default();
    fact(f, "fate", format_args!("{}{reason}{status}", page.fate))?;
    if let Some(time) = &page.time {
        fact(f, "requested", format_args!("{time}, {} bytes, {} request(s)", page.bytes, page.attempts))?;
    }
    if let Some(why) = &page.unread {
        fact(f, "not read", unread(why, page.content_type.as_deref()))?;
    }
    match page.markup.as_deref() {
        Some("xml") => fact(f, "read as", "XML")?,
        Some("broken_xml") => fact(f, "read as", "HTML: it is declared to be XML, but is not well-formed")?,
        _ => {}
    }
    if let Some(element) = &page.unended {
        let what = if element == "comment" { "a comment".to_owned() } else { format!("an element `{element}`") };
        fact(f, "unended", format_args!("{what} has no end: what follows was read as markup"))?;
    }
    if let Some(to) = &page.redirect_to {
        fact(f, "leads to", to)?;
    }
    if let Some(title) = &page.title {
        fact(f, "title", title)?;
    }
    if let Some(part) = &page.given_up {
        fact(f, "given up", format_args!("the {part}: it takes too long to find them"))?;
    }
    match page.cluster {
        Some(1) => fact(f, "cluster", "1: outliers"),
        Some(cluster) => fact(f, "cluster", cluster),
        None => Ok(()),
    }
}

/// Returns what of the body was not read for links, and why.
fn unread(why: &str, content_type: Option<&str>) -> String {
    match why {
        "media_type" => {
            format!("its media type ({}) is none of a page or a feed", content_type.unwrap_or("not stated"))
        }
        "content_coding" => "the rest of the body: its content coding is broken".to_owned(),
        "too_long" => "the rest of the body: it is longer than fetch.decoded_max".to_owned(),
        other => other.to_owned(),
    }
}

impl Story {
    fn way(&self, f: &mut fmt::Formatter<'_>, page: &PageRecord) -> fmt::Result {
        writeln!(f, "\nhow it was found (depth {})", page.depth)?;
        if let Some(query) = &self.query {
            return writeln!(f, "  it is the answer of a search to the query `{query}`");
        }
        if self.chain.is_empty() {
            return writeln!(f, "  it is a seed");
        }
        for (at, step) in self.chain.iter().enumerate() {
            let last = at + 1 == self.chain.len();
            let what = match (&step.query, &step.fate, last) {
                (Some(query), ..) => format!("the answer of a search to the query `{query}`"),
                (None, None, _) => "a sitemap".to_owned(),
                (None, Some(fate), true) => format!("{fate}, a seed"),
                (None, Some(fate), false) => fate.clone(),
            };
            writeln!(f, "  on {} ({what})", step.url)?;
        }
        Ok(())
    }

    fn turn(&self, f: &mut fmt::Formatter<'_>, page: &PageRecord) -> fmt::Result {
        writeln!(f, "\nwhy it was selected")?;
        let Some((class, snapshot)) = page.class.as_deref().zip(page.snapshot) else {
            return writeln!(
                f,
                "  the policy does not learn: URLs nearest to the seeds first, in the order of discovery"
            );
        };
        let (pinned, class) = class.strip_prefix("pinned:").map_or((false, class), |class| (true, class));
        if pinned {
            writeln!(f, "  such links were pinned (`harvestman ctl DIR pin`)")?;
        }
        let class = class.strip_prefix("last:").unwrap_or(class);
        let mut parts = class.split('/');
        let (cluster, apath) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let pattern = parts.next().unwrap_or_default();
        let known = self.policy.as_ref();
        let named = known.and_then(|known| known.class.as_ref());
        let spelt = named.and_then(|named| named.record.pattern.as_deref()).unwrap_or(pattern);
        fact(f, "class", class)?;
        fact(
            f,
            "  pages",
            if cluster == "0" { "not clustered yet".to_owned() } else { format!("in cluster {cluster}") },
        )?;
        fact(f, "  place", apath)?;
        fact(f, "  pattern", spelt)?;
        fact(f, "score", page.score.map_or("none".to_owned(), |score| format!("{score:.4}")))?;
        fact(f, "snapshot", snapshot)?;
        match known {
            Some(known) => knowledge(f, known),
            None => writeln!(f, "  no policy log was written (setting policy.log), so no details are known"),
        }
    }

    fn links(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.linked_from.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nlinked from")?;
        for link in &self.linked_from {
            let new = if link.new { ", discovered here" } else { "" };
            let refused = link.refused.as_ref().map(|why| format!(", refused: {why}")).unwrap_or_default();
            writeln!(f, "  {} (at {}{new}{refused})", link.page, link.apath)?;
        }
        Ok(())
    }
}

fn knowledge(f: &mut fmt::Formatter<'_>, known: &Knowledge) -> fmt::Result {
    let Knowledge { time, generation, observations, .. } = known;
    fact(f, "", format_args!("published {time} after {observations} fetches, generation {generation}"))?;
    let clusters = known.lesson.as_ref().and_then(|lesson| lesson.site.as_ref()?["clusters"].as_object());
    if let Some(clusters) = clusters {
        let sizes: Vec<String> = clusters.iter().map(|(cluster, pages)| format!("{cluster} ({pages})")).collect();
        fact(f, "clusters", format_args!("{} (pages of the sample)", sizes.join(", ")))?;
    }
    match &known.class {
        Some(named) => terms(f, named),
        None => fact(f, "terms", "not logged: too many classes changed at once, or the class was not seen again"),
    }
}

fn terms(f: &mut fmt::Formatter<'_>, named: &Named) -> fmt::Result {
    let record = &named.record;
    fact(f, "class seen", format_args!("{} times, as {}", record.uses, record.like))?;
    let Some(Value::Object(terms)) = &record.terms else { return Ok(()) };
    let terms: Vec<String> = terms
        .iter()
        .map(|(name, value)| value.as_f64().map_or(format!("{name} {value}"), |value| format!("{name} {value:.4}")))
        .collect();
    fact(f, "terms", format_args!("{} (as of snapshot {})", terms.join(", "), named.as_of))
}
