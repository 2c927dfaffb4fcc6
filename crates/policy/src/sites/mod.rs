//! A crawl of several sites: one model for each program that they run.
//!
//! A site is what a host serves. Its first page decides which model it gets: that of a site whose pages have their
//! links at the same places, because the same program made them, or a new one. Sites that share a model share all that
//! was learned of it; what one site teaches another is thus in force at once, and fades as each goes on.
//!
//! The number of a model is a part of the patterns of URLs ([`PatternId::model`]), so that a class of links is judged
//! by its own model wherever it is met. Model 0 is that of the first site: a crawl of one site has no other.
//!
//! [`PatternId::model`]: harvestman_core::model::PatternId::model

mod places;
mod snapshot;
mod stored;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::learned::{Facts, LearnedPolicy, ReadPage, RecentYield, SAMPLE_BYTES_MAX, SiteModel};
use crate::{Needs, NewLink, Observation, Outcome, Policy, PolicyFacts, PolicySnapshot, Proposal};
use harvestman_core::model::Apath;
use places::{Places, SAME_PROGRAM};
use snapshot::SitesSnapshot;
pub(crate) use stored::ClassModels;
use table::{MODELS_MAX, SITES_MAX, SiteTable, site_of};

/// Maximum number of fetches that all models together remember, and maximum size of the pages that their templates are
/// learned from: beyond it, the model whose sites were not fetched for longest forgets its pages.
const REMEMBERED_MAX: usize = 40_000;
const SAMPLES_BYTES_MAX: usize = 2 * SAMPLE_BYTES_MAX;
/// The share of that size that every model has.
const SAMPLE_BYTES_MIN: usize = 1 << 20;

/// Makes the model of a site that nothing is known of.
pub type MakeModel = dyn Fn() -> LearnedPolicy + Send;

/// A policy that has a model for each program of its sites.
pub struct SitesPolicy {
    make: Box<MakeModel>,
    models: Vec<Model>,
    sites: Arc<SiteTable>,
    /// The snapshots of the models, as of the latest snapshot.
    published: Vec<Arc<dyn PolicySnapshot>>,
    /// The models that have learned since then.
    changed: Vec<u16>,
    recent_yield: RecentYield,
    proposals: Vec<Proposal>,
    version: u64,
    /// What all models remember.
    remembered: usize,
    samples_bytes: usize,
    /// The number of sites that were given another model than they waited under.
    moved: u64,
    /// The first number that no cluster of any model ever had.
    next_name: u32,
}

/// A model, and by what its sites are recognised.
struct Model {
    learner: LearnedPolicy,
    places: Places,
    pages: u64,
    /// The version of the policy at which it learned last.
    learned: u64,
}

impl SitesPolicy {
    /// A policy that starts with these models, each with the places of links on its sites' pages; there is at least
    /// one, which is that of the first site if it is the only one. `make` makes those of sites that fit none.
    pub fn new(known: Vec<(LearnedPolicy, Vec<Apath>)>, make: Box<MakeModel>) -> Self {
        let next_name = known.iter().map(|(model, _)| model.next_name()).max().unwrap_or_default();
        let mut policy = Self {
            make,
            models: Vec::new(),
            sites: Arc::default(),
            published: Vec::new(),
            changed: Vec::new(),
            recent_yield: RecentYield::default(),
            proposals: Vec::new(),
            remembered: 0,
            samples_bytes: 0,
            version: 0,
            moved: 0,
            next_name,
        };
        for (learner, places) in known {
            policy.add(learner, Places::stored(places));
        }
        policy
    }

    fn add(&mut self, mut learner: LearnedPolicy, places: Places) -> u16 {
        let number = self.models.len() as u16;
        let share = SAMPLES_BYTES_MAX / (self.models.len() + 1);
        learner.set_sample_bytes_max(share.clamp(SAMPLE_BYTES_MIN, SAMPLE_BYTES_MAX));
        self.published.push(learner.snapshot());
        self.models.push(Model { learner, places, pages: 0, learned: 0 });
        number
    }

    /// The model of the site of an observation; `None` until a page shows which it is.
    fn model_of(&mut self, seen: &Observation) -> Option<u16> {
        let site = site_of(seen.url.as_str());
        if let Some(model) = self.sites.get(site) {
            return Some(*model);
        }
        let model = if self.models.len() == 1 && self.models[0].pages == 0 {
            0
        } else if matches!(seen.outcome, Outcome::Page(_)) {
            self.choose(&Places::of(seen))
        } else {
            return None;
        };
        if self.sites.len() < SITES_MAX {
            Arc::make_mut(&mut self.sites).insert(site.into(), model);
            self.moved += u64::from(model != 0);
        }
        Some(model)
    }

