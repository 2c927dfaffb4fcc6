//! Settings of the fetch stage.

use super::{ByteSize, Period, Purpose};
use crate::options;

options! {
    /// Fetching: the contents of requests, the timeout of each step, how much of an answer is read, and which addresses
    /// may be connected to.
    pub struct FetchOptions in "fetch" {
        /// What the crawl is for: `archive`, `research`, `search`, `ai-input` or `train-ai`. Sites can refuse purposes
        /// (see the section `signals`).
        purpose: Purpose = Purpose::Archive,
        /// The User-Agent header of requests. Empty: `harvestman/<version> (+<contact>)`.
        user_agent: String = String::new(),
        /// Where the operators of a site can reach you: a URL or an e-mail address. It is part of the default
        /// User-Agent.
        contact: String = String::new(),
        /// The Accept-Language header. Empty: not sent.
        accept_language: String = "en,*;q=0.5".to_owned(),
        /// Additional request headers, each as `Name: value`; one that the crawl sends itself, such as `Accept`, is
        /// replaced. They may contain credentials, so they are sent only to the origins (scheme, host and port) of the
        /// seeds and of `credential_origins`, and not with what a page of another origin requests.
        headers: Vec<String> = Vec::new(),
        /// The value of a Cookie header (`name=value; name=value`). It is sent where `headers` are.
        cookie: String = String::new(),
        /// A file of cookies in the Netscape format that browsers and curl export. Only cookies that apply to the host
        /// of a seed or of one of `credential_origins` are used; each is sent where its domain, path and `Secure`
        /// allow. Empty: none.
        cookies_file: String = String::new(),
        /// Origins that also get `headers`, `cookie` and the password of a log-in, such as
        /// `https://login.example.org`. Scheme, host and port must be those of the request: `https://example.org` is
        /// neither `http://example.org` nor `https://www.example.org`.
        credential_origins: Vec<String> = Vec::new(),
        /// Whether cookies that sites set are stored and sent back: up to 50 per domain and 20,000 in all, of 4 KiB
        /// each.
        cookie_jar: bool = false,
        /// Media types that are read to the end, as patterns: `text/html`, `text/*`, `*/*`. Of other answers only the
        /// head is stored. An answer without Content-Type is read.
        types: Vec<String> = vec!["text/*".to_owned(), "image/*".to_owned(), "application/*".to_owned()],
        /// Maximum size of a body that is stored, before content decoding; a longer one is truncated and the record
        /// says so.
        body_max: ByteSize = ByteSize::mib(16),
        /// Number of bodies over 1 MiB that are in memory at once; others wait for them on their connections. It bounds
        /// the memory for bodies: `frontier.in_flight_max` × 1 MiB + this × `body_max`.
        large_bodies: u32 = 16,
        /// Maximum size of a decoded body; a longer one is truncated, as is one over 1 MiB that is more than 500 times
        /// larger than its coded form. A worker takes that much memory.
        decoded_max: ByteSize = ByteSize::mib(64),
        /// Timeout of each step that establishes a connection: the resolution of the name, the TCP connection (and the
        /// tunnel through a proxy) for all addresses of the host together, and the TLS handshake.
        connect_timeout: Period = Period::secs(10),
        /// Timeout of an answer's head, counted from the moment its connection is established.
        first_byte_timeout: Period = Period::secs(30),
        /// Timeout of a whole request, from resolution to the last byte; the part of the body received by then is
        /// stored.
        whole_timeout: Period = Period::secs(120),
        /// Whether HTTP/2 is offered to https hosts.
        http2: bool = true,
        /// Whether all hosts may have private, loopback and link-local addresses. Otherwise only the hosts of seeds and
        /// of named searches may, until they have a public address for the first time.
        private_addresses: bool = false,
        /// Addresses of hosts that are not looked up with the resolver, each as `HOST:ADDR` or `HOST:ADDR:PORT`; HOST
        /// may be `*.suffix`, an IPv6 ADDR is written in brackets. Several for one host are tried in turn. The address
        /// guard applies here too.
        resolve: Vec<String> = Vec::new(),
        /// A PEM file of certificate authorities that are trusted in addition to the built-in ones. Empty: none.
        ca_file: String = String::new(),
        /// A proxy for all requests: `http://user:password@host:port`, `socks5://host:port` or `socks5h://host:port`.
        /// The proxy resolves the names. The address guard refuses names of the own network (`intranet`, `nas.local`)
        /// and those that have a private address by the name server of this machine; with `socks5h` that one is not
        /// asked. Empty: none.
        proxy: String = String::new(),
    }
}

impl FetchOptions {
    /// Returns whether requests have cookies or headers of the user's own, by which sites may know a member.
    pub const fn has_credentials(&self) -> bool {
        !self.cookie.is_empty() || !self.cookies_file.is_empty() || !self.headers.is_empty()
    }
}
