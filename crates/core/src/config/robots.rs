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
        /// After this long with server errors only, a host counts as having no robots.txt, so that everything is
        /// allowed (RFC 9309, section 2.3.1.4, names 30 days).
        unavailable_allow_after: Period = Period::secs(30 * 86_400),
        /// How much of a robots.txt is read; the remainder is ignored. RFC 9309 asks for at least 500 KiB, and no more
        /// than 500 KiB is ever parsed, so raising it only costs traffic.
        max_bytes: ByteSize = ByteSize::kib(500),
        /// Maximum number of consecutive redirects to a robots.txt (to any host). After more, the host counts as having
        /// none.
        max_redirects: u32 = 5,
        /// Maximum `Crawl-delay` that is observed; a longer one is reduced to this. Raising it lets a site slow the
        /// crawl down further.
        crawl_delay_max: Period = Period::secs(600),
        /// Whether the sitemaps named in robots.txt are fetched and their URLs followed as links.
        sitemaps: bool = true,
        /// Whether `/sitemap.xml` is requested, once per host, where robots.txt names no sitemap, or does not exist, and
        /// does not forbid it. Many sites have one that they do not name. False saves one request per host.
        sitemap_guess: bool = true,
        /// How many bytes of a sitemap are read, counted after decompression; the remainder is ignored. The sitemap
        /// protocol allows 50 MiB. Raising it raises the memory that one sitemap may take.
        sitemap_max_bytes: ByteSize = ByteSize::mib(50),
        /// How many times larger than its compressed form a sitemap may be before it counts as a decompression bomb.
        /// XML rarely exceeds 100; the limit of gzip itself is 1032.
        sitemap_max_ratio: u32 = 400,
        /// Maximum number of URLs from one sitemap; further ones are counted as dropped. The sitemap protocol allows
        /// 50,000 entries.
        sitemap_max_urls: u32 = 50_000,
        /// Maximum length, in bytes, of a URL in a sitemap.
        sitemap_max_url_bytes: ByteSize = ByteSize::kib(8),
        /// Maximum nesting of the elements of a sitemap; reading stops at deeper ones.
        sitemap_max_nesting: u32 = 64,
        /// Maximum number of levels of sitemap indexes below the sitemaps named in robots.txt. The protocol defines
        /// one.
        sitemap_max_depth: u32 = 3,
        /// Maximum number of sitemaps fetched from one host, including indexes. Raising it lets a host spend more of
        /// the crawl on them.
        sitemap_max_files: u32 = 1_000,
    }
}
