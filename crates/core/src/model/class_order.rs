//! The order of link classes by what their URLs are worth.

use super::LinkClass;

/// How much the URLs of a link class are wanted now. A policy's snapshot implements it; the frontier orders by it.
pub trait ClassOrder: Send + Sync {
    /// Higher is better; NaN ranks lowest. Classes of equal score are taken breadth-first.
    fn score(&self, class: LinkClass) -> f64;

    /// How much remains to be learned about a class; 0 or less, or NaN: nothing. The frontier spends its exploring pops
    /// on the class with the highest value.
    fn curiosity(&self, class: LinkClass) -> f64 {
        let _ = class;
        0.0
    }

    /// The share of the latest requests that returned a wanted, new page; `None` where the policy does not judge that.
    fn recent_yield(&self) -> Option<f64> {
        None
    }

    /// The expected result of a request for a URL of this class; `None` where the policy does not estimate that.
    fn prospect(&self, class: LinkClass) -> Option<Prospect> {
        let _ = class;
        None
    }
}

/// The expected result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prospect {
    /// The chance, 0 to 1, that it returns a wanted, new page.
    pub wanted: f64,
    /// The expected number of new links worth following.
    pub links: f64,
    /// The score of each of these links.
    pub links_score: f64,
    /// The chance of each of these links, 0 to 1, to lead to a wanted, new page.
    pub links_wanted: f64,
}
