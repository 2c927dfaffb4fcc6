//! The index of the texts of fetched pages.

mod accounts;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::classes::{PageClass, PageClasses};
use super::compare::Comparison;
use super::content::Content;
use super::holders::{Holders, ShownBy};
use super::key::{ContentId, Kin, Relation, TextKey};
use super::repetitions::Repetitions;
use super::template_words::TemplateWords;
use harvestman_core::model::{PageText, PatternId};

/// Maximum number of pages whose words are retained, to separate their template from their content again, and of these
/// words: 8 MB.
const RETAINED_MAX: usize = 1_500;
const RETAINED_WORDS_MAX: usize = 2 << 20;
/// Maximum number of shingles of all remembered pages, and of distinct ones: some 13 MB and some 44 MB. A map of
/// somewhat more would take twice the memory.
const SHINGLES_MAX: usize = 3 << 20;
const DISTINCT_MAX: usize = 1_800_000;
/// The number of shingles at which a page has half the maximum worth.
const HALF_WORTH: f64 = 10.0;
/// On a page with hardly any running text, a name or another label that no page showed before counts as this many
/// shingles: a profile or a picture shows several, a form or a list that names its subject shows one.
const LABEL_SHINGLES: f64 = 2.5;
/// The maximum worth of a page for its new labels: that of ten shingles. On seven recorded sites, 95 % of the wanted
/// pages took 1.37 requests each with 0.3, 1.26 with 0.5 and 1.28 with 0.8.
const LABELS_WORTH_MAX: f64 = 0.5;
/// The worth of text that other pages hold, relative to that of a page's own.
const HELD_BY_OTHERS: f64 = 0.3;

#[derive(Debug)]
struct Page {
    kin: Kin,
    class: PageClass,
    content: Content,
    /// Number of shingles that it holds.
    own: u32,
    /// Number of its labels that it was the first to show, where it has few shingles.
    new_labels: u32,
    /// A page that it is within, and whether it is within several that are no views of one another.
    within: Option<ContentId>,
    within_several: bool,
    /// Whether it repeats another page.
    repeats: bool,
    /// Whether another page was seen to repeat it, or to be within it.
    is_repeated: bool,
    /// The words, where they are retained.
    text: Option<PageText>,
}

/// The result for a page.
#[derive(Debug, Clone, PartialEq)]
pub struct NewText {
    /// Its key.
    pub id: ContentId,
    /// The page that it repeats.
    pub repeats: Option<(ContentId, Relation)>,
    /// Earlier pages that could have been left out, since this one shows their text.
    pub contains: Vec<ContentId>,
    /// Earlier pages that hold less than before.
    pub touched: Vec<ContentId>,
}

/// The texts of the latest pages.
#[derive(Debug)]
pub struct TextIndex {
    pages: VecDeque<Page>,
    /// The number of the first page in `pages`.
    first: u64,
    pages_max: usize,
    shingles_max: usize,
    distinct_max: usize,
    templates: TemplateWords,
    classes: PageClasses,
    holders: Holders,
    repetitions: Repetitions,
    /// The latest page of each class that shows nothing but its template.
    bare: HashMap<PageClass, ContentId, FixedState>,
    /// The number of pages whose words are retained, and of these words.
    retained: usize,
    retained_words: usize,
    /// The number of shingles of all remembered pages.
    shingles: usize,
}

impl TextIndex {
    /// Creates an index that remembers `pages_max` pages, fewer if they have much text.
    pub fn new(pages_max: usize) -> Self {
        Self {
            pages: VecDeque::new(),
            first: 0,
            pages_max: pages_max.max(1),
            shingles_max: SHINGLES_MAX,
            distinct_max: DISTINCT_MAX,
            templates: TemplateWords::default(),
            classes: PageClasses::default(),
            holders: Holders::default(),
            repetitions: Repetitions::default(),
            bare: HashMap::default(),
            retained: 0,
            retained_words: 0,
            shingles: 0,
        }
    }

    /// Adds a page. Its text counts for it unless the caller declares it a repetition.
    pub fn take_in(&mut self, text: &PageText, kin: Kin) -> NewText {
        let room = self.retained < RETAINED_MAX && self.retained_words + text.len() <= RETAINED_WORDS_MAX;
        let retain = self.templates.see(text, kin) && room;
        self.retained += usize::from(retain);
        self.retained_words += if retain { text.len() } else { 0 };
        let content = self.templates.content(text, kin);
        let shared = self.holders.shared(content.compared().0, ContentId(self.first), self.pages.len());
        let Comparison { alike, within, contains } =
            Comparison::of(&content, &shared, |id| self.page(id).map(|page| &page.content));
        let class = self.classes.of(kin.pattern);
        let is_bare = content.is_empty() && !text.is_empty();
        let alike = alike.or_else(|| self.bare.get(&class).filter(|_| is_bare).copied());
        let text = retain.then(|| text.clone());
        self.count(&content, class);
        let page = Page {
            kin,
            class,
            content,
            own: 0,
            new_labels: 0,
            within: None,
            within_several: false,
            repeats: false,
            is_repeated: false,
            text,
        };
        let (id, touched) = self.insert(page);
        self.repetitions.see(kin.pattern);
        alike.iter().chain(&within).for_each(|other| self.count_repetition(id, *other));
        contains.iter().for_each(|other| self.count_repetition(*other, id));
        if is_bare {
            self.bare.insert(class, id);
        }
        within.iter().for_each(|outer| self.see_within(id, *outer));
        match alike {
            // Each of two views of a page is within the other. Others of their kinds may not be.
            Some(other) => {
                self.see_within(id, other);
                self.see_within(other, id);
            }
            None => contains.iter().for_each(|inner| self.see_within(*inner, id)),
        }
        let outer = within.into_iter().find(|outer| self.could_be_left_out(id, *outer));
        let repeats = alike.map(|other| (other, Relation::Alike)).or(outer.map(|outer| (outer, Relation::Within)));
        let contains = contains.into_iter().filter(|inner| self.could_be_left_out(*inner, id)).collect();
        while self.pages.len() > 1 && self.is_over_limit() {
            self.forget_oldest();
        }
        NewText { id, repeats, contains, touched }
    }

