//! Rendering of pages in a browser.

use super::super::instrument::{GaugeBy, Histogram};
use super::*;

/// Bounds for the time of a render: from a static page to one with many polite requests.
const RENDER_SECONDS: &[f64] = &[0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

group! {
    /// Rendering of pages in a browser.
    pub struct RenderMetrics {
        /// Pages that were rendered, by what it brought: links or text that the plain page lacks and no rendered page
        /// had before, nothing, something unknown because requests of the page were not allowed or failed (`impaired`),
        /// or a failure; and pages that plain requests completed in place of a browser (`replayed`).
        pages: CounterBy = "harvestman_render_pages_total" by "outcome" in RENDER_OUTCOMES;
        /// Clicks on rendered pages, by what came of the element's path on that page: content (`gain`), ways to other
        /// pages (`navigation`), or nothing.
        clicks: CounterBy = "harvestman_render_clicks_total" by "outcome" in RENDER_CLICKS;
        /// Links that only the rendered pages have.
        gained_links: Counter = "harvestman_render_gained_links_total";
        /// Requests of rendered pages, answered or refused for this reason.
        requests: CounterBy = "harvestman_render_requests_total" by "outcome" in RENDER_REQUESTS;
        /// Time of a render in seconds, waits for answers included.
        seconds: Histogram = "harvestman_render_duration_seconds" buckets RENDER_SECONDS;
        /// Classes of pages of which some were rendered, by what is known of their need; `replayed`: plain requests
        /// complete their pages.
        classes: GaugeBy = "harvestman_render_classes" by "need" in RENDER_NEEDS;
    }
}
