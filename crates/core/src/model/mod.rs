//! Values that are passed between the stages: links and their classes, scheduled URLs, fetch outcomes, parsed pages,
//! fates.
//!
//! Plain values only. A link becomes, in this order, a [`RawLink`] (as written on the page), a canonical URL, a
//! [`ScheduledUrl`] (accepted by scope, filter and dedup), a [`Lease`] (passed to a host actor), an [`Exchange`]
//! (request and response) and finally one line of the page log, a [`PageRecord`].

mod admission;
mod change;
mod class;
mod class_order;
mod content;
mod exchange;
mod fate;
mod fate_table;
mod fates;
mod fleet_effects;
mod fleet_status;
mod initiator;
mod lastmod;
mod ledger;
mod link;
mod local_failure;
mod media;
mod ownership;
mod packed_words;
mod page_tree;
pub mod path_hash;
mod post_body;
mod prediction;
mod progress_record;
mod reading;
mod record;
mod recrawl_visit;
mod rendering;
mod request_signature;
mod scheduled;
mod searches;
mod statement;
mod trap;
mod unread;
mod visit;

pub use admission::{Admission, Priority, QueueKey};
pub use change::{Change, Ended};
pub use class::{Apath, ClusterId, LinkClass, PageCluster, PatternId, UrlPattern};
pub use class_order::{ClassOrder, Prospect};
pub use content::{CLASS_TOKENS_MAX, ClassTokens, ContentUnit, FormFacts, PageText, TextRun};
pub use exchange::{Answer, BodyReservation, Exchange, FetchedPage, Timings, Truncation};
pub use fate::{Budget, Failure, Fate, OutOfScope, PolicyRefusal, RobotsRefusal};
pub use fate_table::{FateCount, FateTable};
pub use fates::Fates;
pub use fleet_effects::{Arrival, FleetEffects};
pub use fleet_status::{FleetProgress, FleetStatus, NodeStatus, load_deviation};
pub use initiator::Initiator;
pub use lastmod::Lastmod;
pub use ledger::Ledger;
pub use link::{LeafPath, LinkGroup, LinkKind, LinkPosition, ParsedPage, PsnvPair, RawLink, RobotsDirectives};
pub use local_failure::LocalFailure;
pub use media::{ContentType, MediaType};
pub use ownership::{HostOwnership, SingleNode};
pub use page_tree::{PageNode, PageTree, ROOT, UnplacedElement};
pub use post_body::PostBody;
pub use prediction::{Prediction, TopicMark};
pub use progress_record::ProgressRecord;
pub use reading::{MarkupRules, Reading};
pub use record::{ClassRecord, ModelUpdateRecord, PageRecord, PolicyRecord};
pub use recrawl_visit::{ApathLinks, RecrawlVisit, RowChange, short_id};
pub use rendering::{RENDER_CLASSES_SHOWN, RenderClassSummary, RenderingSummary};
pub use request_signature::{RequestSignature, SignReason};
pub use scheduled::{Decision, Lease, LeaseId, ScheduledUrl};
pub use searches::{FoundSite, SITES_SHOWN, SearchRecord};
pub use statement::{Effect, ElementKind, PageElement, Signal, StatedIn, Statement, StatementRecord, Usage, Wish};
pub use trap::{TrapMeasure, TrapRecord};
pub use unread::Unread;
pub use visit::{ArchivedRecord, Difference, History, PageDigests, Visit};
