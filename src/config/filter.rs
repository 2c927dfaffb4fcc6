//! Settings of the filter.

crate::options! {
    /// Which links are followed at all, whatever the policy.
    pub struct FilterOptions in "filter" {
        /// Whether `nofollow` in a page's `<meta name=robots>` or `X-Robots-Tag` header keeps all its links from being followed.
        nofollow_pages: bool = true,
        /// Whether links marked `rel=nofollow`, `ugc` or `sponsored` are left out. Social sites mark what their users write in
        /// this way, so leaving them out loses much.
        nofollow_links: bool = false,
        /// Redirects followed one after the other before the chain fails with `too_many_redirects`.
        redirects_max: u8 = 10,
    }
}
