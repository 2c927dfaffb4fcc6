//! What an index knows of one page, for display.

use harvestman_core::model::PageText;

use super::TextIndex;
use crate::learned::text::account::TextAccount;
use crate::learned::text::compare::Overlap;
use crate::learned::text::content::all_shingles;
use crate::learned::text::key::{ContentId, Relation};

impl TextIndex {
    /// Returns what counts for a page, and for which pages the rest of its `text` counts. `None` if it was forgotten.
    pub fn account(&self, id: ContentId, text: &PageText) -> Option<TextAccount> {
        let page = self.page(id)?;
        let uncut = all_shingles(text, self.templates.of(page.kin));
        let cut = self.templates.content(text, page.kin).shingles.len();
        let shown_by = |key| {
            let (holder, pages) = self.holders.holder(key)?;
            let is_remembered = (holder.wrapping_sub(ContentId(self.first).short()) as usize) < self.pages.len();
            Some((is_remembered.then(|| ContentId(self.first).with_short(holder)), pages))
        };
        Some(TextAccount::of(id, text, &page.content.shingles, uncut.len() - cut, shown_by))
    }

    /// Compares two pages. `None` if one of them was forgotten.
    pub fn overlap(&self, id: ContentId, other: ContentId) -> Option<Overlap> {
        Some(Overlap::of(&self.page(id)?.content, &self.page(other)?.content))
    }

    /// Compares a page with all others, and returns the one that it is like or, if there is none, within: that with
    /// which it has most in common, and of several the first. O(text of all pages).
    pub fn closest(&self, id: ContentId) -> Option<(ContentId, Overlap)> {
        let page = &self.page(id)?.content;
        let others = (self.first..).map(ContentId).zip(&self.pages).filter(|(other, _)| *other != id);
        let close = others.map(|(other, by)| (other, Overlap::of(page, &by.content)));
        let rank = |overlap: Overlap| match overlap.relation() {
            Some(Relation::Alike) => 1.0 + overlap.jaccard(),
            _ => overlap.share(),
        };
        let close = close.filter(|(_, overlap)| overlap.relation().is_some());
        close.min_by(|(_, one), (_, other)| rank(*other).total_cmp(&rank(*one)))
    }
}
