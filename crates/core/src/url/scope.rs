//! The scope: which URLs belong to a crawl.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use regex::{RegexSet, RegexSetBuilder};

use super::authority::{self, HostPattern};
use super::moved_seeds::{MovedSeeds, SeedMove};
use super::refusal::{BadEntry, Error, OutOfScope};
use super::trap::TrapGuard;
use super::{CanonicalUrl, registrable_domain};
use crate::config::url::{ScopeMode, ScopeOptions};

/// Maximum length of a URL, in bytes of the canonical form: what browsers and servers have long agreed to handle.
/// Longer ones are mostly those of traps, which grow from page to page.
const URL_LENGTH_MAX: usize = 2_048;

/// Maximum memory of the compiled patterns of one list, in bytes: thousands of ordinary patterns, and none that would
/// take the machine's memory.
const PATTERN_MEMORY_MAX: usize = 10 << 20;

/// Decides whether a URL belongs to the crawl. Created once from the settings and the seeds; only sites that searches
/// find are added later. An ordinary check does not allocate.
#[derive(Debug)]
pub struct Scope {
    reach: Reach,
    extra: Vec<HostPattern>,
    include: RegexSet,
    exclude: RegexSet,
    trap_guard: Option<TrapGuard>,
    /// The authorities of sites that searches found.
    found: RwLock<Authorities>,
    /// Maximum number of these.
    found_max: usize,
    /// Where seeds redirect to.
    moved: MovedSeeds,
}

/// Authorities of seeds.
type Authorities = HashSet<Box<str>, foldhash::fast::FixedState>;

/// The scope relative to the seeds.
#[derive(Debug)]
enum Reach {
    /// These authorities.
    Hosts(Authorities),
    /// The hosts of these sites. The authorities of the seeds, which most links lead to, are checked without the public
    /// suffix list.
    Sites(Authorities, Vec<Site>),
    /// URLs that start, behind their scheme, with one of these (authority and directory).
    Prefixes(Vec<Box<str>>),
    /// Anywhere.
    Any,
}

/// All hosts of one registrable domain.
#[derive(Debug, PartialEq, Eq)]
struct Site {
    domain: Box<str>,
    /// Whether names below it belong to it regardless of the public suffix list: a machine of the local network, where
    /// each site has a name below the machine's name.
    local: bool,
}

impl Scope {
    /// Creates the scope of a crawl from these seeds.
    ///
    /// # Errors
    ///
    /// If patterns or hosts in the settings are malformed, or the patterns are too large; all such errors together.
    pub fn new(options: &ScopeOptions, seeds: &[CanonicalUrl]) -> Result<Self, Error> {
        let mut bad = Vec::new();
        let mut extra = Vec::new();
        for written in &options.hosts {
            match HostPattern::parse(written) {
                Ok(rule) => extra.push(rule),
                Err(problem) => bad.push(entry("scope.hosts", written, problem)),
            }
        }
        let include = pattern_set("scope.include", &options.include, &mut bad);
        let exclude = pattern_set("scope.exclude", &options.exclude, &mut bad);
        Error::unless_empty(bad)?;
        Ok(Self {
            reach: Reach::new(options.mode, seeds),
            extra,
            include,
            exclude,
            trap_guard: options.trap_guard.then(TrapGuard::default),
            found: RwLock::default(),
            found_max: 0,
            moved: MovedSeeds::new(options.follow_seeds),
        })
    }

    /// Returns the scope with room for this many sites that searches find.
    #[must_use]
    pub fn with_found_sites(self, found_max: usize) -> Self {
        Self { found_max, ..self }
    }

    /// Adds the authority of a URL that a search found, unless it belongs to the crawl already. Returns whether it was
    /// added.
    pub fn add_found_site(&self, canonical: &str) -> bool {
        let authority = authority::of(canonical);
        if self.reach.check(canonical, authority).is_ok() {
            return false;
        }
        let mut found = self.found.write().unwrap_or_else(PoisonError::into_inner);
        found.len() < self.found_max && found.insert(authority.into())
    }

