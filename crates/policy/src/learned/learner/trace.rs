//! Follows one page through the observations of a crawl: what its text added, and how it was judged.

use super::LearnedPolicy;
use super::judged::JudgedPage;
use crate::learned::judgement::{Judgement, WaitingLink};
use crate::learned::text::ContentId;
use crate::learned::text_history::{HOLDERS_MAX, RepeatedAt, Repetition, SaidBy, TextHistory, TextShare, TextTrace};
use crate::{Observation, Outcome, Policy};
use harvestman_core::model::PageText;
use harvestman_core::url::CanonicalUrl;

/// Shows a learner the observations of a crawl again and watches what it makes of the text of one page. Nothing of it
/// is known to the learner, so that it costs a crawl nothing.
pub struct TextTracer {
    learner: LearnedPolicy,
    url: CanonicalUrl,
    page: Option<TracedPage>,
    trace: TextTrace,
    judged: JudgedPage,
}

/// The page as it was last observed.
struct TracedPage {
    id: ContentId,
    text: PageText,
    arrival: TextShare,
    repeats: Option<Repetition>,
}

impl TextTracer {
    /// Watches the page at `url`; the learner must have seen nothing of the crawl yet.
    pub fn new(learner: LearnedPolicy, url: CanonicalUrl) -> Self {
        let judged = JudgedPage::new(url.clone());
        Self { learner, url, page: None, trace: TextTrace::NotObserved, judged }
    }

    /// Shows the next observation.
    pub fn observe(&mut self, mut seen: Observation) {
        let is_it = seen.url == self.url;
        let text = match &mut seen.outcome {
            Outcome::Page(facts) if is_it => Some(facts.text.clone()),
            _ => None,
        };
        self.judged.before(&self.learner, &seen);
        self.learner.observe(seen);
        self.judged.after(&self.learner, is_it);
        // Nothing is fetched here, so nothing is proposed either.
        drop(self.learner.proposals());
        match text {
            Some(Some(text)) => self.arrive(text),
            Some(None) => self.trace = TextTrace::Unread,
            None if is_it => self.trace = TextTrace::NoPage,
            None => self.watch(),
        }
    }

    /// Returns how the page was judged when it came; `None` if no page came.
    pub fn judgement(&self) -> Option<&Judgement> {
        self.judged.judgement()
    }

    /// Returns what is expected of the link to the page after the last observation, if it was found and not fetched.
    pub fn waiting(&mut self) -> Option<WaitingLink> {
        self.judged.waiting(&mut self.learner)
    }

    /// Returns what is known after the last observation.
    pub fn finish(mut self) -> TextTrace {
        let Some(page) = self.page.take() else { return self.trace };
        let latest = self.share(page.id, &page.text);
        let worth = self.learner.log.of_content(page.id).map(|entry| entry.worth.value);
        TextTrace::Page(Box::new(TextHistory {
            words: page.text.len(),
            arrival: page.arrival,
            latest,
            repeats: page.repeats,
            worth,
        }))
    }

    /// Notes what the page added when it was learned from.
    fn arrive(&mut self, text: PageText) {
        let latest = self.learner.log.iter().next_back();
        let Some(id) = latest.and_then(|entry| entry.content()) else { return };
        let Some(arrival) = self.share(id, &text) else { return };
        let repeats = self.is_duplicate(id).then(|| {
            let closest = self.learner.content.closest(id);
            closest.and_then(|(other, _)| self.repetition(id, other, RepeatedAt::Arrival))
        });
        // A page that shows nothing but its template repeats others without having anything in common with them.
        let repeats = repeats.map(|repeats| repeats.unwrap_or_else(Repetition::of_template));
        self.page = Some(TracedPage { id, text, arrival, repeats });
    }

    /// Notes if the page repeats the one that was just learned from.
    fn watch(&mut self) {
        let Some(id) = self.page.as_ref().filter(|page| page.repeats.is_none()).map(|page| page.id) else { return };
        if !self.is_duplicate(id) {
            return;
        }
        let latest = self.learner.log.iter().next_back().and_then(|entry| entry.content());
        let repeats = latest.and_then(|other| self.repetition(id, other, RepeatedAt::Later));
        if let Some(page) = &mut self.page {
            page.repeats = repeats;
        }
    }

    fn is_duplicate(&mut self, id: ContentId) -> bool {
        self.learner.log.of_content(id).and_then(|entry| entry.page).is_some_and(|page| page.duplicate)
    }

    fn repetition(&mut self, id: ContentId, other: ContentId, when: RepeatedAt) -> Option<Repetition> {
        let overlap = self.learner.content.overlap(id, other)?;
        Some(Repetition { url: Some(self.url_of(other)?), overlap: Some(overlap.into()), when })
    }

    fn url_of(&mut self, id: ContentId) -> Option<String> {
        Some(self.learner.log.of_content(id)?.url.as_str().to_owned())
    }

    fn share(&mut self, id: ContentId, text: &PageText) -> Option<TextShare> {
        let account = self.learner.content.account(id, text)?;
        let others = account.others.iter().take(HOLDERS_MAX).filter_map(|(other, shingles)| {
            let url = self.url_of(*other)?;
            Some(SaidBy { url, shingles: shingles.len(), earlier: *other < id, keys: shingles.clone() })
        });
        let said_by = others.collect();
        Some(TextShare::new(account, said_by))
    }
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