    /// Has the model with the oldest knowledge forget its pages while all remember too much; the latest never does.
    fn forget_pages(&mut self) {
        while self.remembered > REMEMBERED_MAX || self.samples_bytes > SAMPLES_BYTES_MAX {
            let remembers = |model: &Model| model.learner.remembered() > 0 && model.learned < self.version;
            let oldest = self.models.iter_mut().enumerate().filter(|(_, model)| remembers(model));
            let Some((number, model)) = oldest.min_by_key(|(_, model)| model.learned) else { return };
            self.remembered -= model.learner.remembered();
            self.samples_bytes -= model.learner.sample_bytes();
            model.learner.forget_pages();
            self.note_change(number as u16);
        }
    }

    fn note_change(&mut self, number: u16) {
        if !self.changed.contains(&number) {
            self.changed.push(number);
        }
    }

    /// The model of a site with such a page: the one that fits best, or a new one.
    fn choose(&mut self, page: &Places) -> u16 {
        let fits = self.models.iter().enumerate().map(|(number, model)| (model.places.share_of(page), number));
        let (share, best) = fits.fold((0.0, 0), |best, next| if next.0 > best.0 { next } else { best });
        if share >= SAME_PROGRAM || self.models.len() >= MODELS_MAX {
            best as u16
        } else {
            let learner = (self.make)();
            self.add(learner, Places::default())
        }
    }
}

impl Policy for SitesPolicy {
    fn observe(&mut self, mut seen: Observation) {
        self.version += 1;
        let Some(number) = self.model_of(&seen) else { return };
        let site = site_of(seen.url.as_str());
        let is_elsewhere = |link: &NewLink| site_of(link.url.as_str()) != site;
        if seen.new.iter().any(is_elsewhere) {
            let (elsewhere, here) = std::mem::take(&mut seen.new).into_iter().partition(is_elsewhere);
            seen.new = here;
            let elsewhere: Vec<NewLink> = elsewhere;
            for link in elsewhere {
                if let Some(model) = self.sites.get(site_of(link.url.as_str())) {
                    self.models[usize::from(*model)].learner.see_link(link.url.as_str());
                }
            }
        }
        let model = &mut self.models[usize::from(number)];
        model.places.add(&seen);
        model.pages += u64::from(matches!(seen.outcome, Outcome::Page(_)));
        model.learned = self.version;
        let before = model.learner.recent_yield();
        let (remembered, sample_bytes) = (model.learner.remembered(), model.learner.sample_bytes());
        model.learner.set_next_name(self.next_name);
        model.learner.observe(seen);
        self.next_name = model.learner.next_name();
        self.recent_yield.expect(model.learner.recent_yield().latest_since(before));
        self.proposals.extend(model.learner.proposals());
        self.remembered = self.remembered + model.learner.remembered() - remembered;
        self.samples_bytes = self.samples_bytes + model.learner.sample_bytes() - sample_bytes;
        self.note_change(number);
        self.forget_pages();
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        for number in self.changed.drain(..) {
            let number = usize::from(number);
            self.published[number] = self.models[number].learner.snapshot();
        }
        let generation = self.generation();
        Arc::new(SitesSnapshot {
            version: self.version,
            generation,
            patterns_version: self.published.iter().map(|model| model.patterns_version()).sum::<u64>() + self.moved,
            recent_yield: self.recent_yield,
            sites: Arc::clone(&self.sites),
            models: self.published.clone(),
        })
    }

    fn proposals(&mut self) -> Vec<Proposal> {
        std::mem::take(&mut self.proposals)
    }

    fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        let mut models = self.models.iter_mut();
        let mut model_of = |model: &mut Model| {
            let places = model.places.sorted();
            Some(model.learner.site_model(&mut *read)?.with_places(places))
        };
        let mut whole = model_of(models.next()?)?;
        models.filter_map(model_of).for_each(|other| whole.join(other));
        Some(whole)
    }

    fn site_facts(&self, mut read: Option<&mut ReadPage>) -> Option<Facts> {
        let mut facts = Facts::default();
        for model in &self.models {
            let read = read.as_mut().map(|read| &mut **read as &mut ReadPage);
            facts.add(model.learner.site_facts(read)?);
        }
        Some(facts)
    }

    fn generation(&self) -> u64 {
        self.models.iter().map(|model| model.learner.generation()).sum::<u64>() + self.moved
    }

    fn facts(&self) -> PolicyFacts {
        let all = self.models.iter().map(|model| model.learner.facts());
        all.reduce(PolicyFacts::together).unwrap_or_default()
    }

    fn note(&self) -> Option<String> {
        self.models[0].learner.note()
    }

    fn needs(&self) -> Needs {
        let all = self.models.iter().map(|model| model.learner.needs());
        all.reduce(Needs::together).unwrap_or_default()
    }
}