    /// Decides what becomes of the redirect of a seed, or of what a seed redirects to: a host of the same site belongs
    /// to the crawl from now on, in place of the host that was named, unless the settings are strict.
    pub fn follow_seed(&self, seed: &str, target: &str) -> SeedMove {
        if !matches!(self.check(target), Err(OutOfScope::Host)) {
            return SeedMove::Within;
        }
        let (from, to) = (authority::of(seed), authority::of(target));
        let within = match &self.reach {
            Reach::Prefixes(_) => [to, &directory(seed)[from.len()..]].concat(),
            Reach::Hosts(_) | Reach::Sites(..) | Reach::Any => to.to_owned(),
        };
        let is_same_site = Site::of(authority::host_of(from)).is_shared_with(authority::host_of(to));
        if is_same_site && self.moved.add(within) && self.check(target).is_ok() {
            SeedMove::Followed
        } else {
            SeedMove::Elsewhere
        }
    }

    /// Restores what [`Scope::follow_seed`] decided in an earlier run: URLs of a host were accepted that is on the site
    /// of a seed and is not in scope without that.
    pub fn restore_moved(&self, seeds: &[CanonicalUrl], origin: &str) {
        let root = format!("{origin}/");
        for seed in seeds {
            self.follow_seed(seed.as_str(), &root);
        }
    }

    /// Checks whether a canonical URL that a search found may be looked at: it belongs to the crawl, or there is room
    /// for another site.
    ///
    /// # Errors
    /// The reason why it may not.
    pub fn check_found(&self, canonical: &str) -> Result<(), OutOfScope> {
        self.check_reach(canonical, |found| found.len() < self.found_max)
    }

    /// Checks whether a canonical URL belongs to the crawl.
    ///
    /// # Errors
    ///
    /// The reason why it does not.
    pub fn check(&self, canonical: &str) -> Result<(), OutOfScope> {
        self.check_reach(canonical, |_| false)
    }

    /// Checks a URL; `beyond` says whether one belongs to the crawl that is on none of its sites.
    fn check_reach(&self, canonical: &str, beyond: impl FnOnce(&Authorities) -> bool) -> Result<(), OutOfScope> {
        if canonical.len() > URL_LENGTH_MAX {
            return Err(OutOfScope::TooLong);
        }
        let path_start = authority::end(canonical);
        let authority = &canonical[authority::start(canonical)..path_start];
        if let Err(refusal) = self.reach.check(canonical, authority)
            && !self.extra.iter().any(|rule| rule.matches(authority))
            && !self.is_found(authority, beyond)
            && !self.is_moved(canonical, authority)
        {
            return Err(refusal);
        }
        if !self.exclude.is_empty() && self.exclude.is_match(canonical) {
            return Err(OutOfScope::Excluded);
        }
        if !self.include.is_empty() && !self.include.is_match(canonical) {
            return Err(OutOfScope::NotIncluded);
        }
        match &self.trap_guard {
            Some(guard) if guard.shape(&canonical[path_start..]).is_some() => Err(OutOfScope::Trap),
            _ => Ok(()),
        }
    }

    fn is_moved(&self, canonical: &str, authority: &str) -> bool {
        match &self.reach {
            Reach::Prefixes(_) => self.moved.has_start_of(&canonical[authority::start(canonical)..]),
            Reach::Hosts(_) | Reach::Sites(..) | Reach::Any => self.moved.has(authority),
        }
    }

    fn is_found(&self, authority: &str, beyond: impl FnOnce(&Authorities) -> bool) -> bool {
        if self.found_max == 0 {
            return false;
        }
        let found = self.found.read().unwrap_or_else(PoisonError::into_inner);
        found.contains(authority) || beyond(&found)
    }
}

