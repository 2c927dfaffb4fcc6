//! Values that are passed between the stages: links and their classes, scheduled URLs, fetch outcomes, parsed pages,
//! fates.
//!
//! Plain values only. A link becomes, in this order, a [`RawLink`] (as written on the page), a canonical URL, a
//! [`ScheduledUrl`] (accepted by scope, filter and dedup), a [`Lease`] (passed to a host actor), an [`Exchange`]
//! (request and response) and finally one line of the page log, a [`PageRecord`].

mod admission;
mod change;
mod class;
mod command;
mod exchange;
mod fate;
mod fate_table;
mod findings;
mod fleet_status;
mod ledger;
mod local_failure;
mod log_records;
mod media;
mod packed_words;
mod page_content;
mod page_tree;
mod parsed_page;
pub mod path_hash;
mod prediction;
mod scheduled;
mod statement;
mod visit;

pub use admission::{Admission, ClassOrder, Priority, Prospect, QueueKey};
pub use change::{
    ApathLinks, Arrival, Change, Ended, FleetEffects, Lastmod, ProgressRecord, RecrawlVisit, RowChange, short_id,
};
pub use class::{Apath, ClusterId, LinkClass, PageCluster, PatternId, UrlPattern};
pub use command::Command;
pub use exchange::{
    Answer, BodyReservation, Exchange, FetchedPage, Initiator, PostBody, RequestSignature, SignReason, Timings,
    Truncation,
};
pub use fate::{Budget, Failure, Fate, OutOfScope, PolicyRefusal, RobotsRefusal};
pub use fate_table::{FateCount, FateTable};
pub use findings::{
    FoundSite, RENDER_CLASSES_SHOWN, RenderClassSummary, RenderingSummary, SITES_SHOWN, SearchRecord, TrapMeasure,
    TrapRecord,
};
pub use fleet_status::{FleetProgress, FleetStatus, NodeStatus, load_deviation};
pub use ledger::{Fates, Ledger};
pub use local_failure::LocalFailure;
pub use log_records::{ClassRecord, ModelUpdateRecord, PageRecord, PolicyRecord};
pub use media::{ContentType, MediaType};
pub use page_content::{CLASS_TOKENS_MAX, ClassTokens, ContentUnit, FormFacts, PageText, TextRun};
pub use page_tree::{PageNode, PageTree, ROOT, UnplacedElement};
pub use parsed_page::{
    LeafPath, LinkGroup, LinkKind, LinkPosition, MarkupRules, ParsedPage, PsnvPair, RawLink, Reading, RobotsDirectives,
    Unread,
};
pub use prediction::{Prediction, TopicMark};
pub use scheduled::{Decision, HostOwnership, Lease, LeaseId, ScheduledUrl, SingleNode};
pub use statement::{Effect, ElementKind, PageElement, Signal, StatedIn, Statement, StatementRecord, Usage, Wish};
pub use visit::{ArchivedRecord, Difference, History, PageDigests, Visit};
