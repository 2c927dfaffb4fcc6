//! Settings of rendering in a browser.

use serde::{Deserialize, Serialize};

use super::Period;

/// When pages are rendered in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RenderMode {
    /// Never.
    #[default]
    Never,
    /// Where it was learned that rendering adds links or text.
    Auto,
    /// Every HTML page.
    Always,
}

impl RenderMode {
    /// Returns its name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Auto => "auto",
            Self::Always => "always",
        }
    }
}

crate::options! {
    /// Rendering: pages whose scripts fetch their content are loaded in a browser, Chromium, which runs without
    /// network. The crawl answers each request of the page by itself: politeness, robots.txt, budgets and archive hold
    /// for all of them.
    pub struct RenderOptions in "render" {
        /// When pages are rendered: `never`, `auto` or `always`. `auto` renders a few pages of each kind and goes on
        /// only where that adds links or text. A rendered page takes hundreds of times the processor time of a plain
        /// one.
        mode: RenderMode = RenderMode::Never,
        /// Whether `auto` learns the requests of a cluster's scripts and sends them without a browser, once they bring
        /// what a browser shows.
        replay: bool = true,
        /// The executable of the browser. Empty: the first Chromium on the search path (Debian: `apt-get install
        /// chromium-headless-shell`).
        browser: String = String::new(),
        /// Whether the browser's own sandbox must be on. Without it the browser still has no network.
        sandbox: bool = true,
        /// Number of browsers, each of which renders one page at a time and takes some 250 MB of memory.
        browsers: u32 = 1,
        /// Time that a page may take in which none of its requests waits for an answer.
        page_time: Period = Period::secs(15),
        /// Time without a request and without a change of the document after which a page counts as complete.
        quiet: Period = Period::millis(500),
        /// Maximum number of times that a page is scrolled to its end, while that makes it load more. 0: no page is
        /// scrolled.
        scrolls: u32 = 20,
        /// Maximum number of clicks on a page: on buttons, tabs and other elements that are no links, while that brings
        /// content or leads to pages. 0: nothing is clicked.
        clicks: u32 = 20,
        /// Maximum number of requests of a page: scripts, style sheets and data.
        requests: u32 = 100,
        /// Maximum size of the scripts' memory of a page, in MiB.
        heap_mib: u32 = 256,
    }
}

impl RenderOptions {
    /// Returns whether pages may be rendered.
    pub fn is_on(&self) -> bool {
        self.mode != RenderMode::Never
    }
}
