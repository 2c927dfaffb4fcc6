//! The links of one page on their way from the parser to the frontier.
//!
//! By default ([`FilterOrder::GraphDup`]) links are refused by link class before they are resolved, then resolved and
//! canonicalised, then refused by the pattern of their URL, then judged by scope and depth, then looked up in the set
//! of URLs seen. The other orders resolve every link; one looks up first and asks the policy of what is new, one does
//! not ask it at all.
//!
//! A URL is added to that set last, when it is accepted: rejected URLs are not remembered and may be accepted another
//! time.

use std::cell::LazyCell;
use std::sync::Arc;

use crate::extensions::DeliveredLink;
use crate::login::AvoidedOnPage;
use crate::page::link_judge::{Judge, Judged, Memory};
use crate::page::link_times::LinkTimes;
use crate::page::rules::Rules;
use crate::search::reach::Reach;
use harvestman_core::clock::Instant;
use harvestman_core::config::FilterOrder;
use harvestman_core::model::{
    Apath, Fate, Fates, Lastmod, LinkClass, PageCluster, ParsedPage, PolicyRefusal, RawLink, RobotsDirectives,
    ScheduledUrl,
};
use harvestman_core::url::{CanonicalUrl, Resolver};
use harvestman_policy::{Link, PlacedLink, PolicySnapshot};
use harvestman_stages::filter::{self, NofollowRules};
use harvestman_stages::frontier::DiscoveredLinks;
use harvestman_stages::revisit::RowLink;
use harvestman_storage::archive::{ExportedLink, links_line};
use harvestman_structure::link_context::LinkContexts;
use harvestman_structure::parse::PageWords;

/// Takes in the links of one page.
pub(crate) struct LinkFilter<'a> {
    rules: &'a Rules,
    snapshot: Arc<dyn PolicySnapshot>,
    memory: &'a mut Memory,
    /// The class that the policy was asked about last and does not refuse: most links are of the class of the link
    /// before.
    passes: Option<LinkClass>,
    resolver: Resolver<'a>,
    via: &'a CanonicalUrl,
    via_shared: Option<Arc<str>>,
    pub(crate) depth: u16,
    pub(crate) redirects: u8,
    duplicates: u64,
    passed: u64,
    settled: Fates,
    accepted: Vec<ScheduledUrl>,
    /// Links that other nodes of the fleet are to take in.
    foreign: Vec<ScheduledUrl>,
    /// All links with what was decided, where they are exported or delivered.
    judged: Option<Vec<DeliveredLink>>,
    /// All links within the scope, where the policy asks for them.
    pub(crate) placed: Option<Vec<PlacedLink>>,
    /// All links that can be resolved, where it is kept what stands around them.
    pub(crate) rows: Option<Vec<RowLink>>,
    /// Whether its link may be requested again although it was seen, because the answer now depends on cookies.
    pub(crate) may_repeat: bool,
    /// How far its links may lead. Those that may lead beyond the scope come from a search and are fetched before all
    /// others.
    pub(crate) reach: Reach,
    /// The link of the page that is taken in; `None` where it is no link of a page.
    raw: Option<RawLink>,
    /// Whether the policy asks for what stands around accepted links.
    pub(crate) wants_contexts: bool,
    /// Reads the words of the page for that; `None` where the page has them. Few pages have new links.
    pub(crate) read_words: Option<&'a dyn Fn() -> PageWords>,
    /// That of each accepted link and of each one for another node, in order; empty where it is not wanted.
    contexts: Vec<Box<[u32]>>,
    foreign_contexts: Vec<Box<[u32]>>,
    /// The links of the page that a member must not follow.
    pub(crate) avoided: AvoidedOnPage,
    /// How long the links take, where that is measured.
    times: Option<LinkTimes>,
    /// Keeps the `lastmod` of links, where a sitemap states them.
    pub(crate) dates: Option<LinkDates>,
}

/// The `lastmod` of the links of a sitemap.
pub(crate) struct LinkDates {
    /// When the sitemap was read, in seconds since 1970.
    read: u64,
    /// That of the link that is taken in.
    current: Option<u64>,
    stated: Vec<Lastmod>,
}

impl LinkDates {
    /// Creates an empty list for a sitemap that was read at this time.
    pub(crate) fn of_sitemap(read: Instant) -> Self {
        Self { read: read.as_micros() / 1_000_000, current: None, stated: Vec::new() }
    }
}

