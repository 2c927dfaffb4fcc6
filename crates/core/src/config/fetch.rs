//! Settings of the fetch stage.

use super::{ByteSize, Period, Purpose};
use crate::options;

options! {
    /// Fetching: the contents of requests, the timeout of each step, how much of an answer is read, and which addresses
    /// may be connected to.
    pub struct FetchOptions in "fetch" {
        /// What the crawl is for: `archive`, `research`, `search`, `ai-input` or `train-ai`. Sites can refuse purposes (see
        /// the section `signals`).
        purpose: Purpose = Purpose::Archive,
        /// The User-Agent header of requests. Empty: `harvestman/<version> (+<contact>)`.
        user_agent: String = String::new(),
        /// Where the operators of a site can reach you: a URL or an e-mail address. It is part of the default
        /// User-Agent.
        contact: String = String::new(),
        /// The Accept header of requests for pages (those for robots.txt and sitemaps have `*/*`). Empty: not sent.
        accept: String = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8".to_owned(),
        /// The Accept-Language header. Empty: not sent.
        accept_language: String = "en,*;q=0.5".to_owned(),
        /// The Accept-Encoding header. It may name only codings that can be decoded. Empty: not sent.
        accept_encoding: String = "gzip, br, zstd, deflate".to_owned(),
        /// Additional request headers, each as `Name: value`. They may contain credentials, so they are sent only to
        /// the seeds' own hosts.
        headers: Vec<String> = Vec::new(),
        /// The value of a Cookie header (`name=value; name=value`). It is sent only to the seeds' own hosts, and over
        /// plain http only to those whose seed is http.
        cookie: String = String::new(),
        /// A file of cookies in the Netscape format that browsers and curl export. Only cookies that apply to one of
        /// the seeds' hosts are used. Empty: none.
        cookies_file: String = String::new(),
        /// Whether cookies that sites set are stored and sent back.
        cookie_jar: bool = false,
        /// Maximum number of cookies per domain; the oldest are dropped first.
        cookies_per_domain: u32 = 50,
        /// Maximum number of cookies in all. Each takes up to `cookie_bytes_max` of memory.
        cookies_max: u32 = 20_000,
        /// Maximum size of a cookie that is stored: name, value, domain and path together.
        cookie_bytes_max: ByteSize = ByteSize::kib(4),
        /// Media types that are read to the end, as patterns: `text/html`, `text/*`, `*/*`. Of other answers only the
        /// head is stored. An answer without Content-Type is read.
        types: Vec<String> = vec!["text/*".to_owned(), "image/*".to_owned(), "application/*".to_owned()],
        /// Maximum size of a body that is stored, before content decoding; a longer one is truncated and the record
        /// says so.
        body_max: ByteSize = ByteSize::mib(16),
        /// Number of bodies over 1 MiB that are in memory at once; others wait for them on their connections. It bounds
        /// the memory for bodies: `frontier.in_flight_max` × 1 MiB + this × `body_max`.
        large_bodies: u32 = 16,
        /// Number of bytes of an unwanted body that are read and discarded to keep its connection open; a longer body
        /// closes the connection.
        drain_max: ByteSize = ByteSize::kib(64),
        /// Maximum size of the head (status line and headers) of an answer.
        head_max: ByteSize = ByteSize::kib(64),
        /// Maximum number of header lines of an answer.
        headers_max: u32 = 256,
        /// Maximum size of a decoded body; a longer one is truncated. A worker takes that much memory.
        decoded_max: ByteSize = ByteSize::mib(64),
        /// How many times larger than its coded form a body may become once it is over 1 MiB (decompression bombs reach
        /// 1,000 with gzip and 32,000 with zstd; ordinary pages stay below 100).
        decoded_ratio_max: u32 = 500,
        /// Maximum number of content codings applied to one body.
        codings_max: u32 = 3,
        /// Timeout of the resolution of a host name.
        resolve_timeout: Period = Period::secs(10),
        /// Timeout of a TCP connection (and of the tunnel through a proxy), for all addresses of the host together.
        connect_timeout: Period = Period::secs(10),
        /// Timeout of a TLS handshake.
        tls_timeout: Period = Period::secs(10),
        /// Timeout of an answer's head, counted from the moment its connection is established.
        first_byte_timeout: Period = Period::secs(30),
        /// Timeout of a whole request, from resolution to the last byte; the part of the body received by then is
        /// stored.
        whole_timeout: Period = Period::secs(120),
        /// Bodies slower than this many bytes per second over `low_speed_window` are truncated. 0: no limit except
        /// `whole_timeout`.
        low_speed_min: ByteSize = ByteSize(0),
        /// The time over which `low_speed_min` is measured.
        low_speed_window: Period = Period::secs(15),
        /// Number of addresses of one host that are tried, one after the other.
        addresses_max: u32 = 4,
        /// Maximum time that an unused connection is kept open.
        idle_timeout: Period = Period::secs(30),
        /// Maximum number of unused connections to one host.
        idle_per_host: u32 = 2,
        /// Maximum number of unused connections in all. Each is an open file: where the limit of the process (`ulimit -n`)
        /// leaves fewer beside the requests in progress, there are fewer.
        idle_max: u32 = 1_024,
        /// Whether a request is resent at once if the persistent connection that it used ends without a byte of an
        /// answer: usually the server had closed it, but it may have read the request. If `host.delay` is set it is not
        /// resent, as two requests might reach the server within the delay; the URL is then retried as after any
        /// failure. A request that was not written yet is always resent.
        resend_unanswered: bool = true,
        /// Whether HTTP/2 is offered to https hosts.
        http2: bool = true,
        /// Whether hosts other than the seeds' own may have private, loopback and link-local addresses.
        private_addresses: bool = false,
        /// Addresses of hosts that are not looked up with the resolver, each as `HOST:ADDR` or `HOST:ADDR:PORT`; HOST
        /// may be `*.suffix`, an IPv6 ADDR is written in brackets. Several for one host are tried in turn. The address
        /// guard applies here too.
        resolve: Vec<String> = Vec::new(),
        /// Number of answers of the resolver that are cached (for their time to live).
        dns_cache: u32 = 8_192,
        /// A PEM file of certificate authorities that are trusted in addition to the built-in ones. Empty: none.
        ca_file: String = String::new(),
        /// A proxy for all requests: `http://user:password@host:port` or `socks5://host:port`. The proxy resolves the
        /// names, so the address guard sees only URLs that contain an address. Empty: none.
        proxy: String = String::new(),
    }
}

impl FetchOptions {
    /// Returns whether requests have cookies or headers of the user's own, by which sites may know a member.
    pub const fn has_credentials(&self) -> bool {
        !self.cookie.is_empty() || !self.cookies_file.is_empty() || !self.headers.is_empty()
    }
}
