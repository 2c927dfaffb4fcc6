//! Settings for robots.txt and sitemaps.

use super::{ByteSize, Period};

crate::options! {
    /// The effect of robots.txt (RFC 9309) and of the sitemaps named in it on the crawl.
    pub struct RobotsOptions in "robots" {
        /// Whether robots.txt is fetched and obeyed. Set to false only for hosts that are your own.
        obey: bool = true,
        /// The product token: letters, `_` and `-`. It is looked for in `User-agent` lines, in `X-Robots-Tag` headers
        /// and as the name of `meta` elements. It should be the first word of the User-Agent header, so that the owner
        /// of a site sees in the log which name to use.
        agent: String = "harvestman".to_owned(),
        /// How long a fetched robots.txt counts as fresh. Raising it saves requests and delays the reaction to a
        /// changed file; RFC 9309 asks for 24 hours at most. Less than a minute counts as a minute.
        cache: Period = Period::secs(24 * 3_600),
        /// How long to wait before robots.txt is requested again after a server error or a failed connection; the time
        /// doubles with each consecutive failure (at least a second). While robots.txt is unavailable, nothing on the
        /// host is fetched.
        unavailable_retry: Period = Period::secs(60),
        /// How often robots.txt is requested before the URLs that wait for it are dropped, with the fate `robots:
        /// unavailable` (or, if the host cannot be reached at all, the fate of that failure). Raising it retains them
        /// longer.
        unavailable_tries: u32 = 3,
        /// Maximum wait between two such requests. Raising it spares broken hosts, but detects their recovery later.
        unavailable_retry_max: Period = Period::secs(3_600),
        /// Maximum `Crawl-delay` that is observed; a longer one is reduced to this. Raising it lets a site slow the
        /// crawl down further.
        crawl_delay_max: Period = Period::secs(600),
        /// Whether the sitemaps named in robots.txt are fetched and their URLs followed as links.
        sitemaps: bool = true,
        /// Whether `/sitemap.xml` is requested, once per host, where robots.txt names no sitemap, or does not exist,
        /// and does not forbid it. Many sites have one that they do not name. False saves one request per host.
        sitemap_guess: bool = true,
        /// How many bytes of a sitemap are read, counted after decompression; the remainder is ignored. The sitemap
        /// protocol allows 50 MiB. Raising it raises the memory that one sitemap may take.
        sitemap_max_bytes: ByteSize = ByteSize::mib(50),
        /// Maximum number of sitemaps fetched from one host, including indexes. Raising it lets a host spend more of
        /// the crawl on them.
        sitemap_max_files: u32 = 1_000,
    }
}
