//! Pages that need a browser on a node of a fleet that has none: they go to another node.

use super::page::ToRender;
use super::{RenderOutcome, Renders};
use harvestman_core::config::RenderMode;
use harvestman_core::held_pages::PutBackReason;
use harvestman_core::model::ScheduledUrl;
use harvestman_render::RenderFailure;

/// How often a page is left to another node at most before it is taken as it is.
const WAITS_MAX: u8 = 2;

/// The other nodes of a fleet, for pages that need a browser.
pub(crate) trait OtherBrowsers: Send + Sync {
    /// Asks for the host of this origin to be at a node with a browser. Returns whether another node has one.
    fn ask(&self, origin: &str) -> bool;
    /// Returns whether [`OtherBrowsers::ask`] asked for this host.
    fn is_asked(&self, origin: &str) -> bool;
    /// Records that the browser of this node does not start.
    fn lose_browser(&self);
}

/// Where a page is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenderPlace {
    /// By a browser of this node.
    Here,
    /// By another node of the fleet: the page waits until its host is there.
    Elsewhere,
}

impl Renders {
    /// Returns where a page may be rendered; `None` if it stays as it is.
    pub(crate) fn place(&self, item: &ScheduledUrl, page: ToRender) -> Option<RenderPlace> {
        self.meet(page, item.url.as_str());
        if !self.is_off() {
            return self.wants(page).then_some(RenderPlace::Here);
        }
        let others = self.others.as_ref()?;
        let is_asked = others.is_asked(item.url.origin());
        (self.is_worth_moving(page, is_asked) && self.leaves(item)).then_some(RenderPlace::Elsewhere)
    }

    /// Returns whether a page goes to another node that was to be rendered here, because no browser starts any more.
    pub(crate) fn leaves_unrendered(&self, item: &ScheduledUrl, page: ToRender, outcome: &RenderOutcome) -> bool {
        let lacked_browser = match outcome {
            RenderOutcome::Failed(RenderFailure::CannotStart(_)) => true,
            RenderOutcome::Unneeded => !self.is_unneeded(page.class),
            _ => false,
        };
        lacked_browser && self.is_off() && self.leaves(item)
    }

    /// Keeps the host of a page that gained something by its browser at nodes with one, when the load is balanced.
    pub(crate) fn keep(&self, item: &ScheduledUrl) {
        if let Some(others) = &self.others {
            others.ask(item.url.origin());
        }
    }

    /// Asks for the host of a page to move. Returns whether the page waits for that.
    fn leaves(&self, item: &ScheduledUrl) -> bool {
        let has_other = self.others.as_ref().is_some_and(|others| others.ask(item.url.origin()));
        let leaves = has_other && self.put_backs.count(PutBackReason::NoBrowser, item.url.fingerprint(), WAITS_MAX);
        if leaves {
            self.metrics.pages.by("elsewhere").inc();
        }
        leaves
    }

    fn is_worth_moving(&self, page: ToRender, is_asked: bool) -> bool {
        match self.mode {
            RenderMode::Never => false,
            RenderMode::Always => true,
            RenderMode::Auto => {
                let mut needs = self.learned.needs.lock();
                needs.wants(page.class, page.suspicion)
                    && (is_asked || needs.is_worth_moving(&page.class, page.suspicion))
            }
        }
    }
}

#[cfg(test)]
#[path = "elsewhere_tests.rs"]
mod tests;
