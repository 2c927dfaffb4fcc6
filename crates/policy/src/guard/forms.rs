//! All forms of address that a crawl has met, bounded.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::form::{Form, FormId};
use harvestman_core::model::TrapMeasure;

/// Forms that are remembered at most.
const FORMS_MAX: usize = 1 << 15;
/// Forms that are looked at on the way to one that shows something new; where there are more, one is taken to be among them.
const REACH_MAX: usize = 64;

/// The forms.
#[derive(Debug, Default)]
pub(super) struct Forms {
    known: HashMap<FormId, Form, FixedState>,
    /// The crawl's fetch at which there was no room last.
    full_at: u64,
}

impl Forms {
    pub(super) fn get(&self, id: FormId) -> Option<&Form> {
        self.known.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: FormId) -> Option<&mut Form> {
        self.known.get_mut(&id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (FormId, &Form)> {
        self.known.iter().map(|(id, form)| (*id, form))
    }

    /// The form of an address that was fetched, as the crawl's fetch `at`. None where there is no room for another one.
    pub(super) fn meet(&mut self, id: FormId, url: &str, at: u64) -> Option<&mut Form> {
        if self.known.len() >= FORMS_MAX && !self.known.contains_key(&id) {
            // Those that were not met since it was last full, and that nothing is done about.
            let since = std::mem::replace(&mut self.full_at, at);
            self.known.retain(|_, form| form.measure != TrapMeasure::None || form.seen >= since);
        }
        let room = self.known.len() < FORMS_MAX;
        if room || self.known.contains_key(&id) {
            return Some(self.known.entry(id).or_insert_with(|| Form::new(url)));
        }
        None
    }

    /// Whether links of the form `id` may lead to something new, at once or through other forms, but for those over `from`: nothing
    /// speaks against it yet, or it led lately to a form of which that holds.
    pub(super) fn may_lead_on(&self, id: FormId, from: FormId) -> bool {
        let (mut met, mut next) = (vec![from, id], 1);
        while let Some(id) = met.get(next) {
            next += 1;
            let Some(form) = self.get(*id) else { return true };
            if form.is_barren() {
                continue;
            }
            if form.may_show_something() || met.len() > REACH_MAX {
                return true;
            }
            for lead in form.leads() {
                if !met.contains(&lead) {
                    met.push(lead);
                }
            }
        }
        false
    }

    /// Gives all forms other names, by an address of each; what then has one name is one form.
    pub(super) fn rename(&mut self, name: impl Fn(&str) -> FormId) {
        let mut all: Vec<(FormId, Form)> = std::mem::take(&mut self.known).into_iter().collect();
        // In an order of their own, so that nothing depends on that of the map.
        all.sort_unstable_by_key(|(id, _)| *id);
        for (_, mut form) in all {
            form.forget_leads();
            match self.known.get_mut(&name(&form.example)) {
                Some(known) => known.merge(form),
                None => drop(self.known.insert(name(&form.example), form)),
            }
        }
    }
}
