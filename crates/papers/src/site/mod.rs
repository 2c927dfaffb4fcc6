//! What the systems of the papers know of a site.
//!
//! Pure functions over values: the [`NavigationTable`] counts where links of each cluster and place lead; [`hits()`]
//! finds hubs and authorities in it; [`ClusterScores`] gives the value of a cluster and [`NavigationTable::expected`]
//! that of a link (SOUrCe 2018). A [`WebGraph`] holds single pages, whose hubs xCrawl looks for. [`PageTypes`] tells
//! pages apart by the path strings of their texts, and [`Profiles`] orders users by their tags, for the crawl by user
//! profiles. [`RandomPages`] samples a site, [`UrlClusters`] groups its URLs, and a [`ClusterGraph`] says which links
//! between the groups are followed (ClusterGraph 2009).

mod adjacency;
mod cluster_graph;
mod dsim;
mod hits;
mod navigation;
mod page_types;
mod random_pages;
mod score;
mod topic;
mod topic_rank;
mod url_clusters;
mod url_features;
mod web_graph;

pub use adjacency::Adjacency;
pub use cluster_graph::{Cluster, ClusterGraph, GraphEdge, GraphNode, GraphPage};
pub use dsim::dsim;
pub use hits::{Convergence, Hits, Norm, Reinforcement, hits, hits_from, multi_hop, target_hits};
pub use navigation::{
    AdjacencyWeight, LinkPlace, NavigationOptions, NavigationTable, OutlierDestinations, OutlierSources,
};
pub use page_types::{
    Differentiation, PageFeatures, PageStrings, PageTypeOptions, PageTypes, Schema, Share, differentiation,
};
pub use random_pages::{RandomPages, RandomPagesOptions};
pub use score::{Balance, ClusterScores, ScoreOptions, info};
pub use topic::{
    Cotag, CotagOptions, CotagOrder, CotagScale, Cotags, CountRange, DiscoveryOptions, HeavyHitters, PICTURE_TAGS_MAX,
    Picture, ProfileLimits, Profiles, RankWeights, SameSets, TOPIC_TAGS_MAX, TermVector, discover, inner_rank,
    inter_rank,
};
pub use topic_rank::{RankForm, RankOptions, TopicRank, topic_rank, topic_weights, uniform_weights};
pub use url_clusters::{
    TooFewUrls, UrlCluster, UrlClusterId, UrlClusterLimits, UrlClusterOptions, UrlClusters, UrlLimitHit, UrlLiterals,
    UrlMatcher, UrlPart, UrlPlacement,
};
pub use url_features::{url_features, without_numbers};
pub use web_graph::{
    AuthorityStart, GraphLimits, HubForm, HubOptions, HubSearch, HubWeights, LeftOut, LinkChoice, PlacedEdge,
    RESTART_PROBABILITY, SubTreeRule, WebGraph, WebLink, edge_weight, hub_weights, select_link, sub_trees,
};
