//! The links of one page on their way from the parser to the frontier.
//!
//! By default ([`FilterOrder::GraphDup`]) links are refused by link class before they are resolved, then resolved and canonicalised,
//! then refused by the pattern of their URL, then judged by scope and depth, then looked up in the set of URLs seen. The other
//! orders resolve every link; one looks up first and asks the policy of what is new, one does not ask it at all.
//!
//! A URL is added to that set last, when it is accepted: rejected URLs are not remembered and may be accepted another time.

use std::sync::Arc;

use super::link_times::{LinkTimes, Timing};
use super::rules::Rules;
use harvestman_core::clock::Stopwatch;
use harvestman_core::config::FilterOrder;
use harvestman_core::model::{
    Apath, Budget, ClusterId, Fate, Fates, LinkClass, PageCluster, ParsedPage, PolicyRefusal, Priority, QueueKey,
    RobotsDirectives, ScheduledUrl, UrlPattern,
};
use harvestman_core::url::{CanonicalRef, CanonicalUrl, Fingerprint, OutOfScope, Resolver};
use harvestman_policy::{Link, PlacedLink, PolicySnapshot};
use harvestman_stages::filter::{self, NofollowRules, PatternMemo};
use harvestman_stages::frontier::DiscoveredLinks;
use harvestman_stages::revisit::RowLink;
use harvestman_storage::archive::{ExportedLink, links_line};
use harvestman_storage::dedup::RecentUrls;

/// What a worker has just looked up: most links of a page are those of the page before.
#[derive(Default)]
pub(super) struct Memory {
    recent: RecentUrls,
    patterns: PatternMemo,
    timing: Timing,
}

/// Takes in the links of one page.
pub(super) struct LinkFilter<'a> {
    rules: &'a Rules,
    snapshot: Arc<dyn PolicySnapshot>,
    memory: &'a mut Memory,
    /// The class that the policy was asked about last and does not refuse: most links are of the class of the link before.
    passes: Option<LinkClass>,
    resolver: Resolver<'a>,
    via: &'a CanonicalUrl,
    /// The class that the page waited under.
    waited: LinkClass,
    via_shared: Option<Arc<str>>,
    pub(super) depth: u16,
    pub(super) redirects: u8,
    duplicates: u64,
    passed: u64,
    settled: Fates,
    accepted: Vec<ScheduledUrl>,
    /// Links that other nodes of the fleet are to take in.
    foreign: Vec<ScheduledUrl>,
    export: Option<Vec<JudgedLink>>,
    /// All links within the scope, where the policy asks for them.
    pub(super) placed: Option<Vec<PlacedLink>>,
    /// All links that can be resolved, where it is kept what stands around them.
    pub(super) rows: Option<Vec<RowLink>>,
    /// How many texts begin before the link that is taken in.
    text: u32,
    /// How long the links take, where that is measured.
    times: Option<LinkTimes>,
}

impl<'a> LinkFilter<'a> {
    pub(super) fn new(
        rules: &'a Rules,
        snapshot: Arc<dyn PolicySnapshot>,
        memory: &'a mut Memory,
        item: &'a ScheduledUrl,
    ) -> Self {
        Self {
            times: memory.timing.next(&rules.metrics),
            rules,
            memory,
            passes: None,
            resolver: rules.canonicaliser.resolver(&item.url, None),
            via: &item.url,
            waited: item.class,
            via_shared: None,
            depth: item.depth.saturating_add(1),
            redirects: 0,
            duplicates: 0,
            passed: 0,
            settled: Fates::default(),
            accepted: Vec::new(),
            foreign: Vec::new(),
            export: rules.export.then(Vec::new),
            placed: None,
            rows: None,
            text: 0,
            snapshot,
        }
    }

    /// Takes in all links of a page. Returns the page's cluster.
    pub(super) fn page(&mut self, page: &ParsedPage, directives: RobotsDirectives) -> PageCluster {
        self.resolver = self.rules.canonicaliser.document_resolver(self.via, page.base.as_deref(), page.charset);
        let cluster = self.classified(&*self.snapshot, page);
        self.links(page, cluster, directives);
        cluster
    }

