//! The measures that rows hold: their names, and how they are written.

use serde::{Deserialize, Serialize};

/// Names measures once: as columns, JSON keys and in the order in which they are shown.
macro_rules! measures {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $kind:ident),* $(,)?) => {
        /// A measure, in the order in which measures are shown.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Measure {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Measure {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name, as in the JSON and the columns.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Whether it counts something.
            pub const fn is_count(self) -> bool {
                matches!(match self { $(Self::$variant => Kind::$kind,)* }, Kind::Count)
            }
        }
    };
}

enum Kind {
    Count,
    Ratio,
}

measures! {
    /// Fetches that were made; fewer than the budget where nothing was left to fetch.
    Fetches = "fetches" Count,
    /// New HTML pages with status 200.
    Pages = "pages" Count,
    /// New pages by fetches.
    PageRatio = "page_ratio" Ratio,
    /// Valid pages by fetches.
    ValidRatio = "valid_ratio" Ratio,
    /// The same without duplicate views.
    ValidRatioUnique = "valid_ratio_unique" Ratio,
    /// Valid pages by all of them in the corpus.
    Recall = "recall" Ratio,
    /// The same without duplicate views.
    RecallUnique = "recall_unique" Ratio,
    /// Harmonic mean of valid ratio and recall.
    F = "f" Ratio,
    /// The same without duplicate views.
    FUnique = "f_unique" Ratio,
    /// Valid pages by fetches: what the valid ratio is called where the crawl is for a target.
    HarvestRate = "harvest_rate" Ratio,
    /// Of the types of the pages fetched, bits.
    Entropy = "entropy" Ratio,
    /// The share of the next requests that was expected to bring a wanted page that is no duplicate view, where a crawl stopped.
    ExpectedYield = "expected_yield" Ratio,
    /// The share that did.
    NextYield = "next_yield" Ratio,
    /// How far such expectations were from what came, on average.
    YieldError = "yield_error" Ratio,
    /// By how much they were too high on average.
    YieldBias = "yield_bias" Ratio,
    /// Pages worth having (user-created or lists, no duplicate views) by fetches.
    ValuableShare = "valuable_share" Ratio,
    /// Duplicate views and redirects by fetches.
    DuplicateShare = "duplicate_share" Ratio,
    /// What is neither by fetches.
    UninformativeShare = "uninformative_share" Ratio,
    /// Pages worth having by all of them in the corpus.
    RecallValuable = "recall_valuable" Ratio,
    /// The share of what was fetched that is not worth having.
    FalsePositives = "false_positives" Ratio,
    /// The share of what was met and not fetched that is worth having.
    FalseNegatives = "false_negatives" Ratio,
    /// Time of filter, canonicalisation and dedup in a crawl to its end by that of the crawl with dedup alone, which also fetches
    /// what the filter keeps out (ClusterGraph 2009, figure 5).
    RelativeTime = "relative_time" Ratio,
    /// The same for the links of the same pages.
    RelativeTimeSameLinks = "relative_time_same_links" Ratio,
    /// The part of it that the filter takes.
    RelativeFilterTime = "relative_filter_time" Ratio,
    /// The part of it that canonicalisation takes.
    RelativeCanonicaliseTime = "relative_canonicalise_time" Ratio,
    /// The part of it that the dedup takes.
    RelativeDedupTime = "relative_dedup_time" Ratio,
    /// Filter, nanoseconds by links discovered.
    FilterNs = "filter_ns" Count,
    /// Canonicalisation, nanoseconds by links discovered.
    CanonicaliseNs = "canonicalise_ns" Count,
    /// Dedup, nanoseconds by links discovered.
    DedupNs = "dedup_ns" Count,
    /// Links discovered.
    Links = "links" Count,
    /// Links that the filter was asked about one by one or with all of their place.
    FilterIn = "filter_in" Count,
    /// Links that the filter refused with all of their place, before they were canonicalised.
    RefusedByPlace = "refused_by_place" Count,
    /// Links that the filter refused by the form of their URL.
    RefusedByUrl = "refused_by_url" Count,
    /// Links that were canonicalised.
    Canonicalised = "canonicalised" Count,
    /// Links that the dedup was asked about.
    DedupIn = "dedup_in" Count,
    /// Links that passed all steps.
    Admitted = "admitted" Count,
    /// Duplicates that the dedup removed, by the links that it was asked about.
    DuplicatesByDedup = "duplicates_by_dedup" Ratio,
    /// Links that the filter refused, by those that it was asked about.
    RefusedShare = "refused_share" Ratio,
    /// Memory of the dedup store, bytes.
    MemoryBytes = "memory_bytes" Count,
    /// Bytes of the dedup store on disk.
    DiskBytes = "disk_bytes" Count,
    /// Pages that were clustered.
    Sample = "sample" Count,
    /// Leaf paths that are features.
    Features = "features" Count,
    /// Types in the sample.
    Types = "types" Count,
    /// Clusters.
    Clusters = "clusters" Count,
    /// Pages in no cluster.
    Outliers = "outliers" Count,
    /// The radius of the clustering.
    Eps = "eps" Ratio,
    /// Purity.
    Purity = "purity" Ratio,
    /// F in the view of the types, averaged by pages.
    MicroF = "micro_f" Ratio,
    /// F in the view of the types, averaged evenly.
    MacroF = "macro_f" Ratio,
    /// F in the view of the clusters, averaged by pages.
    MicroFOfClusters = "micro_f_of_clusters" Ratio,
    /// F in the view of the clusters, averaged evenly.
    MacroFOfClusters = "macro_f_of_clusters" Ratio,
    /// Precision of a classification by pages.
    MicroPrecision = "micro_precision" Ratio,
    /// Precision of a classification by clusters.
    MacroPrecision = "macro_precision" Ratio,
}

impl Measure {
    /// The value as people read it: a count without decimals where it has none, a ratio with four.
    pub fn show(self, value: f64) -> String {
        match (self.is_count(), value.fract() == 0.0) {
            (true, true) => format!("{value:.0}"),
            (true, false) => format!("{value:.1}"),
            (false, _) => format!("{value:.4}"),
        }
    }
}
