//! The target page map: the paths from the entry to the wanted pages of a sample, and the path that is generalised.

use std::collections::BTreeSet;

use super::rule::{Rule, similar, tokens};

/// A page of the sample.
#[derive(Debug)]
pub(super) struct MapPage {
    pub url: Box<str>,
    /// The earlier page that it was discovered on.
    pub parent: Option<usize>,
    pub wanted: bool,
}

/// Pages at one level of the map with similar URLs.
#[derive(Debug)]
struct Group {
    members: Vec<usize>,
    parent: Option<usize>,
}

/// The rules from the entry, which has none, to the group of URLs with most wanted pages; of equal groups the one
/// nearest to the entry. `None` if no page but the entry is wanted.
pub(super) fn navigation_pattern(sample: &[MapPage]) -> Option<Vec<Rule>> {
    let groups = grow(sample);
    let wanted = |group: &Group| group.members.iter().filter(|page| sample[**page].wanted).count();
    let best = (1..groups.len()).max_by_key(|at| (wanted(&groups[*at]), std::cmp::Reverse(*at)))?;
    if wanted(&groups[best]) == 0 {
        return None;
    }
    let way = std::iter::successors(Some(best), |at| groups[*at].parent).filter(|at| *at > 0);
    let mut rules: Vec<Rule> = way.filter_map(|at| rule(sample, &groups[at])).collect();
    rules.reverse();
    Some(rules)
}

fn rule(sample: &[MapPage], group: &Group) -> Option<Rule> {
    Rule::of(&group.members.iter().map(|page| tokens(&sample[*page].url)).collect::<Vec<_>>())
}

/// The groups of the map, level by level: the first contains the entries; below each group follow those of its pages'
/// children that lead to wanted pages.
fn grow(sample: &[MapPage]) -> Vec<Group> {
    let children = children_on_the_way(sample);
    let entries = (0..sample.len()).filter(|page| sample[*page].parent.is_none()).collect();
    let mut groups = vec![Group { members: entries, parent: None }];
    let mut at = 0;
    while at < groups.len() {
        let below: Vec<usize> = groups[at].members.iter().flat_map(|page| children[*page].iter().copied()).collect();
        groups.extend(split(sample, below).into_iter().map(|members| Group { members, parent: Some(at) }));
        at += 1;
    }
    groups
}

/// The children of each page that are wanted or lead to a wanted page.
fn children_on_the_way(sample: &[MapPage]) -> Vec<BTreeSet<usize>> {
    let mut children = vec![BTreeSet::new(); sample.len()];
    for target in (0..sample.len()).filter(|page| sample[*page].wanted) {
        let mut page = target;
        // A page whose path is known has a known path to the entry.
        while let Some(parent) = sample[page].parent.filter(|parent| *parent < page) {
            if !children[parent].insert(page) {
                break;
            }
            page = parent;
        }
    }
    children
}

/// Splits pages into groups: each joins the first group whose URLs are all similar to its own.
fn split(sample: &[MapPage], pages: Vec<usize>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for page in pages {
        let of_page = tokens(&sample[page].url);
        let fits = |group: &&mut Vec<usize>| group.iter().all(|one| similar(&tokens(&sample[*one].url), &of_page));
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(page),
            None => groups.push(vec![page]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(path: &str, parent: Option<usize>, wanted: bool) -> MapPage {
        MapPage { url: format!("http://h.test{path}").into(), parent, wanted }
    }

    #[test]
    fn the_path_to_most_wanted_pages_is_generalised_level_by_level() {
        let sample = [
            sampled("/", None, false),
            sampled("/board/1", Some(0), false),
            sampled("/board/2", Some(0), false),
            sampled("/about", Some(0), false),
            sampled("/hot", Some(0), false),
            sampled("/topic/11", Some(1), true),
            sampled("/topic/22", Some(2), true),
            sampled("/topic/33", Some(4), true),
        ];
        let rules = navigation_pattern(&sample).unwrap();
        let matches = |path: &str| {
            let url = format!("http://h.test{path}");
            rules.iter().map(|rule| rule.matches(&tokens(&url))).collect::<Vec<_>>()
        };
        assert_eq!(matches("/board/7"), [true, false]);
        assert_eq!(matches("/topic/7"), [false, true]);
        assert_eq!([matches("/about"), matches("/hot")], [[false, false], [false, false]]);
    }

    #[test]
    fn without_a_wanted_page_there_is_no_path() {
        assert_eq!(navigation_pattern(&[]), None);
        assert_eq!(navigation_pattern(&[sampled("/", None, true), sampled("/a", Some(0), false)]), None);
    }
}
