//! The tags of a static site: which pages have which, and the lists of them.

use std::ops::Range;

use super::path::push;

/// Maximum number of pages that a list shows.
const LISTED: u64 = 62;
/// Number of tags of a page.
const TAGS: u64 = 2;

/// The lists, numbered by their page and then by their tag.
#[derive(Debug)]
pub(super) struct TagLists {
    tags: u64,
    pages: u64,
}

impl TagLists {
    /// The lists of the tags of this number of pages. There are no tags without pages.
    pub fn new(tags: u64, pages: u64) -> Self {
        Self { tags: tags.min(pages), pages }
    }

    /// The tags of a page: two of them, as far as there are as many.
    pub fn of(&self, page: u64) -> impl Iterator<Item = u64> + '_ {
        (0..TAGS.min(self.tags)).filter_map(move |at| (page + at).checked_rem(self.tags))
    }

    /// The name of a tag.
    pub fn name(tag: u64) -> String {
        format!("t{tag}")
    }

    /// The number of all lists.
    pub fn lists(&self) -> u64 {
        self.tags * self.pages_of_list()
    }

    /// The number of pages of the list of a tag.
    fn pages_of_list(&self) -> u64 {
        (self.entries().end).div_ceil(LISTED)
    }

    /// The entries of the whole list of a tag; the last ones may be empty.
    fn entries(&self) -> Range<u64> {
        0..self.pages.div_ceil(self.tags.max(1)) * TAGS.min(self.tags)
    }

    /// The page of a tag's list with this number, from 0.
    pub fn list(&self, tag: u64, page: u64) -> u64 {
        page * self.tags + tag
    }

    /// The pages that a list shows.
    pub fn pages(&self, list: u64) -> impl Iterator<Item = u64> + '_ {
        let (tag, page) = (list % self.tags, list / self.tags);
        let entries = page * LISTED..((page + 1) * LISTED).min(self.entries().end);
        let each = TAGS.min(self.tags);
        let pages = entries.map(move |entry| entry / each * self.tags + (tag + self.tags - entry % each) % self.tags);
        pages.filter(|page| *page < self.pages)
    }

    /// The list that continues a list.
    pub fn next(&self, list: u64) -> Option<u64> {
        Some(list + self.tags).filter(|next| *next < self.lists())
    }

    /// Appends the path of a list: `/tag/t3/`, `/tag/t3/page-2/`.
    pub fn write_path(&self, list: u64, out: &mut String) {
        out.push_str("/tag/");
        out.push_str(&Self::name(list % self.tags));
        out.push('/');
        if list >= self.tags {
            out.push_str("page-");
            push(out, list / self.tags + 1);
            out.push('/');
        }
    }

    /// The list at a path.
    pub fn list_at(&self, path: &str) -> Option<u64> {
        let mut parts = path.strip_prefix("/tag/t")?.strip_suffix('/')?.splitn(2, '/');
        let tag = parts.next()?.parse().ok().filter(|tag| *tag < self.tags)?;
        let page: u64 = parts.next().map_or(Some(1), |rest| rest.strip_prefix("page-")?.parse().ok())?;
        Some(self.list(tag, page.checked_sub(1)?)).filter(|list| *list < self.lists())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_lists_of_a_tag_show_the_pages_that_have_it() {
        for (tags, pages) in [(1, 1), (1, 200), (2, 7), (3, 500), (50, 1_000), (7, 3)] {
            let lists = TagLists::new(tags, pages);
            let lists = &lists;
            let shown = (0..lists.lists()).flat_map(|list| lists.pages(list).map(move |page| (list % tags, page)));
            let shown: Vec<_> = shown.collect();
            let all: BTreeSet<_> = (0..pages).flat_map(|page| lists.of(page).map(move |tag| (tag, page))).collect();
            assert_eq!(shown.iter().copied().collect::<BTreeSet<_>>(), all, "{tags} tags, {pages} pages");
            assert_eq!(shown.len(), all.len(), "each once");
            assert!((0..lists.lists()).all(|list| lists.pages(list).count() as u64 <= LISTED));
        }
    }

    #[test]
    fn paths_lead_to_their_lists_and_pages_of_lists_to_the_next() {
        let lists = TagLists::new(3, 500);
        assert!(lists.lists() > 3);
        for list in 0..lists.lists() {
            let mut path = String::new();
            lists.write_path(list, &mut path);
            assert_eq!(lists.list_at(&path), Some(list), "{path}");
            assert_eq!(lists.next(list).is_none(), list + 3 >= lists.lists());
        }
        for path in ["/tag/t3/", "/tag/t1", "/tag/tx/", "/tag/t1/page-0/", "/tag/t1/page-99/", "/tag/t1/2/"] {
            assert_eq!(lists.list_at(path), None, "{path}");
        }
    }

    #[test]
    fn without_tags_there_are_no_lists() {
        let lists = TagLists::new(0, 9);
        assert_eq!((lists.lists(), lists.of(3).count(), lists.list_at("/tag/t0/")), (0, 0, None));
    }
}
