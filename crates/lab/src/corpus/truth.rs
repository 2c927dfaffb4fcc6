//! What is true of a corpus's pages, and hidden from whatever crawls it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Corpus, PageId};

/// What is true of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The template that its page is made from, as in `forum:thread`.
    pub page_type: Arc<str>,
    /// Whether it shows what users made.
    pub is_ucc: bool,
    /// Whether it is another address or another order of a page that has an address of its own.
    pub is_duplicate_view: bool,
}

/// How many pages of a type there are: HTML with status 200.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TypeCounts {
    /// All of them.
    pub pages: u64,
    /// Those that are no duplicate view.
    pub unique: u64,
}

/// The labels of a corpus. A page counts (as user-created, or as one of its type) only where it is HTML with status 200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// For each page: its label, and whether it is HTML with status 200.
    pages: Vec<(Option<Label>, bool)>,
    ucc: TypeCounts,
    types: BTreeMap<Arc<str>, TypeCounts>,
    knows_ucc: bool,
}

impl Truth {
    /// `labels` are those of the pages of `corpus`, in its order; further ones are ignored. `knows_ucc` says whether they
    /// tell what users made.
    pub fn new(corpus: &Corpus, labels: Vec<Option<Label>>, knows_ucc: bool) -> Self {
        let labels = labels.into_iter().chain(std::iter::repeat(None));
        let pages: Vec<_> = corpus.ids().map(|id| corpus.page(id).is_page()).zip(labels).map(|(a, b)| (b, a)).collect();
        let mut truth = Self { pages, ucc: TypeCounts::default(), types: BTreeMap::new(), knows_ucc };
        truth.count();
        truth
    }

    fn count(&mut self) {
        let (mut ucc, mut types) = (TypeCounts::default(), BTreeMap::<_, TypeCounts>::new());
        for (label, _) in self.pages.iter().filter(|(_, is_page)| *is_page) {
            let Some(label) = label else { continue };
            let unique = u64::from(!label.is_duplicate_view);
            let add = |counts: &mut TypeCounts| {
                counts.pages += 1;
                counts.unique += unique;
            };
            add(types.entry(Arc::clone(&label.page_type)).or_default());
            if label.is_ucc {
                add(&mut ucc);
            }
        }
        (self.ucc, self.types) = (ucc, types);
    }

    /// The label of a URL, whatever answered it.
    pub fn label(&self, id: PageId) -> Option<&Label> {
        self.pages.get(id.index())?.0.as_ref()
    }

    /// The label of a page: of what is HTML with status 200.
    pub fn page(&self, id: PageId) -> Option<&Label> {
        let (label, is_page) = self.pages.get(id.index())?;
        label.as_ref().filter(|_| *is_page)
    }

    /// Whether the labels tell what users made.
    pub const fn knows_ucc(&self) -> bool {
        self.knows_ucc
    }

    /// The pages that users made.
    pub const fn ucc(&self) -> TypeCounts {
        self.ucc
    }

    /// The types that there are pages of, by name, with how many.
    pub const fn types(&self) -> &BTreeMap<Arc<str>, TypeCounts> {
        &self.types
    }
}
