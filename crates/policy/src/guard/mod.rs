//! The guard against structure traps: URL forms of a site that grow without showing anything new, such as calendars,
//! list options, and log-in pages whose URL contains the URL of a log-in page.
//!
//! Input: every fetch that has ended. Output: [`Verdicts`] on links by the form of their URL.
//!
//! * The unit is the **form** of a URL (the pattern of its path and its parameters' names, without nested URLs) on a
//!   host.
//! * A page is **fruitful** if it shows a text or a picture that no page showed before, numbers ignored, or has a new
//!   link to another form that may show such. Redirects are judged by where they lead; errors are not judged.
//! * A form whose pages show nothing for long ([`form`]) is put **last**: its links wait until no others do, unless the
//!   policy has learned what they are worth. Nothing is lost.
//! * If its pages are also alike and it **feeds itself** – its fruitless pages bring new URLs of the form, so that it
//!   need never end – it is **cut off**: links on its pages are rejected, to the form itself and to other barren ones.
//!   What other pages link to is still fetched, last.
//! * If this continues, it is **closed**: all links to it are rejected, and waiting URLs of it are dropped. From time
//!   to time a link is followed nevertheless, each time after twice as many; a single page that shows something new
//!   reopens the form.

mod form;
mod forms;
mod novelty;
mod policy;
#[cfg(test)]
mod tests;
mod verdicts;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use form::{FormId, PageNovelty};
use forms::Forms;
use novelty::Novelty;
pub use policy::GuardedPolicy;
pub use verdicts::{Verdict, Verdicts};
use verdicts::{form_of, host_of};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::search::SearchReply;
use super::{Observation, Outcome};
use harvestman_core::model::{TrapMeasure, TrapRecord};
use harvestman_core::url::origin_of;
use harvestman_structure::site::{UrlPatternLearner, UrlPatterns};

/// Number of URLs after which forms are learned for the first time, and again each time the number has doubled.
const FIRST_UPDATE: u64 = 64;
/// Number of fetches between two publications with a rejecting measure, per earlier publication: each publication makes
/// the frontier check all waiting URLs, so that n fetches cause at most about √n checks.
const PAUSE: u64 = 8;
/// Number of fetches, plus a quarter of all before, between two publications that only put forms last or end that;
/// these may wait for others.
const PATIENCE: u64 = 64;
/// Maximum number of forms that are listed.
const NAMED_MAX: usize = 50;

/// The guard.
#[derive(Debug)]
pub struct StructureGuard {
    learner: UrlPatternLearner,
    patterns: Arc<UrlPatterns>,
    urls: u64,
    next_update: u64,
    shown: Novelty,
    forms: Forms,
    fetches: u64,
    /// Whether unpublished measures exist, and whether one of them rejects links or did so before.
    changed: bool,
    urgent: bool,
    generation: u64,
    published: u64,
    verdicts: Arc<Verdicts>,
}

impl Default for StructureGuard {
    fn default() -> Self {
        Self {
            learner: UrlPatternLearner::default(),
            patterns: Arc::default(),
            urls: 0,
            next_update: FIRST_UPDATE,
            shown: Novelty::default(),
            forms: Forms::default(),
            fetches: 0,
            changed: false,
            urgent: false,
            generation: 0,
            published: 0,
            verdicts: Arc::default(),
        }
    }
}

impl StructureGuard {
    /// Learns from a fetch that has ended.
    pub fn observe(&mut self, seen: &Observation) {
        self.fetches += 1;
        self.learn_forms(seen);
        if !matches!(seen.outcome, Outcome::Failed | Outcome::Search(SearchReply::Forbidden)) {
            self.judge(seen);
        }
        let pause = if self.urgent { PAUSE * self.generation } else { PATIENCE + self.published / 4 };
        if self.changed && self.fetches >= self.published + pause {
            self.publish();
        }
    }

    fn learn_forms(&mut self, seen: &Observation) {
        for link in &seen.new {
            self.learner.see(link.url.as_str());
        }
        self.urls += seen.new.len() as u64;
        if self.urls >= self.next_update {
            self.next_update = 2 * self.urls;
            let patterns = Arc::new(self.learner.patterns());
            self.forms.rename(|url| form_of(&patterns, url));
            self.changed |= !self.verdicts.is_empty();
            self.patterns = patterns;
        }
    }

