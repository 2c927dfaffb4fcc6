//! The links between the pages of a site, and what xCrawl (2009, section 4) reads from them: [`hub_weights`],
//! [`select_link`] and [`sub_trees`]. The weights of pages are computed in [`topic_rank`](super::topic_rank).

mod graph;
#[cfg(test)]
mod graph_tests;
mod hub_search;
mod hubs;
#[cfg(test)]
pub(super) mod made;
mod node;
mod select;
mod sub_trees;

pub use graph::{GraphLimits, LeftOut, PlacedEdge, WebGraph, WebLink};
pub use hub_search::HubSearch;
pub use hubs::{AuthorityStart, HubForm, HubOptions, HubWeights, hub_weights};
pub use select::{LinkChoice, RESTART_PROBABILITY, edge_weight, select_link};
pub use sub_trees::{SubTreeRule, sub_trees};