    /// Takes in all links of a page of `cluster`.
    pub(super) fn links(&mut self, page: &ParsedPage, cluster: PageCluster, directives: RobotsDirectives) {
        let options = &self.rules.filter;
        let nofollow =
            NofollowRules { page: directives.nofollow && options.nofollow_pages, links: options.nofollow_links };
        let policy = Arc::clone(&self.snapshot);
        // Where the policy isn't asked first, it is not asked of groups.
        let first = options.order == FilterOrder::GraphDup;
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
                        self.text = link.text;
                        match filter::check_link(link, nofollow) {
                            Ok(()) => drop(self.link(page.href(link), class)),
                            Err(why) => self.refuse(why, group.apath, [page.href(link)]),
                        }
                    }
                }
                Err(why) => self.refuse(why, group.apath, group.links.iter().map(|link| page.href(link))),
            }
        }
    }

    /// The cluster of the page.
    fn classified(&self, policy: &dyn PolicySnapshot, page: &ParsedPage) -> PageCluster {
        let metrics = &self.rules.metrics.classify;
        // Before there is anything to tell apart there is nothing to measure.
        let is_timed = metrics.busy_seconds.is_on() && policy.generation() > 0;
        let mut watch = is_timed.then(Stopwatch::start);
        let cluster = policy.page_cluster(self.waited, self.via.as_str(), &page.leaf_paths);
        watch.iter_mut().for_each(|watch| metrics.busy_seconds.add(watch.lap()));
        metrics.stage.received.inc();
        match cluster.cluster {
            ClusterId::UNKNOWN => {
                metrics.stage.dropped.by("unknown").inc();
                metrics.pages.named("unknown").inc();
            }
            ClusterId(number) => {
                metrics.stage.sent.inc();
                metrics.pages.by(number).inc();
            }
        }
        cluster
    }

    /// Settles links that were refused before they were resolved. Only who exports them resolves them.
    fn refuse<'h>(&mut self, why: PolicyRefusal, apath: Apath, hrefs: impl IntoIterator<Item = &'h str>) {
        let fate = Fate::Policy(why);
        for href in hrefs {
            self.settled.add(fate, 1);
            if let Some(export) = &mut self.export
                && let Ok(url) = self.resolver.resolve(href)
            {
                export.push(JudgedLink { href: url.as_str().to_owned(), apath, fate: Some(fate) });
            }
        }
    }

    /// Takes in one link. Returns where it leads, if it was new, or a redirect.
    pub(super) fn link(&mut self, href: &str, class: LinkClass) -> Option<CanonicalUrl> {
        let url = match self.resolver.resolve(href) {
            Ok(url) => url,
            Err(why) => {
                self.settled.add(Fate::OutOfScope(why), 1);
                return None;
            }
        };
        let wanted_anyway = class.apath == Apath::REDIRECT;
        let (rules, policy, depth, via) = (self.rules, &*self.snapshot, self.depth, self.via.as_str());
        let (memory, passes, times) = (&mut *self.memory, &mut self.passes, &mut self.times);
        times.iter_mut().for_each(LinkTimes::begin);
        let mut judge = Judge { rules, policy, memory, passes, depth, via, times };
        let Judged { class, priority, fate } = judge.judge(&url, class);
        self.times.iter_mut().for_each(LinkTimes::filtered);
        if let Some(rows) = &mut self.rows {
            rows.push(RowLink { apath: class.apath.0, page: url.fingerprint(), text: self.text });
        }
        if let Some(placed) = &mut self.placed
            && !matches!(fate, Some(Fate::OutOfScope(_)))
        {
            let refused = if let Some(Fate::Policy(why)) = fate { Some(why) } else { None };
            let LinkClass { apath, pattern, .. } = class;
            placed.push(PlacedLink { apath, url: url.fingerprint(), pattern: pattern.fine, refused });
        }
        if let Some(export) = &mut self.export {
            export.push(JudgedLink { href: url.as_str().to_owned(), apath: class.apath, fate });
        }
        let target = (wanted_anyway || fate.is_none()).then(|| url.to_url());
        let into = match fate {
            None => Some(&mut self.accepted),
            Some(Fate::HandedOver) => Some(&mut self.foreign),
            Some(_) => None,
        };
        if let Some(into) = into {
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

    pub(super) fn finish(mut self) -> (DiscoveredLinks, Option<Vec<u8>>) {
        self.settled.add(Fate::Duplicate, self.duplicates);
        let metrics = &self.rules.metrics;
        let new = self.accepted.len() as u64;
        let filtered = self.settled.total() - self.duplicates;
        let looked_up = self.duplicates + new;
        // What the filter is handed and hands on depends on who comes first.
        let (received, sent) = match self.rules.filter.order {
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
            times.count((received, looked_up), metrics);
        }
        let exported = self
            .export
            .filter(|links| !links.is_empty())
            .map(|links| links_line(self.via.as_str(), links.iter().map(exported_link)));
        let generation = self.snapshot.generation();
        let (settled, accepted, foreign) = (self.settled, self.accepted, self.foreign);
        (DiscoveredLinks { settled, accepted, foreign, generation }, exported)
    }
}

/// A link for the export.
struct JudgedLink {
    href: String,
    apath: Apath,
    /// None where it is new and accepted.
    fate: Option<Fate>,
}

fn exported_link(JudgedLink { href, apath, fate }: &JudgedLink) -> ExportedLink<'_> {
    let refused = fate.filter(|fate| matches!(fate, Fate::Policy(_))).and_then(Fate::reason);
    ExportedLink { href, apath: *apath, new: fate.is_none(), refused }
}

