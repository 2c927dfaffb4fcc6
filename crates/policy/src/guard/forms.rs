//! The bounded set of URL forms that a crawl has met.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::form::{Form, FormId};
use harvestman_core::model::TrapMeasure;

/// Maximum number of forms that are remembered.
const FORMS_MAX: usize = 1 << 15;
/// Maximum number of forms that are searched for one that shows something new; beyond it such a form is assumed to be
/// among the rest.
const REACH_MAX: usize = 64;

/// The forms.
#[derive(Debug, Default)]
pub(super) struct Forms {
    known: HashMap<FormId, Form, FixedState>,
    /// The crawl's fetch at which the set was last full.
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

    /// The form of a URL that is the crawl's fetch `at`. `None` where there is no room for another form.
    pub(super) fn meet(&mut self, id: FormId, url: &str, at: u64) -> Option<&mut Form> {
        if self.known.len() >= FORMS_MAX && !self.known.contains_key(&id) {
            // Removes forms without a measure that were not met since the set was last full.
            let since = std::mem::replace(&mut self.full_at, at);
            self.known.retain(|_, form| form.measure != TrapMeasure::None || form.seen >= since);
        }
        let room = self.known.len() < FORMS_MAX;
        if room || self.known.contains_key(&id) {
            return Some(self.known.entry(id).or_insert_with(|| Form::new(url)));
        }
        None
    }

    /// Whether links of the form `id` may lead to something new, directly or through other forms, without passing
    /// `from`: there is no evidence against the form yet, or it recently led to such a form.
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

    /// Renames all forms by the URL of each; forms with the same new name are merged.
    pub(super) fn rename(&mut self, name: impl Fn(&str) -> FormId) {
        let mut all: Vec<(FormId, Form)> = std::mem::take(&mut self.known).into_iter().collect();
        // Sorted, so that the result does not depend on the order of the map.
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
