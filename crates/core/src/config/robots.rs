//! Settings for robots.txt and the sitemaps that it names.

use super::{ByteSize, Period};

crate::options! {
    /// What robots.txt (RFC 9309) and the sitemaps named in it mean to the crawl.
    pub struct RobotsOptions in "robots" {
        /// Whether robots.txt is fetched and obeyed. Set to false only for hosts that are your own.
        obey: bool = true,
        /// The product token that is looked for in `User-agent` lines: letters, `_` and `-`. It should be the first word of
        /// the User-Agent header, so that a site's owner sees in the log whom to name.
        agent: String = "harvestman".to_owned(),
        /// How long a fetched robots.txt counts as fresh. Raising it saves requests and reacts later to a changed file; RFC 9309
        /// asks for 24 hours at most. Less than a minute counts as a minute.
        cache: Period = Period::secs(24 * 3_600),
        /// How long to wait before robots.txt is asked for again after a server error or a failed connection; doubled with each
        /// failure in a row (at least a second). While it cannot be had, nothing of the host is fetched.
        unavailable_retry: Period = Period::secs(60),
        /// How often robots.txt is asked for before the URLs that wait for it are let go, with the fate `robots: unavailable` (or,
        /// where the host cannot be reached at all, the failure's). Raising it holds them longer.
        unavailable_tries: u32 = 3,
        /// The longest wait between two such tries. Raising it spares broken hosts, but finds out later that they are well again.
        unavailable_retry_max: Period = Period::secs(3_600),
        /// After this long without any answer but server errors, a host counts as having no robots.txt, so that everything is
        /// allowed (RFC 9309, section 2.3.1.4, names 30 days).
        unavailable_allow_after: Period = Period::secs(30 * 86_400),
        /// How much of a robots.txt is read; the rest is ignored. RFC 9309 asks for at least 500 KiB, and no more than 500 KiB is
        /// ever looked at, so raising it only costs traffic.
        max_bytes: ByteSize = ByteSize::kib(500),
        /// How many redirects in a row are followed to a robots.txt (to any host). After more, the host counts as having none.
        max_redirects: u32 = 5,
        /// The longest `Crawl-delay` that is honoured; a longer one is capped to this, and the report names the host. Ten minutes
        /// cover what servers ask for in earnest (a widespread one asks for 500 seconds); longer ones, up to a day, mean that no
        /// crawler is welcome. Raising it lets a site slow the crawl down further.
        crawl_delay_max: Period = Period::secs(600),
        /// Whether the sitemaps named in robots.txt are fetched and their URLs taken as links.
        sitemaps: bool = true,
        /// How many bytes of a sitemap are read, counted after decompression; the rest is ignored. The sitemap protocol allows 50 MiB.
        /// Raising it raises the memory that one sitemap may take.
        sitemap_max_bytes: ByteSize = ByteSize::mib(50),
        /// How many times larger than its compressed form a sitemap may be before it is taken for a decompression bomb. XML rarely
        /// passes 100; gzip's own limit is 1032.
        sitemap_max_ratio: u32 = 400,
        /// How many URLs are taken from one sitemap; the rest is counted as dropped. The sitemap protocol allows 50,000 entries.
        sitemap_max_urls: u32 = 50_000,
        /// The longest URL, in bytes, that is taken from a sitemap.
        sitemap_max_url_bytes: ByteSize = ByteSize::kib(8),
        /// How deeply the elements of a sitemap may be nested; reading stops where they are nested deeper.
        sitemap_max_nesting: u32 = 64,
        /// How many levels of sitemap indexes are followed below the sitemaps that robots.txt names. The protocol knows one.
        sitemap_max_depth: u32 = 3,
        /// How many sitemaps are fetched from one host, indexes included. Raising it lets a host spend more of the crawl on them.
        sitemap_max_files: u32 = 1_000,
    }
}