/// Judges links of one page.
struct Judge<'j> {
    rules: &'j Rules,
    policy: &'j dyn PolicySnapshot,
    memory: &'j mut Memory,
    passes: &'j mut Option<LinkClass>,
    depth: u16,
    via: &'j str,
    times: &'j mut Option<LinkTimes>,
}

/// The decision about a link.
struct Judged {
    /// With the pattern of the URL, where that was looked at.
    class: LinkClass,
    priority: Priority,
    /// Why it is not accepted; `None` where it is.
    fate: Option<Fate>,
}

impl Judged {
    const fn settled(class: LinkClass, fate: Fate) -> Self {
        Self { class, priority: Priority::Normal, fate: Some(fate) }
    }
}

/// What is known of whether a URL was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Nothing.
    Unasked,
    /// It was not, when it was looked up.
    New,
}

impl Judge<'_> {
    /// Decides whether a link is accepted. A link that is accepted counts as seen from now on.
    fn judge(&mut self, url: &CanonicalRef<'_>, place: LinkClass) -> Judged {
        match self.rules.filter.order {
            FilterOrder::GraphDup => self.by_class(url, place, Known::Unasked),
            FilterOrder::DupGraph => {
                let fingerprint = url.fingerprint();
                let seen = &self.rules.seen;
                if self.in_dedup(|memory| memory.recent.knows(fingerprint) || seen.contains(fingerprint)) {
                    return Judged::settled(place, Fate::Duplicate);
                }
                match self.policy.admit(&Link::at_place_of(place)).refusal() {
                    Some(why) => Judged::settled(place, Fate::Policy(why)),
                    None => self.by_class(url, place, Known::New),
                }
            }
            FilterOrder::DupOnly => {
                let judged = self.look_up(url, place, Known::Unasked);
                let pattern = if judged.fate.is_none() { self.policy.pattern(url.as_str()) } else { place.pattern };
                Judged { class: judged.class.with_pattern(pattern), ..judged }
            }
        }
    }

    /// Judges a link by its place and the pattern of its URL, and looks it up if it passes.
    fn by_class(&mut self, url: &CanonicalRef<'_>, place: LinkClass, known: Known) -> Judged {
        let policy = self.policy;
        let pattern = self.pattern(url);
        let class = place.with_pattern(pattern);
        if *self.passes != Some(class) {
            if let Some(why) = policy.admit(&Link::Class(class)).refusal() {
                return Judged::settled(class, Fate::Policy(why));
            }
            *self.passes = Some(class);
        }
        self.look_up(url, class, known)
    }

    /// Returns the pattern of a URL. A policy without patterns is not worth the cache miss of the memo.
    fn pattern(&mut self, url: &CanonicalRef<'_>) -> UrlPattern {
        let policy = self.policy;
        if !policy.has_patterns() {
            return UrlPattern::NONE;
        }
        let find = || policy.pattern(url.as_str());
        self.memory.patterns.pattern(url.fingerprint(), policy.patterns_version(), find)
    }

    /// Decides whether a link belongs to the crawl, is new, and is admitted by its URL and its page; then it counts as seen.
    fn look_up(&mut self, url: &CanonicalRef<'_>, class: LinkClass, known: Known) -> Judged {
        let (rules, fingerprint) = (self.rules, url.fingerprint());
        if self.in_dedup(|memory| memory.recent.knows(fingerprint)) {
            return Judged::settled(class, Fate::Duplicate);
        }
        if let Err(why) = rules.scope.check(url.as_str()) {
            return Judged::settled(class, Fate::OutOfScope(why));
        }
        // Whether a derived address exists is for the crawl to find out, at the price of a request.
        let linked = class.apath != Apath::DERIVED;
        if linked && rules.recorded.as_ref().is_some_and(|recorded| !recorded(fingerprint)) {
            return Judged::settled(class, Fate::OutOfScope(OutOfScope::NotIncluded));
        }
        let too_deep = self.depth > rules.depth_max;
        if !rules.ownership.holds(url.origin()) {
            return self.hand_over(url, class, too_deep);
        }
        if known == Known::Unasked && self.in_dedup(|_| rules.seen.contains(fingerprint)) {
            self.memory.recent.note(fingerprint);
            return Judged::settled(class, Fate::Duplicate);
        }
        if too_deep {
            return Judged::settled(class, Fate::OverBudget(Budget::Depth));
        }
        let admitted = self.admit(url, class);
        // Another worker may have met it meanwhile.
        let is_new = admitted.fate.is_some() || self.add(fingerprint);
        if is_new { admitted } else { Judged::settled(class, Fate::Duplicate) }
    }

    /// Decides about a link of a host that another node owns. That node knows whether the URL was seen; this one only knows whether it was
    /// handed over recently.
    fn hand_over(&self, url: &CanonicalRef<'_>, class: LinkClass, too_deep: bool) -> Judged {
        if too_deep {
            return Judged::settled(class, Fate::OverBudget(Budget::Depth));
        }
        let admitted = self.admit(url, class);
        let handed =
            || if self.rules.ownership.record_handover(url.fingerprint()) { Fate::HandedOver } else { Fate::Duplicate };
        Judged { fate: Some(admitted.fate.unwrap_or_else(handed)), ..admitted }
    }

    /// Adds a URL to the set of those seen; whether it was new.
    fn add(&mut self, fingerprint: Fingerprint) -> bool {
        let seen = &self.rules.seen;
        self.in_dedup(|memory| {
            memory.recent.note(fingerprint);
            seen.insert(fingerprint)
        })
    }

    /// Asks what is known of a URL; the time that this takes is the dedup's.
    fn in_dedup<T>(&mut self, ask: impl FnOnce(&mut Memory) -> T) -> T {
        self.times.iter_mut().for_each(LinkTimes::filtered);
        let answer = ask(self.memory);
        self.times.iter_mut().for_each(LinkTimes::looked_up);
        answer
    }

    /// Asks the policy about a link by its URL and its page.
    fn admit(&self, url: &CanonicalRef<'_>, class: LinkClass) -> Judged {
        match self.policy.admit(&Link::New { class, url: url.as_str(), via: self.via }).queued() {
            Ok(QueueKey { class, priority }) => Judged { class, priority, fate: None },
            Err(why) => Judged::settled(class, Fate::Policy(why)),
        }
    }
}

#[cfg(test)]
#[path = "link_filter_tests.rs"]
mod tests;
