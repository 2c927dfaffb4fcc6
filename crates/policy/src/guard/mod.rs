//! The guard against traps that a site's structure makes: forms of address that grow without bringing anything new. Calendars,
//! options of lists, log-in pages that hold the address of a log-in page.
//!
//! In: every fetch that has ended. Out: [`Verdicts`], what is said of links by the form of their address.
//!
//! * The unit is the **form** of an address (the pattern of its path, its parameters' names, nothing of what nests in it) on a host.
//! * A page is **fruitful** if it shows a text or a picture that no page showed before, numbers left out, or has a new link to
//!   another form that may show such. Redirects are judged by where they lead; of errors nothing is concluded.
//! * A form whose pages bring nothing for long ([`form`]) is put **last**: its links wait until no others do, unless the
//!   policy has learnt what they are worth. Nothing is lost by it.
//! * If its pages are alike besides and it **feeds itself** – its fruitless pages bring new addresses of it, so that it need never
//!   end – it is **cut off**:
//!   links on its pages are refused, to it and to others that bring nothing. What other pages link to is still fetched, last.
//! * If it goes on like this, it is **closed**: all links to it are refused, and what waits is let go. A link now and then is
//!   followed all the same, each time after twice as many; one page that brings something takes the form up again.

mod form;
mod forms;
mod guarded;
mod novelty;
#[cfg(test)]
mod tests;
mod verdicts;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use form::{FormId, Showing};
use forms::Forms;
pub use guarded::Guarded;
use novelty::Novelty;
pub use verdicts::{Verdict, Verdicts};
use verdicts::{form_of, host_of};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Observation, Outcome};
use harvestman_core::model::{TrapMeasure, TrapRecord};
use harvestman_core::url::origin_of;
use harvestman_structure::site::{UrlPatternLearner, UrlPatterns};

/// URLs after which forms are learnt for the first time; and again each time that there are twice as many.
const FIRST_LESSON: u64 = 64;
/// What waits is looked through at each change of what is said. Where something is refused from now on, or not any more, between two
/// changes go so many fetches for each change before, so that n fetches cost at most some √n such looks.
const PAUSE: u64 = 8;
/// What is only put last, or not any more, has time: it is said after so many fetches and a quarter of all before, or with the rest.
const PATIENCE: u64 = 64;
/// Forms that are named at most.
const NAMED_MAX: usize = 50;

/// The guard.
#[derive(Debug)]
pub struct StructureGuard {
    learner: UrlPatternLearner,
    patterns: Arc<UrlPatterns>,
    urls: u64,
    next_lesson: u64,
    shown: Novelty,
    forms: Forms,
    fetches: u64,
    /// Whether measures have changed that are not published yet, and whether one of them refuses or did.
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
            next_lesson: FIRST_LESSON,
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
        if !matches!(seen.outcome, Outcome::Failed) {
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
        if self.urls >= self.next_lesson {
            self.next_lesson = 2 * self.urls;
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
        form.see(Showing { fresh, fruitful, other }, &leads, self.fetches);
        let due = form.due(fruitful);
        if due != form.measure {
            self.changed = true;
            self.urgent |= due.max(form.measure) >= TrapMeasure::Cut;
            form.take(due, self.fetches);
            form.example = url.into();
        }
    }

    /// Whether it is anything that was not shown on this host before. What is no page is always taken for new.
    fn shows_something(&mut self, url: &str, outcome: &Outcome) -> bool {
        let host = host_of(url);
        match outcome {
            Outcome::Page(page) => self.shown.take_in(page.gist.iter().map(|shown| shown ^ host)),
            Outcome::Document => true,
            Outcome::Redirected | Outcome::Failed => false,
        }
    }

    /// Whether no page of its form has shown the same things together.
    fn shows_it_otherwise(&mut self, form: FormId, outcome: &Outcome) -> bool {
        let Outcome::Page(page) = outcome else { return false };
        // Added: what stands beside what counts, not in which order.
        let all = page.gist.iter().fold(0_u64, |all, shown| all.wrapping_add(*shown));
        self.shown.take_in(std::iter::once(xxh3_64_with_seed(&all.to_le_bytes(), form)))
    }

    /// The forms of a page's new links, each once.
    fn leads(&self, seen: &Observation) -> Vec<FormId> {
        let mut leads: Vec<FormId> = seen.new.iter().map(|link| form_of(&self.patterns, link.url.as_str())).collect();
        leads.sort_unstable();
        leads.dedup();
        leads
    }

    /// Notes of each form that a fruitless page of the form `page` brings addresses of whether it grows by itself: whether it is that
    /// form, or leads there.
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

    /// What is said of links now.
    pub fn verdicts(&self) -> Arc<Verdicts> {
        Arc::clone(&self.verdicts)
    }

    /// Grows when that changes.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// The forms that measures were taken against, the strictest first; of equals those that most was refused of.
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