    /// Declares that a page repeats `of`, for which its text then counts. Returns the pages that hold more than before.
    pub fn declare_repetition(&mut self, id: ContentId, of: ContentId) -> Vec<ContentId> {
        let Some(page) = self.page_mut(id) else { return Vec::new() };
        page.repeats = true;
        let Some((page, other)) = self.page(id).zip(self.page(of)) else { return Vec::new() };
        let both = page.content.shingles.iter().filter(|shingle| other.content.shingles.binary_search(shingle).is_ok());
        let both: Vec<TextKey> = both.copied().collect();
        let mut moved = 0;
        for shingle in both {
            moved += u32::from(self.holders.pass(shingle, id, of));
        }
        if let Some(page) = self.page_mut(id) {
            page.own = page.own.saturating_sub(moved);
        }
        if let Some(other) = self.page_mut(of) {
            other.own += moved;
        }
        if moved > 0 { vec![of] } else { Vec::new() }
    }

    /// Returns the worth of a page, from 0 (it has no text) to 1.
    ///
    /// It is the amount of the text that the page holds, times the square root of its share of all its text. Text that
    /// other pages hold counts less, and not at all on a page that repeats another. A page with hardly any running text
    /// is worth something for the labels that it was the first to show.
    pub fn worth(&self, id: ContentId) -> f64 {
        let Some(page) = self.page(id) else { return 0.0 };
        let amount = |shingles: f64| shingles / (shingles + HALF_WORTH);
        let (own, all) = (f64::from(page.own), page.content.shingles.len() as f64);
        let new = amount(own) * (own / all.max(1.0)).sqrt();
        let known = if page.repeats { 0.0 } else { HELD_BY_OTHERS * amount(all - own) };
        let running = new + (1.0 - new) * known;
        let labels = amount(LABEL_SHINGLES * f64::from(page.new_labels)).min(LABELS_WORTH_MAX);
        if page.repeats { running } else { running.max(labels) }
    }

    /// Assigns all pages to their templates and holders again, after their clusters and patterns have changed. `kin_of`
    /// is called for every remembered page.
    pub fn regroup(&mut self, kin_of: impl Fn(ContentId) -> Option<Kin>) {
        self.templates.clear();
        for (id, page) in (self.first..).map(ContentId).zip(&mut self.pages) {
            page.kin = kin_of(id).unwrap_or(page.kin);
            if let Some(text) = &page.text {
                self.templates.see(text, page.kin);
            }
        }
        self.classes.clear();
        self.bare.clear();
        self.shingles = 0;
        self.holders.clear();
        let mut pages = std::mem::take(&mut self.pages);
        for (id, page) in (self.first..).map(ContentId).zip(&mut pages) {
            if let Some(text) = &page.text {
                page.content = self.templates.content(text, page.kin);
            }
            page.class = self.classes.of(page.kin.pattern);
            self.count(&page.content, page.class);
            for shingle in &page.content.shingles {
                self.holders.add(*shingle, id, page.class, |_| false);
            }
        }
        // The ranks of the classes are known only now.
        self.holders.clear();
        for page in pages {
            self.insert(page);
        }
        self.count_containments();
    }

    /// Counts again which pages are within others.
    fn count_containments(&mut self) {
        for page in &self.pages {
            let at = |outer: ContentId| self.pages.get(outer.0.checked_sub(self.first)? as usize);
            let Some(outer) = page.within.and_then(at) else { continue };
            let size = page.content.shingles.len();
            self.classes.see_within(page.class, outer.class, size);
            if page.within_several {
                self.classes.see_several(page.class, outer.class, size);
            }
        }
    }

    /// Counts which classes show the shingles of a page that is about to be inserted.
    fn count(&mut self, content: &Content, class: PageClass) {
        let mut exclusive = 0;
        for shingle in &content.shingles {
            match self.holders.show(*shingle, class) {
                ShownBy::Nobody => exclusive += 1,
                ShownBy::OneClass(other) if other == class => exclusive += 1,
                ShownBy::OneClass(other) => self.classes.share_shingle(other),
                ShownBy::SeveralClasses => {}
            }
        }
        self.classes.add_page(class, content.shingles.len(), exclusive);
    }

