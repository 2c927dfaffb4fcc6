//! What kind of world is asked for.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A family of sites: software of one kind, with page templates and URL styles of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// A bulletin board: boards, threads, permalinks, members.
    Forum,
    /// A blog network with a host a user: posts, archives, tags, blogrolls.
    Blogs,
    /// Questions and answers: sort orders, tags, redirecting permalinks.
    Qa,
    /// Photo sharing: streams, sets, tags, contacts, favourites.
    Media,
    /// One host of plain pages that are cheap to serve, for benchmarks; cannot be combined with others.
    Static,
}

impl Family {
    /// The families of a social world.
    pub const SOCIAL: [Self; 4] = [Self::Forum, Self::Blogs, Self::Qa, Self::Media];

    /// The name as it is written on the command line and in the ground truth.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forum => "forum",
            Self::Blogs => "blogs",
            Self::Qa => "qa",
            Self::Media => "media",
            Self::Static => "static",
        }
    }

    /// How many pages a host of this family has, compared with the others. A person's blog is small.
    pub(super) const fn weight(self) -> u64 {
        match self {
            Self::Blogs => 1,
            Self::Forum | Self::Qa | Self::Media | Self::Static => 2,
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
            .find(|family| family.name() == text)
            .ok_or_else(|| format!("`{text}` is no family; write forum, blogs, qa or media"))
    }
}

/// A world cannot be made as asked for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// No family was named.
    #[error("no family is named; name at least one of forum, blogs, qa, media")]
    NoFamily,
    /// Too few hosts.
    #[error(
        "{hosts} hosts are too few; ask for at least {needed} (one a family and the portal), or for 1 with one family"
    )]
    TooFewHosts {
        /// Hosts asked for.
        hosts: u64,
        /// Hosts needed.
        needed: u64,
    },
    /// The static family with others, or on several hosts.
    #[error("the static site is one host of one family; ask for no other family and for 1 host")]
    StaticIsAlone,
    /// A share is not between 0 and 1.
    #[error("{name} is {value}, which is no share; write a number from 0 to 1")]
    NoShare {
        /// Name of the option.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// More than can be enumerated.
    #[error("{name} is {value}; the most is {most}")]
    TooMany {
        /// Name of the option.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The bound.
        most: u64,
    },
}

/// What a world is like. Equal options and seed give an equal world, to the byte.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldOptions {
    /// About how many URLs answer 200 and are allowed by robots.txt, over all hosts. Never fewer; at most some dozens a host more.
    pub pages: u64,
    /// Number of hosts, the portal included. 1 with a single family: no portal.
    pub hosts: u64,
    /// Which families there are.
    pub families: Vec<Family>,
    /// The domain that the hosts are below of. Every browser takes names below `localhost` to this machine.
    pub domain: String,
    /// The port in URLs; none: the port of the server that serves the world, or 80 in memory.
    pub port: Option<u16>,
    /// About how many bytes of text a content page carries, markup not counted.
    pub page_bytes: usize,
    /// About how many links a list page carries, navigation not counted.
    pub links: usize,
    /// Links on each page to pages of hosts drawn from all, beside those that the site has of itself. They lead to no URL that is not
    /// linked otherwise.
    pub elsewhere: usize,
    /// Share of attempts answered by a transient 500 or 503; never more than [`WorldOptions::errors_in_a_row`] of one URL in a row.
    pub error_rate: f64,
    /// At most so many of the first attempts at a URL fail, so that a crawler with that many retries loses nothing.
    pub errors_in_a_row: u32,
    /// Share of the items that have an address which redirects to them.
    pub redirects: f64,
    /// Share of the items that have further addresses for the same content (permalinks, print views, sort orders).
    pub duplicates: f64,
    /// Share of the items that are listed but answer 404.
    pub dead_links: f64,
    /// Whether some links carry a session id (`?sid=…`), a second address for the page.
    pub session_ids: bool,
    /// Whether there are links to what is no HTML: feeds and image files.
    pub non_html: bool,
    /// Whether some links are spelled in unusual ways (upper-case host, dot segments, escapes, white space) that mean the same URL.
    pub spellings: bool,
    /// Whether there are traps: a calendar without end and ever-deeper paths. They are not in the ground truth.
    pub traps: bool,
    /// Whether robots.txt disallows sections (log-in, reply forms, sort orders); else it is empty of rules.
    pub disallow: bool,
    /// A `Crawl-delay` in robots.txt.
    pub crawl_delay: Option<Duration>,
    /// Whether robots.txt names a sitemap of the host's main pages.
    pub sitemaps: bool,
    /// Whether the site changes as its time goes on ([`World::set_time`](super::World::set_time)); else it is what it is.
    pub changes: bool,
    /// Whether each answer differs from the one before in what is no content: a clock, a counter, a token.
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

/// The most pages a world can be asked for; beyond it the numbers in URLs would overflow.
const PAGES_MOST: u64 = 1_000_000_000;
/// The most hosts; their names are held in memory.
const HOSTS_MOST: u64 = 1_000_000;
/// Links to other hosts that a page may have.
const ELSEWHERE_MOST: u64 = 1_000;

impl WorldOptions {
    /// A static site of `pages` pages of about 25 KB and 90 links each, for benchmarks.
    pub fn static_site(pages: u64) -> Self {
        Self { pages, hosts: 1, families: vec![Family::Static], page_bytes: 20_000, links: 90, ..Self::default() }
    }

    /// Whether the world can be made.
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
        for (name, value, most) in [("pages", self.pages, PAGES_MOST), ("hosts", self.hosts, HOSTS_MOST), elsewhere] {
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
