//! Hub weights by HITS between known authorities and other pages (xCrawl 2009, section 4, `FindHubs`).
//!
//! The validator has decided what an authority is, so authority weights exist only for known authorities and hub
//! weights only for other nodes. O(steps · links from and to known authorities).

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::WebGraph;
use crate::site::hits::{Convergence, Hits, Norm, Reinforcement, hits_from};

/// What the operators sum over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HubForm {
    /// H: the sum of the authority weights of a page's successors; A: the sum of the hub weights of a page's
    /// predecessors (Kleinberg 1999). A hub is a page that links to authorities.
    #[default]
    Standard,
    /// As printed: both sum over the predecessors. A hub is a page that authorities link to.
    Printed,
}

/// The authority weights that the iteration starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuthorityStart {
    /// 1 for each known authority, as printed: the outcome of the validator overwrites the authority weights.
    #[default]
    Validated,
    /// The weights of the previous computation; 1 for new authorities. It needs fewer steps if little has changed. If
    /// the links form several parts without links between them, parts that had a weight of 0 keep it.
    Previous,
}

/// The parameters of [`hub_weights`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HubOptions {
    /// What the operators sum over.
    pub form: HubForm,
    /// Where the iteration starts.
    pub start: AuthorityStart,
    /// The norm of the weights.
    pub norm: Norm,
    /// When the iteration ends.
    pub until: Convergence,
}

impl Default for HubOptions {
    /// The standard form from 1 for each authority, until nothing changes by a millionth, 50 steps at most.
    fn default() -> Self {
        Self {
            form: HubForm::default(),
            start: AuthorityStart::default(),
            norm: Norm::L2,
            until: Convergence { change: 1e-6, steps_max: 50 },
        }
    }
}

/// The weights of all nodes as hubs, and of the authorities as authorities.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HubWeights {
    /// By node; 0 for authorities.
    pub hub: Vec<f64>,
    /// In the order of [`WebGraph::authorities`].
    pub authority: Vec<f64>,
    /// The number of steps.
    pub steps: u32,
}

/// Computes the weights. `previous` are those of an earlier state of the same graph, for [`AuthorityStart::Previous`].
pub fn hub_weights(graph: &WebGraph, previous: Option<&HubWeights>, options: &HubOptions) -> HubWeights {
    let bipartite = Bipartite::of(graph, options.form);
    let mut authority = vec![1.0; graph.authorities().len()];
    if let (AuthorityStart::Previous, Some(previous)) = (options.start, previous) {
        authority.iter_mut().zip(&previous.authority).for_each(|(start, previous)| *start = *previous);
    }
    let start = Hits { authority, hub: vec![0.0; bipartite.hubs.len()], steps: 0 };
    let found = hits_from(&bipartite, start, options.norm, options.until);
    let mut hub = vec![0.0; graph.nodes() as usize];
    bipartite.hubs.iter().zip(found.hub).for_each(|(node, weight)| hub[*node as usize] = weight);
    HubWeights { hub, authority: found.authority, steps: found.steps }
}

/// The links between authorities and other nodes, each side numbered from 0.
struct Bipartite {
    /// The nodes that are no authorities.
    hubs: Vec<u32>,
    authorities: usize,
    /// Pairs (hub, authority) that H sums over.
    to_hubs: Vec<(u32, u32)>,
    /// Pairs (hub, authority) that A sums over; `None` if they are the same.
    to_authorities: Option<Vec<(u32, u32)>>,
}

impl Bipartite {
    fn of(graph: &WebGraph, form: HubForm) -> Self {
        let mut sides = Sides { graph, hubs: Vec::new(), number: HashMap::default() };
        let above = sides.pairs(|graph, authority| graph.predecessors(authority).collect());
        let below =
            (form == HubForm::Printed).then(|| sides.pairs(|graph, authority| graph.successors(authority).collect()));
        let authorities = graph.authorities().len();
        let (to_hubs, to_authorities) = match below {
            Some(below) => (below, Some(above)),
            None => (above, None),
        };
        Self { hubs: sides.hubs, authorities, to_hubs, to_authorities }
    }
}

impl Reinforcement for Bipartite {
    fn hubs(&self, authority: &[f64]) -> Vec<f64> {
        let mut hub = vec![0.0; self.hubs.len()];
        self.to_hubs.iter().for_each(|&(to, from)| hub[to as usize] += authority[from as usize]);
        hub
    }

    fn authorities(&self, hub: &[f64]) -> Vec<f64> {
        let mut authority = vec![0.0; self.authorities];
        let pairs = self.to_authorities.as_ref().unwrap_or(&self.to_hubs);
        pairs.iter().for_each(|&(from, to)| authority[to as usize] += hub[from as usize]);
        authority
    }
}

/// Numbers the nodes that are no authorities.
struct Sides<'g> {
    graph: &'g WebGraph,
    hubs: Vec<u32>,
    number: HashMap<u32, u32, FixedState>,
}