    /// Counts that a page repeats `other`, or is within it, unless a third page shows that text too: the other two are
    /// alike without it.
    fn count_repetition(&mut self, id: ContentId, other: ContentId) {
        let Some(one) = self.page(id).map(|page| page.kin.pattern) else { return };
        let Some(page) = self.page_mut(other).filter(|page| !page.repeats && !page.is_repeated) else { return };
        page.is_repeated = true;
        let other = page.kin.pattern;
        self.repetitions.repeat(one, other);
    }

    /// Returns the URL patterns whose pages other pages repeat.
    pub const fn repeated(&self) -> &Arc<HashSet<PatternId, FixedState>> {
        self.repetitions.repeated()
    }

    /// Appends a page and determines what it holds. Returns the pages that hold less than before.
    fn insert(&mut self, mut page: Page) -> (ContentId, Vec<ContentId>) {
        let id = ContentId(self.first + self.pages.len() as u64);
        let mut outranked: HashMap<u32, bool, FixedState> = HashMap::default();
        let mut lost = Vec::new();
        let mut own = 0;
        self.shingles += page.content.shingles.len();
        let (pages, first, classes) = (&self.pages, ContentId(self.first), &self.classes);
        let outranks = |holder: u32| {
            let other = pages.get(holder.wrapping_sub(first.short()) as usize);
            other.is_none_or(|other| {
                !page.repeats
                    && (other.repeats || (other.class != page.class && classes.outranks(page.class, other.class)))
            })
        };
        for shingle in &page.content.shingles {
            let holds = self.holders.add(*shingle, id, page.class, |holder| {
                let wins = *outranked.entry(holder).or_insert_with(|| outranks(holder));
                lost.extend(wins.then_some(holder));
                wins
            });
            own += u32::from(holds);
        }
        page.new_labels = 0;
        for text in &page.content.texts {
            let is_first = self.holders.add(*text, id, page.class, |_| false);
            page.new_labels += u32::from(is_first && page.content.labels.binary_search(text).is_ok());
        }
        page.own = own;
        self.pages.push_back(page);
        lost.sort_unstable();
        let lose = |same: &[u32]| {
            let loser = first.with_short(same[0]);
            let other = self.page_mut(loser)?;
            other.own = other.own.saturating_sub(same.len() as u32);
            Some(loser)
        };
        let lost = lost.chunk_by(|one, other| one == other).filter_map(lose).collect();
        (id, lost)
    }

    /// Learns that the page `inner` is within the page `outer`, unless that is only another view of a page.
    fn see_within(&mut self, inner: ContentId, outer: ContentId) {
        let Some(by) = self.page(outer).filter(|page| !page.repeats).map(|page| page.class) else { return };
        let Some(page) = self.page_mut(inner).filter(|page| page.class != by) else { return };
        let (class, size) = (page.class, page.content.shingles.len());
        let Some(first) = page.within else {
            page.within = Some(outer);
            return self.classes.see_within(class, by, size);
        };
        if !std::mem::replace(&mut page.within_several, true) {
            let by = self.page(first).map_or(by, |first| first.class);
            self.classes.see_several(class, by, size);
        }
    }

    /// Returns whether pages of the kind of `inner` show nothing that pages of the kind of `outer` do not show.
    pub fn could_be_left_out(&self, inner: ContentId, outer: ContentId) -> bool {
        let classes = self.page(inner).zip(self.page(outer)).map(|(inner, outer)| (inner.class, outer.class));
        classes.is_some_and(|(inner, outer)| self.classes.could_be_left_out(inner, outer))
    }

    fn page(&self, id: ContentId) -> Option<&Page> {
        self.pages.get(id.0.checked_sub(self.first)? as usize)
    }

    fn page_mut(&mut self, id: ContentId) -> Option<&mut Page> {
        self.pages.get_mut(id.0.checked_sub(self.first)? as usize)
    }

    fn is_over_limit(&self) -> bool {
        let shingles = self.shingles > self.shingles_max || self.holders.len() > self.distinct_max;
        self.pages.len() > self.pages_max || shingles
    }

    fn forget_oldest(&mut self) {
        let Some(page) = self.pages.pop_front() else { return };
        self.first += 1;
        self.shingles -= page.content.shingles.len();
        self.retained -= usize::from(page.text.is_some());
        self.retained_words -= page.text.as_ref().map_or(0, PageText::len);
        page.content.shingles.iter().chain(&page.content.texts).for_each(|key| self.holders.remove(*key));
    }

    #[cfg(test)]
    pub(super) const fn set_limits(&mut self, shingles_max: usize, distinct_max: usize) {
        (self.shingles_max, self.distinct_max) = (shingles_max, distinct_max);
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.pages.iter().map(|page| page.own as usize).sum()
    }

    #[cfg(test)]
    pub(super) fn known_keys(&self) -> usize {
        self.holders.len()
    }
}
