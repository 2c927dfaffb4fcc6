//! The parameters of a world.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A family of sites: software of one kind, with its own page templates and URL styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// A bulletin board: boards, threads, permalinks, members.
    Forum,
    /// A blog network with one host per user: posts, archives, tags, blogrolls.
    Blogs,
    /// Questions and answers: sort orders, tags, redirecting permalinks.
    Qa,
    /// Photo sharing: streams, sets, tags, contacts, favourites.
    Media,
    /// A forum that builds its pages in the browser by a script, for crawlers that render pages.
    Client,
    /// One host of plain pages that are cheap to serve, for benchmarks; cannot be combined with others.
    Static,
}

impl Family {
    /// The families of a social world whose pages need no script.
    pub const SOCIAL: [Self; 4] = [Self::Forum, Self::Blogs, Self::Qa, Self::Media];

    /// Returns its name, as on the command line and in the ground truth.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forum => "forum",
            Self::Blogs => "blogs",
            Self::Qa => "qa",
            Self::Media => "media",
            Self::Client => "client",
            Self::Static => "static",
        }
    }

    /// Returns the relative number of pages of a host of this family. A personal blog is small.
    pub(super) const fn weight(self) -> u64 {
        match self {
            Self::Blogs => 1,
            Self::Forum | Self::Qa | Self::Media | Self::Client | Self::Static => 2,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::SOCIAL
            .into_iter()
            .chain([Self::Client])
            .find(|family| family.name() == text)
            .ok_or_else(|| format!("unknown family `{text}`; expected forum, blogs, qa, media or client"))
    }
}

/// The options of a world are invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// No family was given.
    #[error("no family given; expected at least one of forum, blogs, qa, media, client")]
    NoFamily,
    /// Too few hosts.
    #[error(
        "{hosts} hosts are too few; at least {needed} are required (one per family and the portal), or 1 with one family"
    )]
    TooFewHosts {
        /// Hosts given.
        hosts: u64,
        /// Hosts required.
        needed: u64,
    },
    /// The static family was combined with others, or has several hosts.
    #[error("the static site has one host and one family; use no other family and 1 host")]
    StaticIsAlone,
    /// A share is not between 0 and 1.
    #[error("{name} is {value}, but a share must be from 0 to 1")]
    NoShare {
        /// Name of the option.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number exceeds its bound.
    #[error("{name} is {value}; the maximum is {most}")]
    TooMany {
        /// Name of the option.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The bound.
        most: u64,
    },
}