    fn judge(&mut self, seen: &Observation) {
        let url = seen.url.as_str();
        let own = form_of(&self.patterns, url);
        let fresh = self.shows_something(url, &seen.outcome);
        let other = self.shows_it_otherwise(own, &seen.outcome);
        let leads = self.leads(seen);
        let fruitful = fresh || leads.iter().any(|lead| *lead != own && self.forms.may_lead_on(*lead, own));
        if !fruitful {
            self.note_growth(own, &leads);
        }
        let Some(form) = self.forms.meet(own, url, self.fetches) else { return };
        form.see(PageNovelty { fresh, fruitful, other }, &leads, self.fetches);
        let due = form.due(fruitful);
        if due != form.measure {
            self.changed = true;
            self.urgent |= due.max(form.measure) >= TrapMeasure::Cut;
            form.take(due, self.fetches);
            form.example = url.into();
        }
    }

    /// Whether anything is new to the host. A document that is no page is always new.
    fn shows_something(&mut self, url: &str, outcome: &Outcome) -> bool {
        let host = host_of(url);
        match outcome {
            Outcome::Page(page) => self.shown.take_in(page.gist.iter().map(|shown| shown ^ host)),
            Outcome::Document | Outcome::Search(_) => true,
            Outcome::Redirected | Outcome::Failed => false,
        }
    }

    /// Whether no page of its form has shown the same combination of items.
    fn shows_it_otherwise(&mut self, form: FormId, outcome: &Outcome) -> bool {
        let Outcome::Page(page) = outcome else { return false };
        // Summed: the combination counts, not the order.
        let all = page.gist.iter().fold(0_u64, |all, shown| all.wrapping_add(*shown));
        self.shown.take_in(std::iter::once(xxh3_64_with_seed(&all.to_le_bytes(), form)))
    }

    /// The distinct forms of a page's new links.
    fn leads(&self, seen: &Observation) -> Vec<FormId> {
        let mut leads: Vec<FormId> = seen.new.iter().map(|link| form_of(&self.patterns, link.url.as_str())).collect();
        leads.sort_unstable();
        leads.dedup();
        leads
    }

    /// Counts the growth of each form whose new URLs a fruitless page of the form `page` brings: if it is the same
    /// form, or leads to that form.
    fn note_growth(&mut self, page: FormId, leads: &[FormId]) {
        for lead in leads {
            if let Some(form) = self.forms.get_mut(*lead)
                && (*lead == page || form.leads_to(page))
            {
                form.fed();
            }
        }
    }

    fn publish(&mut self) {
        (self.changed, self.urgent, self.published) = (false, false, self.fetches);
        let taken = self.forms.iter().filter(|(_, form)| form.measure != TrapMeasure::None);
        let taken = taken.map(|(id, form)| (&*form.example, id, form.measure, Arc::clone(&form.refused)));
        self.verdicts = Arc::new(Verdicts::new(taken, Arc::clone(&self.patterns)));
        self.generation += 1;
    }

    /// The current verdicts on links.
    pub fn verdicts(&self) -> Arc<Verdicts> {
        Arc::clone(&self.verdicts)
    }

    /// Grows when the verdicts change.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// The forms with a measure, the strictest measures first, then those with most rejected links.
    pub fn traps(&self) -> Vec<TrapRecord> {
        let taken = self.forms.iter().filter(|(_, form)| form.measure != TrapMeasure::None);
        let mut traps: Vec<TrapRecord> = taken
            .map(|(_, form)| TrapRecord {
                form: format!("{}{}", origin_of(&form.example), self.patterns.spell_form(&form.example)),
                example: form.example.to_string(),
                measure: form.measure,
                fetched: form.fetched,
                fruitful: form.fruitful,
                refused: form.refused.load(Ordering::Relaxed),
                since: form.since,
            })
            .collect();
        let key = |trap: &TrapRecord| std::cmp::Reverse((trap.measure, trap.refused, trap.fetched));
        traps.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.form.cmp(&b.form)));
        traps.truncate(NAMED_MAX);
        traps
    }
}