impl<'a> LinkFilter<'a> {
    pub(crate) fn new(
        rules: &'a Rules,
        snapshot: Arc<dyn PolicySnapshot>,
        memory: &'a mut Memory,
        item: &'a ScheduledUrl,
    ) -> Self {
        Self {
            times: memory.timing.next(&rules.metrics),
            dates: None,
            rules,
            memory,
            passes: None,
            resolver: rules.urls.canonicaliser.resolver(&item.url, None),
            via: &item.url,
            via_shared: None,
            depth: item.depth.saturating_add(1),
            redirects: 0,
            duplicates: 0,
            passed: 0,
            settled: Fates::default(),
            accepted: Vec::new(),
            foreign: Vec::new(),
            judged: (rules.links.export || rules.links.collects_links).then(Vec::new),
            placed: None,
            rows: None,
            raw: None,
            avoided: AvoidedOnPage::new(),
            may_repeat: false,
            reach: Reach::Scope,
            wants_contexts: false,
            read_words: None,
            contexts: Vec::new(),
            foreign_contexts: Vec::new(),
            snapshot,
        }
    }

    /// Takes in all links of a page of `cluster`.
    pub(crate) fn page(&mut self, page: &ParsedPage, cluster: PageCluster, directives: RobotsDirectives) {
        self.resolver = self.rules.urls.canonicaliser.document_resolver(self.via, page.base.as_deref(), page.charset);
        self.links(page, cluster, directives);
    }

    /// Takes in all links of a page of `cluster`.
    pub(crate) fn links(&mut self, page: &ParsedPage, cluster: PageCluster, directives: RobotsDirectives) {
        let options = &self.rules.links.filter;
        let nofollow =
            NofollowRules { page: directives.nofollow && options.nofollow_pages, links: options.nofollow_links };
        let policy = Arc::clone(&self.snapshot);
        // Where the policy isn't asked first, it is not asked of groups.
        let first = options.order == FilterOrder::GraphDup;
        let read_words = self.read_words;
        let words = LazyCell::new(|| read_words.map(|read| read()));
        let surroundings = LazyCell::new(|| match &*words {
            Some(words) => LinkContexts::with_words(page, words),
            None => LinkContexts::new(page),
        });
        for group in &page.groups {
            self.times.iter_mut().for_each(LinkTimes::begin);
            let judged = filter::check_group(cluster, group, nofollow, |class| {
                if first { policy.admit(&Link::at_place_of(class)).refusal() } else { None }
            });
            self.times.iter_mut().for_each(LinkTimes::filtered);
            match judged {
                Ok(class) => {
                    self.passes = first.then_some(class);
                    for link in &group.links {
                        self.raw = Some(*link);
                        match filter::check_link(link, nofollow) {
                            Ok(()) if self.wants_contexts => {
                                drop(self.take_in(page.href(link), class, &|| surroundings.of(link)));
                            }
                            Ok(()) => drop(self.link(page.href(link), class)),
                            Err(why) => self.refuse(why, group.apath, [page.href(link)]),
                        }
                    }
                }
                Err(why) => self.refuse(why, group.apath, group.links.iter().map(|link| page.href(link))),
            }
        }
    }

    /// Takes in the entries of a feed or sitemap, from a page that lists them.
    pub(crate) fn entries(&mut self, page: &ParsedPage) {
        let class = LinkClass::unclassified(Apath::SITEMAP);
        let surroundings = self.wants_contexts.then(|| LinkContexts::new(page));
        for link in page.groups.iter().flat_map(|group| &group.links) {
            self.raw = Some(*link);
            let context = || surroundings.as_ref().map_or_else(Box::default, |all| all.of(link));
            drop(self.take_in(page.href(link), class, &context));
        }
    }

    /// Takes in the feeds that a page announces. They are no links that a reader sees: policies and later visits do not
    /// compare them.
    pub(crate) fn feeds(&mut self, page: &ParsedPage, directives: RobotsDirectives) {
        if page.feeds.is_empty() || !self.rules.feeds.is_on() {
            return;
        }
        let (placed, rows) = (self.placed.take(), self.rows.take());
        let is_nofollow = directives.nofollow && self.rules.links.filter.nofollow_pages;
        for href in &page.feeds {
            if is_nofollow {
                self.refuse(PolicyRefusal::Nofollow, Apath::FEED, [&**href]);
            } else {
                self.feed(href);
            }
        }
        (self.placed, self.rows) = (placed, rows);
    }