/// The parameters of a world. Equal options and seed give an equal world, to the byte.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldOptions {
    /// Approximate number of URLs that answer 200 and are allowed by robots.txt, over all hosts. Never fewer; at most a
    /// few dozen more per host.
    pub pages: u64,
    /// Number of hosts, including the portal. 1 with a single family omits the portal.
    pub hosts: u64,
    /// The families.
    pub families: Vec<Family>,
    /// The parent domain of the hosts. Browsers resolve all names below `localhost` to this machine.
    pub domain: String,
    /// The port in URLs; `None` is the port of the server that serves the world, or 80 in memory.
    pub port: Option<u16>,
    /// Approximate bytes of text of a content page, without markup.
    pub page_bytes: usize,
    /// Approximate number of links of a list page, without navigation.
    pub links: usize,
    /// Number of tags of a static site. With tags, each of its pages shows two, and there are further pages that list
    /// the pages of each tag.
    pub tags: u64,
    /// Additional links on each page to pages of random hosts. They lead only to URLs that are linked elsewhere too.
    pub elsewhere: usize,
    /// Share of attempts answered with a transient 500 or 503; never more than [`WorldOptions::errors_in_a_row`] in a
    /// row per URL.
    pub error_rate: f64,
    /// Maximum number of failing first attempts per URL, so that a crawler with that many retries loses nothing.
    pub errors_in_a_row: u32,
    /// Share of items with an address that redirects to them.
    pub redirects: f64,
    /// Share of items with further addresses for the same content (permalinks, print views, sort orders).
    pub duplicates: f64,
    /// Share of items that are listed but answer 404.
    pub dead_links: f64,
    /// Whether some links have a session id (`?sid=…`), a second address of the page.
    pub session_ids: bool,
    /// Whether there are links to content other than HTML: feeds and image files.
    pub non_html: bool,
    /// Whether some links are spelled in unusual but equivalent ways (upper-case host, dot segments, escapes, white
    /// space).
    pub spellings: bool,
    /// Whether there are traps: an endless calendar and ever-deeper paths. They are not in the ground truth.
    pub traps: bool,
    /// Whether robots.txt disallows sections (log-in, reply forms, sort orders); otherwise it has no rules.
    pub disallow: bool,
    /// The `Crawl-delay` in robots.txt.
    pub crawl_delay: Option<Duration>,
    /// Whether robots.txt lists a sitemap of the main pages of the host.
    pub sitemaps: bool,
    /// Whether the site changes over its time ([`World::set_time`](super::World::set_time)).
    pub changes: bool,
    /// Whether each answer differs outside its content: a clock, a counter, a token.
    pub noise: bool,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self {
            pages: 20_000,
            hosts: 50,
            families: Family::SOCIAL.to_vec(),
            domain: "localhost".to_owned(),
            port: None,
            page_bytes: 4_096,
            links: 40,
            tags: 0,
            elsewhere: 0,
            error_rate: 0.0,
            errors_in_a_row: 2,
            redirects: 0.2,
            duplicates: 0.3,
            dead_links: 0.02,
            session_ids: false,
            non_html: false,
            spellings: true,
            traps: false,
            disallow: true,
            crawl_delay: None,
            sitemaps: true,
            changes: false,
            noise: false,
        }
    }
}

/// Maximum number of pages of a world; beyond it the numbers in URLs would overflow.
const PAGES_MOST: u64 = 1_000_000_000;
/// Maximum number of hosts; their names are held in memory.
const HOSTS_MOST: u64 = 1_000_000;
/// Maximum number of tags of a static site.
const TAGS_MOST: u64 = 10_000;
/// Maximum number of additional links to other hosts per page.
const ELSEWHERE_MOST: u64 = 1_000;

impl WorldOptions {
    /// Returns the options of a static site with `pages` pages of about 25 KB and 90 links each, for benchmarks.
    pub fn static_site(pages: u64) -> Self {
        Self { pages, hosts: 1, families: vec![Family::Static], page_bytes: 20_000, links: 90, ..Self::default() }
    }

    /// Checks the options.
    pub fn validate(&self) -> Result<(), Error> {
        let families = self.families.len() as u64;
        if families == 0 {
            return Err(Error::NoFamily);
        }
        if self.families.contains(&Family::Static) && (families, self.hosts) != (1, 1) {
            return Err(Error::StaticIsAlone);
        }
        if self.hosts <= families && (families, self.hosts) != (1, 1) {
            return Err(Error::TooFewHosts { hosts: self.hosts, needed: families + 1 });
        }
        let elsewhere = ("elsewhere", self.elsewhere as u64, ELSEWHERE_MOST);
        let tags = ("tags", self.tags, TAGS_MOST);
        let (pages, hosts) = (("pages", self.pages, PAGES_MOST), ("hosts", self.hosts, HOSTS_MOST));
        for (name, value, most) in [pages, hosts, tags, elsewhere] {
            if value > most {
                return Err(Error::TooMany { name, value, most });
            }
        }
        let shares = [
            ("error_rate", self.error_rate),
            ("redirects", self.redirects),
            ("duplicates", self.duplicates),
            ("dead_links", self.dead_links),
        ];
        match shares.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            Some((name, value)) => Err(Error::NoShare { name, value }),
            None => Ok(()),
        }
    }
}
