//! Settings of the fetch stage.

use super::{ByteSize, Period};
use crate::options;

options! {
    /// Fetching: what requests say, how long each step of them may take, how much of an answer is read, and which
    /// addresses may be connected to.
    pub struct FetchOptions in "fetch" {
        /// The User-Agent that requests carry. Empty: `harvestman/<version> (+<contact>)`.
        user_agent: String = String::new(),
        /// Where the operators of a site can reach you: a URL or an e-mail address. Stands in the default User-Agent.
        contact: String = String::new(),
        /// The Accept header of pages (robots.txt and sitemaps are asked for with `*/*`). Empty: none is sent.
        accept: String = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8".to_owned(),
        /// The Accept-Language header. Empty: none is sent.
        accept_language: String = "en,*;q=0.5".to_owned(),
        /// The Accept-Encoding header. Names only codings that can be decoded. Empty: none is sent.
        accept_encoding: String = "gzip, br, zstd, deflate".to_owned(),
        /// More request headers, each as `Name: value`. They may hold a login, so only the seeds' own hosts get them.
        headers: Vec<String> = Vec::new(),
        /// The value of a Cookie header (`name=value; name=value`). Only the seeds' own hosts get it, and over plain http
        /// only those whose seed is http.
        cookie: String = String::new(),
        /// A file of cookies in the Netscape format that browsers and curl export. Only cookies that one of the seeds'
        /// hosts would get are used. Empty: none.
        cookies_file: String = String::new(),
        /// Whether cookies that sites set are kept and sent back.
        cookie_jar: bool = false,
        /// Cookies kept for one domain; the oldest goes first.
        cookies_per_domain: u32 = 50,
        /// Cookies kept in all. Each takes up to `cookie_bytes_max` of memory.
        cookies_max: u32 = 20_000,
        /// The longest cookie that is kept: name, value, domain and path together.
        cookie_bytes_max: ByteSize = ByteSize::kib(4),
        /// Media types that are read to the end, as patterns: `text/html`, `text/*`, `*/*`. Of other answers only the head
        /// is kept. An answer without Content-Type is read.
        types: Vec<String> = vec!["text/*".to_owned(), "image/*".to_owned(), "application/*".to_owned()],
        /// The longest body that is kept, content coding still on; the rest is cut off and the record says so.
        body_max: ByteSize = ByteSize::mib(16),
        /// Bodies over 1 MiB that are in memory at once; others wait for them on their connections. Bounds the memory for bodies:
        /// `frontier.in_flight_max` × 1 MiB + this × `body_max`.
        large_bodies: u32 = 16,
        /// Bytes of an unwanted body that are read and thrown away to keep its connection; a longer one costs the connection.
        drain_max: ByteSize = ByteSize::kib(64),
        /// The largest head (status line and headers) of an answer.
        head_max: ByteSize = ByteSize::kib(64),
        /// The most header lines of an answer.
        headers_max: u32 = 256,
        /// The longest decoded body; the rest is cut off. Takes that much memory in a worker.
        decoded_max: ByteSize = ByteSize::mib(64),
        /// How many times larger than its coded form a body may become once it is over 1 MiB (decompression bombs reach
        /// 1,000 with gzip and 32,000 with zstd; honest pages stay below 100).
        decoded_ratio_max: u32 = 500,
        /// The most content codings stacked on one body.
        codings_max: u32 = 3,
        /// How long the resolution of a host name may take.
        resolve_timeout: Period = Period::secs(10),
        /// How long a TCP connection (and the tunnel through a proxy) may take, all addresses of the host together.
        connect_timeout: Period = Period::secs(10),
        /// How long a TLS handshake may take.
        tls_timeout: Period = Period::secs(10),
        /// How long an answer's head may take, counted from the moment its connection stands.
        first_byte_timeout: Period = Period::secs(30),
        /// How long a request may take in all, from resolution to the last byte; what has come of the body by then is kept.
        whole_timeout: Period = Period::secs(120),
        /// Bodies slower than this many bytes a second over `low_speed_window` are cut off. 0: no limit but `whole_timeout`.
        low_speed_min: ByteSize = ByteSize(0),
        /// The time over which `low_speed_min` is measured.
        low_speed_window: Period = Period::secs(15),
        /// Addresses of one host that are tried, one after the other.
        addresses_max: u32 = 4,
        /// How long an unused connection is kept.
        idle_timeout: Period = Period::secs(30),
        /// Unused connections kept for one host.
        idle_per_host: u32 = 2,
        /// Unused connections kept in all. Each is an open file.
        idle_max: u32 = 1_024,
        /// Whether a request is sent again at once when the kept connection that it took ends without a byte of an answer: mostly the
        /// server had closed it, but it may have read the request. Where `host.delay` is set it is not, as two requests might reach the
        /// server within the delay; the URL is then tried again as after any failure. A request that was not written yet is always
        /// sent again.
        resend_unanswered: bool = true,
        /// Whether HTTP/2 is offered to https hosts.
        http2: bool = true,
        /// Whether hosts other than the seeds' own may have private, loopback and link-local addresses.
        private_addresses: bool = false,
        /// Addresses of hosts that are not asked of the resolver, each as `HOST:ADDR` or `HOST:ADDR:PORT`; HOST may be
        /// `*.suffix`, an IPv6 ADDR stands in brackets. Several for one host are tried in turn. The address guard holds here too.
        resolve: Vec<String> = Vec::new(),
        /// Answers of the resolver that are remembered (as long as they say).
        dns_cache: u32 = 8_192,
        /// A PEM file of certificate authorities that are trusted besides the built-in ones. Empty: none.
        ca_file: String = String::new(),
        /// A proxy for all requests: `http://user:password@host:port` or `socks5://host:port`. The proxy resolves the names,
        /// so the address guard sees only URLs that name an address. Empty: none.
        proxy: String = String::new(),
    }
}
