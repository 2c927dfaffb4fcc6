//! Renders pages in a browser, and learns how to do without it.
//!
//! Input: a page that was fetched ([`PageTask`]). Output: the document after its scripts have run ([`RenderedPage`]).
//! The browser has no network: [`PageRequests`] answers each request of the page, so that politeness, robots.txt,
//! scope, budgets and archive of the crawl hold for all of them.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod actions;
mod browser;
#[doc(hidden)]
pub mod fuzzing;
mod hints;
mod limits;
mod need;
mod page;
mod probing;
pub mod replay;
mod replaying;
mod replays;
mod scripts;
mod settling;
mod suspicion;
mod wanted;

pub use actions::{ActionNote, Actions, Expected, KeptActions, KnownActions};
pub use browser::{Chromium, ChromiumSettings, Confinement, Executable, INSTALL_ADVICE};
pub use hints::has_hints;
pub use limits::RenderLimits;
pub use need::{ClassNeed, Gain, KeptBudget, KeptNeed, Need, RenderNeeds, Turn};
pub use page::{
    Browser, Later, PageReply, PageRequest, PageRequests, PageTask, Refusal, RenderFailure, RenderedPage, RequestKind,
    RequestNote,
};
pub use replaying::replay_page;
pub use replays::{KeptReplay, Means, ReplayShare, ReplayState, Replays};
pub use scripts::script_form;
pub use suspicion::Suspicion;
pub use wanted::{Decision, Origin, RequestRules};
