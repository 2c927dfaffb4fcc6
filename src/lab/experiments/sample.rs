//! The paper's sample of a site (SOUrCe 2018, section 3.2): breadth-first, one link a place.

use std::collections::{HashSet, VecDeque};

use rand::Rng;
use rand::seq::IndexedRandom;

use crate::config::ParseOptions;
use crate::lab::corpus::{Corpus, PageId, canonicaliser};
use crate::parse::Parser;
use crate::url::Canonicaliser;

/// Redirects that are followed to a page.
const HOPS_MAX: usize = 5;

/// At most `size` pages of `corpus`, in the order in which they are come by: breadth-first from its seed, but of all links at
/// one Apath of a page only one is followed, drawn from `rng` among those not yet queued. It ends early where no new link is
/// left to draw.
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
    /// One link from each Apath of `page` that has a new one.
    fn draw(&mut self, page: PageId, rng: &mut impl Rng) -> Vec<PageId> {
        let stored = self.corpus.page(page);
        let parsed = self.parser.parse(&stored.body, stored.content_type());
        let mut resolver = self.canonicaliser.resolver(self.corpus.url(page), parsed.base.as_deref());
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
