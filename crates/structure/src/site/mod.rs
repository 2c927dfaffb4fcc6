//! The structure of a site: its page templates, and which link places lead from one to which.
//!
//! Pure functions over values (SOUrCe 2018), in this order: a sample of pages becomes vectors ([`Vocabulary`]), their
//! [`Distances`] give a radius ([`eps()`]), and [`dbscan()`] the clusters. The [`NavigationTable`] counts where links
//! of each cluster and place lead; [`hits()`] finds hubs and authorities in it; [`ClusterScores`] gives the value of a
//! cluster and [`NavigationTable::expected`] that of a link.
//!
//! [`PageTypes`] tells pages apart by the path strings of their texts, for the crawl by user profiles.
//!
//! A [`Label`] is the number of a cluster, counted from 0, or `None` for an outlier: a page whose template has few
//! instances.

mod adjacency;
mod centroid;
mod cluster_graph;
mod dbscan;
mod distances;
mod eps;
mod features;
mod harmonic_mean;
mod hits;
mod kdist;
mod navigation;
mod page_types;
mod queries;
mod random_pages;
mod score;
mod silhouette;
mod tokens;
mod topic;
mod topic_rank;
mod url_clusters;
mod url_features;
mod url_form;
mod url_kind;
mod url_parts;
mod url_pattern;
mod vector;
mod web_graph;

pub use adjacency::Adjacency;
pub use centroid::{dsim, nearest_cluster};
pub use cluster_graph::{
    Appraisal, CLUSTERS_MAX, Cluster, ClusterGraph, GraphEdge, GraphFilter, GraphLink, GraphNode, GraphPage,
    GraphReason, NodeRule, PruneOptions, Reach, SplitOff, Standing, Threshold, Universe,
};
pub use dbscan::{MIN_PTS, dbscan};
pub use distances::Distances;
pub use eps::{EpsOptions, EpsRule, eps};
pub use features::{THETA, Vocabulary};
pub use harmonic_mean::harmonic_mean;
pub use hits::{Convergence, Hits, Norm, Reinforcement, hits, hits_from, multi_hop, target_hits};
pub use kdist::{Counting, K, k_dist};
pub use navigation::{
    AdjacencyWeight, LinkPlace, NavigationOptions, NavigationTable, OutlierDestinations, OutlierSources,
};
pub use page_types::{
    Differentiation, PageFeatures, PageStrings, PageTypeOptions, PageTypes, Schema, Share, differentiation,
};
pub use queries::{
    QUERY_LENGTH_MAX, QUERY_TOKENS_MAX, Queries, Query, QueryGeneration, QueryOptions, QueryPhase, QueryResult,
    RankedToken, middle_out, ranked, search_weights,
};
pub use random_pages::{RandomPages, RandomPagesOptions};
pub use score::{Balance, ClusterScores, ScoreOptions, info};
pub use silhouette::silhouette_times_coverage;
pub use tokens::{Background, Language, StopWords, TOKENS_MAX, TokenWeight, preselected_tokens, token_weights, tokens};
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
pub use url_kind::UrlKind;
pub use url_pattern::{UrlPatternLearner, UrlPatterns};
pub use vector::{SparseVector, distance, squared_norm};
pub use web_graph::{
    AuthorityStart, GraphLimits, HubForm, HubOptions, HubSearch, HubWeights, LeftOut, LinkChoice, PlacedEdge,
    RESTART_PROBABILITY, SubTreeRule, WebGraph, WebLink, edge_weight, hub_weights, select_link, sub_trees,
};

/// The cluster of a page, numbered from 0; `None` for an outlier.
pub type Label = Option<u32>;
