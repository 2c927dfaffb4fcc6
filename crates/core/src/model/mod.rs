//! What travels between the stages: links and their classes, URLs on their way, fetch outcomes, parsed pages, fates.
//!
//! Plain values only. A link becomes, in this order, a [`RawLink`] (as written on the page), a canonical URL, a
//! [`ScheduledUrl`] (accepted by scope, filter and dedup), a [`Lease`] (handed to a host actor), an [`Exchange`] (what was
//! sent and what came) and at last one line of the page log, a [`PageRecord`].

mod change;
mod class;
mod content;
mod exchange;
mod fate;
mod fate_table;
mod fleet_effects;
mod ledger;
mod link;
mod media;
mod note;
mod ownership;
mod record;
mod scheduled;
mod sighting;
mod trap;
mod visit;
pub mod word;

pub use change::{Change, Ended};
pub use class::{Apath, ClassOrder, ClusterId, LinkClass, PatternId, Prospect, UrlPattern};
pub use content::{ClassTokens, ContentUnit, FormFacts};
pub use exchange::{Answer, BodyPlace, Exchange, Timings, Truncation};
pub use fate::{Budget, Failure, Fate, Fates, OutOfScope, PolicyRefusal, RobotsRefusal};
pub use fate_table::{FateCount, FateTable};
pub use fleet_effects::{Arrival, FleetEffects};
pub use ledger::Ledger;
pub use link::{LeafPath, LinkGroup, LinkKind, ParsedPage, RawLink, RobotsDirectives};
pub use media::MediaType;
pub use note::Note;
pub use ownership::{HostOwnership, SingleNode};
pub use record::{ClassRecord, LessonRecord, PageRecord, PolicyRecord};
pub use scheduled::{Decision, Lease, LeaseId, ScheduledUrl};
pub use sighting::{Place, RowSign, Sighting, brief};
pub use trap::{TrapMeasure, TrapRecord};
pub use visit::{Difference, HeldRecord, History, PageDigests, Visit};