impl Sides<'_> {
    /// Returns the pairs of each authority with those of its neighbours that are no authorities.
    fn pairs(&mut self, neighbours: impl Fn(&WebGraph, u32) -> Vec<u32>) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for (number, authority) in (0..).zip(self.graph.authorities()) {
            for node in neighbours(self.graph, *authority) {
                if !self.graph.is_authority(node) {
                    pairs.push((self.number_of(node), number));
                }
            }
        }
        pairs
    }

    fn number_of(&mut self, node: u32) -> u32 {
        let next = self.hubs.len() as u32;
        let number = *self.number.entry(node).or_insert(next);
        if number == next {
            self.hubs.push(node);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::site::web_graph::made::{Made, add, made, nodes, url};

    fn options(form: HubForm, start: AuthorityStart) -> HubOptions {
        HubOptions { form, start, until: Convergence { change: 1e-13, steps_max: 3_000 }, ..HubOptions::default() }
    }

    fn close(one: &[f64], other: &[f64], by: f64) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < by)
    }

    #[test]
    fn a_list_of_two_authorities_outweighs_a_page_that_links_to_one() {
        // A = [[1, 1], [1, 0]] of hubs 0, 1 and authorities 2, 3: h = (φ, 1) and a = (φ, 1), each of length 1.
        let graph = Made::new(&[(0, &[2, 3, 1]), (1, &[2, 0]), (2, &[3]), (3, &[])], &[2, 3]).whole();
        let found = hub_weights(&graph, None, &options(HubForm::Standard, AuthorityStart::Validated));
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let length = (1.0 + golden * golden).sqrt();
        let of: Vec<f64> = nodes(&graph, &[0, 1, 2, 3]).iter().map(|node| found.hub[*node as usize]).collect();
        assert!(close(&of, &[golden / length, 1.0 / length, 0.0, 0.0], 1e-9), "{of:?}");
        assert!(close(&found.authority, &[golden / length, 1.0 / length], 1e-9), "{found:?}");
    }

    #[test]
    fn as_printed_a_hub_is_what_authorities_link_to() {
        // 1 and 2 are authorities that link to the list 0, which links back.
        let graph = Made::new(&[(1, &[0, 5]), (2, &[0]), (0, &[1, 2]), (4, &[1, 2])], &[1, 2]).whole();
        let [list, five, four] = nodes(&graph, &[0, 5, 4])[..] else { unreachable!() };
        let printed = hub_weights(&graph, None, &options(HubForm::Printed, AuthorityStart::Validated)).hub;
        assert!(printed[list as usize] > printed[five as usize] && printed[five as usize] > 0.0, "{printed:?}");
        assert_eq!(printed[four as usize], 0.0);
        let standard = hub_weights(&graph, None, &options(HubForm::Standard, AuthorityStart::Validated)).hub;
        assert!(standard[four as usize] > 0.0 && standard[five as usize] == 0.0, "{standard:?}");
    }

    #[test]
    fn without_authorities_or_links_all_weights_are_zero() {
        assert_eq!(hub_weights(&WebGraph::default(), None, &HubOptions::default()).hub, [0.0; 0]);
        let graph = Made::new(&[(0, &[1]), (2, &[])], &[2]).whole();
        let found = hub_weights(&graph, None, &HubOptions::default());
        assert_eq!((found.hub, found.authority), (vec![0.0; 3], vec![0.0]));
    }

    /// The reference implementation: loops over all pairs of nodes, with the operators as they are written in the
    /// paper.
    fn naive(graph: &WebGraph, form: HubForm, steps: u32) -> Vec<f64> {
        let all: Vec<u32> = (0..graph.nodes()).collect();
        let links = |from: u32, to: u32| graph.successors(from).any(|other| other == to);
        let length =
            |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        let mut authority: Vec<f64> = all.iter().map(|node| f64::from(u8::from(graph.is_authority(*node)))).collect();
        let mut hub = vec![0.0; all.len()];
        for _ in 0..steps {
            let h = |j: u32| -> f64 {
                let of = |i: &&u32| if form == HubForm::Standard { links(j, **i) } else { links(**i, j) };
                all.iter().filter(of).map(|i| authority[*i as usize]).sum()
            };
            hub = all.iter().map(|j| if graph.is_authority(*j) { 0.0 } else { h(*j) }).collect();
            let by = length(&hub);
            hub.iter_mut().for_each(|value| *value /= by);
            let a = |j: u32| -> f64 { all.iter().filter(|i| links(**i, j)).map(|i| hub[*i as usize]).sum() };
            authority = all.iter().map(|j| if graph.is_authority(*j) { a(*j) } else { 0.0 }).collect();
            let by = length(&authority);
            authority.iter_mut().for_each(|value| *value /= by);
        }
        hub
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn weights_are_those_of_the_formulas(made in made(), printed in any::<bool>(), steps in 1..12_u32) {
            let graph = made.whole();
            let form = if printed { HubForm::Printed } else { HubForm::Standard };
            let until = Convergence { change: 0.0, steps_max: steps };
            let found = hub_weights(&graph, None, &HubOptions { form, until, ..HubOptions::default() });
            prop_assert!(close(&found.hub, &naive(&graph, form, steps), 1e-9), "{:?}", found);
        }

        #[test]
        fn from_previous_weights_the_result_is_the_same(made in made()) {
            // The first page links to all URLs, so that the links have one part and the result does not depend on the
            // start.
            let mut all = made.clone();
            all.pages.retain(|page| page.0 != 30);
            all.pages.insert(0, (30, (0..30).collect(), false));
            let (mut graph, mut previous) = (WebGraph::default(), None);
            for page in &all.pages {
                add(&mut graph, page);
                let start = options(HubForm::Standard, AuthorityStart::Previous);
                previous = Some(hub_weights(&graph, previous.as_ref(), &start));
            }
            let full = hub_weights(&graph, None, &options(HubForm::Standard, AuthorityStart::Validated));
            prop_assert!(graph.node(url(30)).is_some());
            let found = previous.unwrap();
            prop_assert!(close(&found.hub, &full.hub, 1e-6), "{:?} is not {:?}", found, full);
        }
    }
}
