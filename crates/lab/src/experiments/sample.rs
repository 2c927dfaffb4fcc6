//! The paper's sample of a site (SOUrCe 2018, section 3.2): breadth-first, one link per position.

use std::collections::{HashSet, VecDeque};

use rand::Rng;
use rand::seq::IndexedRandom;

use crate::corpus::{Corpus, PageId, canonicaliser};
use harvestman_core::config::ParseOptions;
use harvestman_core::url::Canonicaliser;
use harvestman_structure::parse::Parser;

/// Maximum number of redirects followed to a page.
const HOPS_MAX: usize = 5;

/// Returns at most `size` pages of `corpus`, in the order of discovery: breadth-first from its seed, but following only
/// one of all links at an Apath of a page, drawn from `rng` among those not yet queued. Ends early when no new link is
/// left.
pub fn apath_sample(corpus: &Corpus, size: usize, rng: &mut impl Rng) -> Vec<PageId> {
    let mut sampler = Sampler {
        corpus,
        parser: Parser::new(&ParseOptions::default()),
        canonicaliser: canonicaliser(),
        queued: HashSet::from([corpus.seed()]),
    };
    let mut queue = VecDeque::from([corpus.seed()]);
    let (mut sample, mut sampled) = (Vec::new(), HashSet::new());
    while let Some(id) = queue.pop_front().filter(|_| sample.len() < size) {
        let Some(page) = corpus.landing(id, HOPS_MAX).filter(|page| corpus.page(*page).is_page()) else { continue };
        if sampled.insert(page) {
            sample.push(page);
            queue.extend(sampler.draw(page, rng));
        }
    }
    sample
}

struct Sampler<'a> {
    corpus: &'a Corpus,
    parser: Parser,
    canonicaliser: Canonicaliser,
    queued: HashSet<PageId>,
}

impl Sampler<'_> {
    /// Draws one new link from each Apath of `page` that has any.
    fn draw(&mut self, page: PageId, rng: &mut impl Rng) -> Vec<PageId> {
        let stored = self.corpus.page(page);
        let parsed = self.parser.parse(&stored.body, stored.content_type());
        let mut resolver =
            self.canonicaliser.document_resolver(self.corpus.url(page), parsed.base.as_deref(), parsed.charset);
        let mut drawn = Vec::new();
        for group in &parsed.groups {
            let mut known = |href: &str| self.corpus.find_fingerprint(resolver.resolve(href).ok()?.fingerprint());
            let mut new: Vec<_> = group.links.iter().filter_map(|link| known(parsed.href(link))).collect();
            new.retain(|id| !self.queued.contains(id));
            if let Some(id) = new.choose(rng) {
                self.queued.insert(*id);
                drawn.push(*id);
            }
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::experiments::tests::forum;
    use harvestman_core::seed::Seed;

    #[test]
    fn one_link_per_position_is_drawn_at_a_time_and_all_in_the_end() {
        let corpus = forum(100, 3);
        let (mut rng, page) = (Seed(1).rng(), corpus.seed());
        let canonicaliser = canonicaliser();
        let mut parser = Parser::new(&ParseOptions::default());
        let mut sampler = Sampler {
            corpus: &corpus,
            parser: Parser::new(&ParseOptions::default()),
            canonicaliser: canonicaliser.clone(),
            queued: HashSet::new(),
        };
        let parsed = parser.parse(&corpus.page(page).body, None);
        let mut resolver = canonicaliser.resolver(corpus.url(page), None);
        let mut at = |href: &str| corpus.find_fingerprint(resolver.resolve(href).ok()?.fingerprint());
        let places: Vec<BTreeSet<_>> = parsed
            .groups
            .iter()
            .map(|group| group.links.iter().filter_map(|link| at(parsed.href(link))).collect())
            .collect();
        let linked: BTreeSet<_> = places.iter().flatten().copied().collect();
        assert!(linked.len() > places.len(), "some place has several links");
        let mut drawn = BTreeSet::new();
        loop {
            let now = sampler.draw(page, &mut rng);
            assert!(now.len() <= places.len() && now.iter().all(|id| drawn.insert(*id)), "none is drawn twice");
            if now.is_empty() {
                break;
            }
        }
        assert_eq!(drawn, linked);
    }

    #[test]
    fn a_sample_has_each_page_once_and_is_the_same_for_the_same_seed() {
        let corpus = forum(150, 4);
        let sample = |size, seed| apath_sample(&corpus, size, &mut Seed(seed).rng());
        let forty = sample(40, 1);
        assert_eq!((forty.len(), forty[0]), (40, corpus.seed()));
        assert!(forty.iter().all(|id| corpus.page(*id).is_page()));
        assert_eq!(forty.iter().collect::<BTreeSet<_>>().len(), 40);
        assert_eq!((forty.clone(), &forty[..20]), (sample(40, 1), &sample(20, 1)[..]));
        assert_ne!(forty, sample(40, 2));
        assert_eq!(sample(0, 1), []);
        assert!(sample(usize::MAX, 1).len() <= corpus.len(), "it ends where nothing is left");
    }
}
