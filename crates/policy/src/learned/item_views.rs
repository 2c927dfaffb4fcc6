//! Further addresses of items: permalinks, pages of comments, sort orders. Their addresses extend that of the item.

use std::collections::BTreeMap;

use super::log::EntryNumber;
use harvestman_core::model::ClusterId;

/// Maximum number of items whose addresses are remembered.
const ITEMS_MAX: usize = 1 << 15;
/// Maximum number of addresses of one item that are found at once.
const VIEWS_MAX: usize = 1 << 10;
/// The characters at which an address can be extended.
const SEPARATORS: [char; 5] = ['/', '?', '&', ';', '#'];

/// The addresses of items, with the numbers and templates of their pages.
#[derive(Debug, Default)]
pub struct ItemViews {
    items: BTreeMap<Box<str>, (EntryNumber, ClusterId)>,
}

impl ItemViews {
    /// Takes in the page of an item. Returns whether its address extends that of an item with the same template, and
    /// the pages whose addresses extend its own. O(length · log items).
    pub fn see(&mut self, url: &str, page: EntryNumber, cluster: ClusterId) -> (bool, Vec<EntryNumber>) {
        let ends = url.match_indices(SEPARATORS).flat_map(|(at, _)| [at, at + 1]).filter(|end| *end < url.len());
        let is_item = |end| self.items.get(&url[..end]).is_some_and(|(_, theirs)| *theirs == cluster);
        let extends = ends.into_iter().any(is_item);
        let longer = self.items.range(Box::<str>::from(url)..).take(VIEWS_MAX);
        let longer = longer.take_while(|(other, _)| other.starts_with(url));
        let views = longer.filter(|(other, (_, theirs))| *theirs == cluster && is_extended(url, other));
        let views = views.map(|(_, (page, _))| *page).collect();
        if self.items.len() < ITEMS_MAX {
            self.items.insert(url.into(), (page, cluster));
        }
        (extends, views)
    }
}

/// Whether `longer`, which begins with `url`, is more than that, and continues with another part.
fn is_extended(url: &str, longer: &str) -> bool {
    longer.len() > url.len() && (url.ends_with(SEPARATORS) || longer[url.len()..].starts_with(SEPARATORS))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POST: ClusterId = ClusterId(3);
    const LIST: ClusterId = ClusterId(4);

    #[test]
    fn addresses_that_extend_an_items_are_views_of_it_whichever_comes_first() {
        let mut views = ItemViews::default();
        let mut see = |url: &str, page, cluster| {
            let (extends, others) = views.see(url, EntryNumber(page), cluster);
            (extends, others.into_iter().map(|id| id.0).collect::<Vec<_>>())
        };
        assert_eq!(see("http://h/2024/06/", 0, LIST), (false, vec![]));
        assert_eq!(see("http://h/2024/06/old/", 1, POST), (false, vec![]), "the list has another template");
        assert_eq!(see("http://h/2024/06/old/comment-page-2/", 2, POST), (true, vec![]));
        assert_eq!(see("http://h/2024/06/old/?replytocom=7", 3, POST), (true, vec![]));
        assert_eq!(see("http://h/t/521/title/4", 4, POST), (false, vec![]));
        assert_eq!(see("http://h/t/521/title", 5, POST), (false, vec![4]), "the view came first");
        assert_eq!(see("http://h/v?topic=5&start=10", 6, POST), (false, vec![]));
        assert_eq!(see("http://h/v?topic=5", 7, POST), (false, vec![6]));
        assert_eq!(see("http://h/v?topic=57", 8, POST), (false, vec![]), "another item");
    }

    /// Whether `longer` continues `url` at a separator, straightforwardly.
    fn extends(longer: &str, url: &str) -> bool {
        let Some(rest) = longer.strip_prefix(url) else { return false };
        !rest.is_empty() && (rest.starts_with(SEPARATORS) || url.ends_with(SEPARATORS))
    }

    #[test]
    fn items_and_views_found_at_once_are_bounded() {
        let mut views = ItemViews::default();
        for page in 0..VIEWS_MAX + 10 {
            views.see(&format!("http://h/a/{page}"), EntryNumber(page as u64), POST);
        }
        assert_eq!(views.see("http://h/a", EntryNumber(0), POST).1.len(), VIEWS_MAX);
        for page in 0..ITEMS_MAX {
            views.see(&format!("http://h/b{page}"), EntryNumber(page as u64), POST);
        }
        assert_eq!(views.items.len(), ITEMS_MAX);
        assert!(views.see("http://h/a/1/b", EntryNumber(1), POST).0, "what is remembered still counts");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_addresses_are_compared_as_by_comparing_each_pair(urls in prop::collection::vec("h[ab/?&]{1,5}", 1..20)) {
            let mut views = ItemViews::default();
            let mut known: Vec<(usize, &str)> = Vec::new();
            for (number, url) in urls.iter().enumerate() {
                let (found, mut others) = views.see(url, EntryNumber(number as u64), POST);
                others.sort_unstable();
                prop_assert_eq!(found, known.iter().any(|(_, other)| extends(url, other)));
                let wanted: Vec<EntryNumber> =
                    known.iter().filter(|(_, other)| extends(other, url)).map(|(at, _)| EntryNumber(*at as u64)).collect();
                prop_assert_eq!(others, wanted);
                known.retain(|(_, other)| other != url);
                known.push((number, url));
            }
        }
    }
}