    fn feed(&mut self, href: &str) {
        let rules = self.rules;
        // What is no URL is settled below.
        let admitted = self
            .resolver
            .resolve(href)
            .map_or(true, |url| rules.urls.seen.contains(url.fingerprint()) || rules.feeds.admits(url.as_str()));
        if !admitted {
            return self.refuse(PolicyRefusal::PoorFeed, Apath::FEED, [href]);
        }
        if let Some(url) = self.link(href, LinkClass::unclassified(Apath::FEED)) {
            rules.feeds.follow(url.as_str());
        }
    }

    /// Settles links that were refused before they were resolved. Only who exports them resolves them.
    fn refuse<'h>(&mut self, why: PolicyRefusal, apath: Apath, hrefs: impl IntoIterator<Item = &'h str>) {
        let fate = Fate::Policy(why);
        for href in hrefs {
            self.settled.add(fate, 1);
            let concealed = self.judged.is_some().then(|| self.concealed(href)).flatten();
            if let Some(judged) = &mut self.judged
                && let Ok(url) = self.resolver.resolve(concealed.as_deref().unwrap_or(href))
            {
                judged.push(DeliveredLink { url: url.as_str().to_owned(), apath, fate: Some(fate) });
            }
        }
    }

    /// Returns where a link leads, if it holds the key of a search, which is written nowhere.
    fn concealed(&mut self, href: &str) -> Option<String> {
        let keys = self.rules.searches.as_ref().map(|searches| &searches.keys).filter(|keys| !keys.is_empty())?;
        keys.concealed(self.resolver.resolve(href).ok()?.as_str(), self.via.as_str())
    }

    /// Takes in one link. Returns where it leads, if it was new, or a redirect.
    pub(crate) fn link(&mut self, href: &str, class: LinkClass) -> Option<CanonicalUrl> {
        self.take_in(href, class, &Box::default)
    }

    /// Takes in one link of a sitemap, with its `lastmod`.
    pub(crate) fn listed(&mut self, href: &str, lastmod: Option<u64>) {
        if let Some(dates) = &mut self.dates {
            dates.current = lastmod;
        }
        self.link(href, LinkClass::unclassified(Apath::SITEMAP));
    }

    /// The same for a link around which stands `context`, which is only asked for if the link is new.
    fn take_in(&mut self, href: &str, class: LinkClass, context: &dyn Fn() -> Box<[u32]>) -> Option<CanonicalUrl> {
        let concealed = self.concealed(href);
        let url = match self.resolver.resolve(concealed.as_deref().unwrap_or(href)) {
            Ok(url) => url,
            Err(why) => {
                self.settled.add(Fate::OutOfScope(why), 1);
                return None;
            }
        };
        let wanted_anyway = class.apath == Apath::REDIRECT;
        let (rules, policy, depth, via) = (self.rules, &*self.snapshot, self.depth, self.via.as_str());
        let (reach, may_repeat) = (self.reach, self.may_repeat);
        let (memory, passes, times) = (&mut *self.memory, &mut self.passes, &mut self.times);
        times.iter_mut().for_each(LinkTimes::begin);
        let avoided = &self.avoided;
        let mut judge = Judge { rules, policy, memory, passes, depth, via, reach, may_repeat, avoided, context, times };
        let Judged { class, priority, fate, context } = judge.judge(&url, class);
        let priority = reach.priority(priority);
        self.times.iter_mut().for_each(LinkTimes::filtered);
        if let Some(rows) = &mut self.rows {
            let text = self.raw.map_or(0, |link| link.text);
            rows.push(RowLink { apath: class.apath.0, page: url.fingerprint(), text });
        }
        if let Some(LinkDates { read, current: Some(lastmod), stated }) = &mut self.dates
            && matches!(fate, None | Some(Fate::Duplicate))
        {
            stated.push(Lastmod::new(url.fingerprint(), *lastmod, *read));
        }
        if let Some(placed) = &mut self.placed
            && !matches!(fate, Some(Fate::OutOfScope(_)))
        {
            let refused = if let Some(Fate::Policy(why)) = fate { Some(why) } else { None };
            let (apath, pattern) = (class.apath, class.stored_pattern().fine);
            let place = self.raw.map(|link| link.place).unwrap_or_default();
            placed.push(PlacedLink { apath, url: url.fingerprint(), pattern, refused, place });
        }
        if let Some(judged) = &mut self.judged {
            judged.push(DeliveredLink { url: url.as_str().to_owned(), apath: class.apath, fate });
        }
        let target = (wanted_anyway || fate.is_none()).then(|| url.to_url());
        let into = match fate {
            None => Some((&mut self.accepted, &mut self.contexts)),
            Some(Fate::HandedOver) => Some((&mut self.foreign, &mut self.foreign_contexts)),
            Some(_) => None,
        };
        if let Some((into, contexts)) = into {
            if self.wants_contexts {
                contexts.push(context);
            }
            let via = self.via_shared.get_or_insert_with(|| Arc::from(self.via.as_str()));
            into.push(ScheduledUrl {
                url: url.to_url(),
                class,
                priority,
                depth: self.depth,
                redirects: self.redirects,
                attempts: 0,
                via: Some(Arc::clone(via)),
            });
        }
        match fate {
            Some(Fate::Duplicate) => self.duplicates += 1,
            Some(fate) => self.settled.add(fate, 1),
            None => {}
        }
        self.passed += 1;
        target
    }

    /// Takes the contexts of the accepted links and then of those for other nodes; empty where they are not wanted.
    fn take_contexts(&mut self) -> Vec<Box<[u32]>> {
        let mut contexts = std::mem::take(&mut self.contexts);
        contexts.append(&mut self.foreign_contexts);
        contexts
    }

    /// Takes in links as results of the query with this address.
    pub(crate) fn searching(&mut self, search: Arc<str>, reach: Reach) {
        self.reach = reach;
        self.via_shared = Some(search);
    }

    /// Returns the number of links that were new, for this node or another one.
    pub(crate) const fn found(&self) -> usize {
        self.accepted.len() + self.foreign.len()
    }

    /// Ends the page. Returns its links.
    pub(crate) fn findings(mut self) -> LinkFindings {
        let contexts = self.take_contexts();
        let (found, judged) = self.finish();
        LinkFindings { found, judged, contexts }
    }

    /// Ends the page. Returns its links without the texts around them.
    pub(crate) fn finish(mut self) -> (DiscoveredLinks, JudgedLinks) {
        self.settled.add(Fate::Duplicate, self.duplicates);
        let metrics = &self.rules.metrics;
        let new = self.accepted.len() as u64;
        let filtered = self.settled.total() - self.duplicates;
        let looked_up = self.duplicates + new;
        // What the filter is handed and hands on depends on who comes first.
        let (received, sent) = match self.rules.links.filter.order {
            FilterOrder::GraphDup | FilterOrder::DupOnly => (filtered + looked_up, looked_up),
            FilterOrder::DupGraph => (filtered + new, new),
        };
        metrics.filter.stage.received.add(received);
        metrics.filter.stage.sent.add(sent);
        for (fate, count) in self.settled.iter().filter(|(fate, _)| *fate != Fate::Duplicate) {
            metrics.filter.stage.dropped.by(fate.reason().unwrap_or_default()).add(count);
        }
        metrics.dedup.stage.received.add(looked_up);
        metrics.dedup.stage.sent.add(new);
        metrics.dedup.stage.dropped.by("duplicate").add(self.duplicates);
        if let Some(times) = self.times {
            times.count(received, looked_up, metrics);
        }
        let all = self.judged.unwrap_or_default();
        let is_exported = self.rules.links.export && !all.is_empty();
        let line = is_exported.then(|| links_line(self.via.as_str(), all.iter().map(exported_link)));
        let generation = self.snapshot.generation();
        let page_generation = self.snapshot.generation_at(self.via.as_str());
        let (settled, accepted, foreign) = (self.settled, self.accepted, self.foreign);
        let lastmods = self.dates.map(|dates| dates.stated).unwrap_or_default();
        (
            DiscoveredLinks { settled, accepted, foreign, generation, page_generation, lastmods },
            JudgedLinks { line, all },
        )
    }
}

/// The links of a page.
#[derive(Default)]
pub(crate) struct LinkFindings {
    pub(crate) found: DiscoveredLinks,
    /// Its links with what was decided about them, if that is wanted.
    pub(crate) judged: JudgedLinks,
    /// The text around its new links, first the accepted, then those for other nodes; empty if the policy does not need
    /// it.
    pub(crate) contexts: Vec<Box<[u32]>>,
}

/// The links of a page with what was decided about them, where that is wanted.
#[derive(Default)]
pub(crate) struct JudgedLinks {
    /// The line of the link export, if links are exported.
    pub(crate) line: Option<Vec<u8>>,
    /// All of them, if links are exported or delivered.
    pub(crate) all: Vec<DeliveredLink>,
}

fn exported_link(DeliveredLink { url, apath, fate }: &DeliveredLink) -> ExportedLink<'_> {
    let refused = fate.filter(|fate| matches!(fate, Fate::Policy(_))).and_then(Fate::reason);
    ExportedLink { href: url, apath: *apath, new: fate.is_none(), refused }
}

#[cfg(test)]
#[path = "link_filter_tests.rs"]
mod tests;