impl Reach {
    fn new(mode: ScopeMode, seeds: &[CanonicalUrl]) -> Self {
        let seeds = seeds.iter().map(CanonicalUrl::as_str);
        match mode {
            ScopeMode::Host => Self::Hosts(seeds.map(|seed| authority::of(seed).into()).collect()),
            ScopeMode::Domain => {
                let known: Authorities = seeds.map(|seed| authority::of(seed).into()).collect();
                let mut sites: Vec<Site> = known.iter().map(|known| Site::of(authority::host_of(known))).collect();
                sites.sort_by(|a, b| a.domain.cmp(&b.domain));
                sites.dedup();
                Self::Sites(known, sites)
            }
            ScopeMode::Prefix => {
                let mut prefixes: Vec<Box<str>> = seeds.map(|seed| directory(seed).into()).collect();
                prefixes.sort();
                prefixes.dedup();
                Self::Prefixes(prefixes)
            }
            ScopeMode::Any => Self::Any,
        }
    }

    fn check(&self, canonical: &str, authority: &str) -> Result<(), OutOfScope> {
        let within = match self {
            Self::Any => true,
            Self::Hosts(hosts) => hosts.contains(authority),
            Self::Sites(known, sites) => {
                let host = authority::host_of(authority);
                known.contains(authority) || sites.iter().any(|site| site.has(host))
            }
            Self::Prefixes(prefixes) => return check_prefixes(prefixes, canonical, authority),
        };
        if within { Ok(()) } else { Err(OutOfScope::Host) }
    }
}

fn check_prefixes(prefixes: &[Box<str>], canonical: &str, authority: &str) -> Result<(), OutOfScope> {
    let without_scheme = &canonical[authority::start(canonical)..];
    if prefixes.iter().any(|prefix| without_scheme.starts_with(&**prefix)) {
        return Ok(());
    }
    let on_a_host = prefixes.iter().any(|prefix| prefix.split('/').next() == Some(authority));
    Err(if on_a_host { OutOfScope::Prefix } else { OutOfScope::Host })
}

impl Site {
    fn of(host: &str) -> Self {
        Self { domain: registrable_domain(host).into(), local: authority::is_local_label(host) }
    }

    /// Returns whether a host that a seed redirects to is of this site. An address is a site of its own, whatever its
    /// port.
    fn is_shared_with(&self, host: &str) -> bool {
        !authority::is_address(host) && self.has(host)
    }

    fn has(&self, host: &str) -> bool {
        if *host == *self.domain {
            return true;
        }
        // The list is consulted only for names with the right ending, because a suffix may be in between
        // (`s3.amazonaws.com`).
        authority::is_within(host, &self.domain) && (self.local || registrable_domain(host) == &*self.domain)
    }
}

/// Returns the authority and directory of a canonical URL, without scheme and query.
fn directory(canonical: &str) -> &str {
    let path_end = canonical.find('?').unwrap_or(canonical.len());
    let end = canonical[..path_end].rfind('/').map_or(path_end, |at| at + 1);
    &canonical[authority::start(canonical)..end]
}

/// Compiles the patterns into one set. Malformed ones, or all of them if they are too large together, are added to
/// `bad`.
fn pattern_set(setting: &'static str, patterns: &[String], bad: &mut Vec<BadEntry>) -> RegexSet {
    let before = bad.len();
    let build = |patterns: &[String]| RegexSetBuilder::new(patterns).size_limit(PATTERN_MEMORY_MAX).build();
    for pattern in patterns {
        if let Err(error) = build(std::slice::from_ref(pattern)) {
            bad.push(entry(setting, pattern, &pattern_problem(&error)));
        }
    }
    if bad.len() > before {
        return RegexSet::empty();
    }
    build(patterns).unwrap_or_else(|error| {
        bad.push(entry(setting, &format!("{} patterns", patterns.len()), &pattern_problem(&error)));
        RegexSet::empty()
    })
}

fn pattern_problem(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => {
            format!("compiles to more than {limit} bytes; simplify it, or give fewer patterns")
        }
        // The parser shows the place of the mistake over several lines; its last line says what the mistake is.
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            format!("not a regular expression: {}", last.trim_start_matches("error: "))
        }
    }
}

fn entry(setting: &'static str, value: &str, problem: &str) -> BadEntry {
    BadEntry { setting, value: value.to_owned(), problem: problem.to_owned() }
}
