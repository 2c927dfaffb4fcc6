//! The measures of rows: their names and formats.

use serde::{Deserialize, Serialize};

/// Defines measures once: as columns, as JSON keys, and in display order.
macro_rules! measures {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $kind:ident),* $(,)?) => {
        /// A measure. The order is the display order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Measure {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Measure {
            /// All measures.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns its name, as in JSON and columns.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns whether it is a count.
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
    /// Fetches; fewer than the budget if the frontier was empty.
    Fetches = "fetches" Count,
    /// Seconds that pass where each host is asked once a second, and hosts at the same time.
    Seconds = "seconds" Count,
    /// New HTML pages with status 200.
    Pages = "pages" Count,
    /// New pages per fetch.
    PageRatio = "page_ratio" Ratio,
    /// Valid pages per fetch.
    ValidRatio = "valid_ratio" Ratio,
    /// The same without duplicate views.
    ValidRatioUnique = "valid_ratio_unique" Ratio,
    /// Valid pages fetched, as a share of those of the corpus.
    Recall = "recall" Ratio,
    /// The same without duplicate views.
    RecallUnique = "recall_unique" Ratio,
    /// Harmonic mean of valid ratio and recall.
    F = "f" Ratio,
    /// The same without duplicate views.
    FUnique = "f_unique" Ratio,
    /// Valid pages per fetch: the name of the valid ratio in a crawl for a target.
    HarvestRate = "harvest_rate" Ratio,
    /// Wanted pages (without duplicate views, unless a type is wanted), as a share of the harvest of a crawl with full
    /// knowledge of the site.
    OfOracle = "of_oracle" Ratio,
    /// The same with as many requests as there are wanted pages.
    OfOracleAtWanted = "of_oracle_at_wanted" Ratio,
    /// Recall without duplicate views with as many requests as there are wanted pages.
    RecallAtWanted = "recall_at_wanted" Ratio,
    /// The area under the harvest curve without duplicate views, as a share of that of a crawl without a wasted
    /// request.
    Area = "area" Ratio,
    /// The pages that a task wants.
    Wanted = "wanted" Count,
    /// The wanted pages that a crawl with full knowledge of the site requests.
    Harvested = "harvested" Count,
    /// A number of wanted pages that no crawl with this budget exceeds.
    Bound = "bound" Count,
    /// Entropy of the types of the fetched pages, bits.
    Entropy = "entropy" Ratio,
    /// The expected share of wanted pages that are not duplicate views among the next requests, when a crawl stopped.
    ExpectedYield = "expected_yield" Ratio,
    /// The actual share.
    NextYield = "next_yield" Ratio,
    /// Mean absolute error of these expectations.
    YieldError = "yield_error" Ratio,
    /// Mean overestimate of these expectations.
    YieldBias = "yield_bias" Ratio,
    /// Valuable pages (user-created or lists, not duplicate views) per fetch.
    ValuableShare = "valuable_share" Ratio,
    /// Duplicate views and redirects per fetch.
    DuplicateShare = "duplicate_share" Ratio,
    /// Other fetches per fetch.
    UninformativeShare = "uninformative_share" Ratio,
    /// Valuable pages fetched, as a share of those of the corpus.
    RecallValuable = "recall_valuable" Ratio,
    /// Share of fetches that are not valuable.
    FalsePositives = "false_positives" Ratio,
    /// Share of valuable pages among the discovered URLs that were not fetched.
    FalseNegatives = "false_negatives" Ratio,
    /// Time of filter, canonicalisation and dedup in a complete crawl relative to that of the crawl with dedup only,
    /// which also fetches what the filter rejects (ClusterGraph 2009, figure 5).
    RelativeTime = "relative_time" Ratio,
    /// The same for the links of the same pages.
    RelativeTimeSameLinks = "relative_time_same_links" Ratio,
    /// The part of it spent in the filter.
    RelativeFilterTime = "relative_filter_time" Ratio,
    /// The part of it spent in canonicalisation.
    RelativeCanonicaliseTime = "relative_canonicalise_time" Ratio,
    /// The part of it spent in the dedup.
    RelativeDedupTime = "relative_dedup_time" Ratio,
    /// Time of the filter, nanoseconds per discovered link.
    FilterNs = "filter_ns" Count,
    /// Time of canonicalisation, nanoseconds per discovered link.
    CanonicaliseNs = "canonicalise_ns" Count,
    /// Time of the dedup, nanoseconds per discovered link.
    DedupNs = "dedup_ns" Count,
    /// Discovered links.
    Links = "links" Count,
    /// Links checked by the filter, one by one or by position.
    FilterIn = "filter_in" Count,
    /// Links refused by position, before canonicalisation.
    RefusedByPlace = "refused_by_place" Count,
    /// Links refused by the pattern of their URL.
    RefusedByUrl = "refused_by_url" Count,
    /// Canonicalised links.
    Canonicalised = "canonicalised" Count,
    /// Links looked up by the dedup.
    DedupIn = "dedup_in" Count,
    /// Links that passed all steps.
    Admitted = "admitted" Count,
    /// Share of duplicates among the links that the dedup looked up.
    DuplicatesByDedup = "duplicates_by_dedup" Ratio,
    /// Share of refused links among those that the filter checked.
    RefusedShare = "refused_share" Ratio,
    /// Memory of the dedup store, bytes.
    MemoryBytes = "memory_bytes" Count,
    /// Bytes of the dedup store on disk.
    DiskBytes = "disk_bytes" Count,
    /// Clustered pages.
    Sample = "sample" Count,
    /// Leaf paths used as features.
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
    /// F by types, averaged over pages.
    MicroF = "micro_f" Ratio,
    /// F by types, averaged evenly.
    MacroF = "macro_f" Ratio,
    /// F by clusters, averaged over pages.
    MicroFOfClusters = "micro_f_of_clusters" Ratio,
    /// F by clusters, averaged evenly.
    MacroFOfClusters = "macro_f_of_clusters" Ratio,
    /// Precision of a classification by pages.
    MicroPrecision = "micro_precision" Ratio,
    /// Precision of a classification by clusters.
    MacroPrecision = "macro_precision" Ratio,
    /// Pages that were classified by labelled sample pages, without the samples.
    Classified = "classified" Count,
    /// The share of them whose type is right.
    TypeRight = "type_right" Ratio,
    /// The mean over the types of the share of their pages whose type is right.
    TypeRightByType = "type_right_by_type" Ratio,
    /// The share of them whose role is right.
    RoleRight = "role_right" Ratio,
    /// The cotags of a topic by the tags of all items.
    Cotags = "cotags" Count,
    /// The cotags found by the pages of a crawl.
    CotagsFound = "cotags_found" Count,
    /// The share of the found cotags that are cotags by the tags of all items.
    CotagPrecision = "cotag_precision" Ratio,
    /// The share of the cotags by the tags of all items that were found.
    CotagRecall = "cotag_recall" Ratio,
    /// Posts of which pages show the whole, on each of them.
    PostsShown = "posts_shown" Count,
    /// Found posts.
    PostsFound = "posts_found" Count,
    /// Share of found posts whose text is right.
    PostPrecision = "post_precision" Ratio,
    /// Share of shown posts that were found.
    PostRecall = "post_recall" Ratio,
    /// Harmonic mean of both.
    PostF1 = "post_f1" Ratio,
    /// Found posts of which the page shows a part.
    Excerpts = "excerpts" Count,
    /// Share of pages of which all posts, and nothing else, were found.
    PerfectPages = "perfect_pages" Ratio,
    /// Mean F1 of the words of found posts and shown ones.
    TextF1 = "text_f1" Ratio,
    /// Share of found posts whose author is right.
    AuthorRight = "author_right" Ratio,
    /// Share of found posts whose time is right to the minute.
    MinuteRight = "minute_right" Ratio,
    /// Share of found posts whose day is right.
    DayRight = "day_right" Ratio,
    /// Share of found posts whose thread is right.
    ThreadRight = "thread_right" Ratio,
    /// Share of found posts that answer another one whose parent is right.
    ParentRight = "parent_right" Ratio,
    /// Share of given parents that are right.
    ParentPrecision = "parent_precision" Ratio,
    /// Share of found posts whose address is right.
    UrlRight = "url_right" Ratio,
    /// Posts of which some page shows the whole.
    SitePosts = "site_posts" Count,
    /// Records of posts, after the same post on several pages is one.
    SiteRecords = "site_records" Count,
    /// Share of these posts that were found on some page.
    SiteRecall = "site_recall" Ratio,
    /// Share of the records that are a post of their own.
    SitePrecision = "site_precision" Ratio,
    /// Records beyond the first of one post.
    SiteDuplicates = "site_duplicates" Count,
    /// Posts beyond the first in one record.
    SiteMerged = "site_merged" Count,
    /// Microseconds to parse a page.
    ParseMicros = "parse_micros" Count,
    /// Microseconds to find the posts of a parsed page.
    ExtractMicros = "extract_micros" Count,
}

impl Measure {
    /// Formats the value: whole counts without decimals, ratios with four.
    pub fn show(self, value: f64) -> String {
        match (self.is_count(), value.fract() == 0.0) {
            (true, true) => format!("{value:.0}"),
            (true, false) => format!("{value:.1}"),
            (false, _) => format!("{value:.4}"),
        }
    }
}
