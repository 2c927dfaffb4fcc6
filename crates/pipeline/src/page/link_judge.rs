//! Decides about the links of one page, one after another.

use crate::extensions::LinkInQuestion;
use crate::login::AvoidedOnPage;
use crate::page::link_times::{LinkTimes, Timing};
use crate::page::rules::Rules;
use crate::search::reach::Reach;
use harvestman_core::config::FilterOrder;
use harvestman_core::model::{Apath, Budget, Fate, LinkClass, PolicyRefusal, Priority, QueueKey, UrlPattern};
use harvestman_core::url::{CanonicalRef, Fingerprint, OutOfScope};
use harvestman_policy::{Link, PolicySnapshot};
use harvestman_stages::filter::PatternMemo;
use harvestman_storage::dedup::RecentUrls;

/// What a worker has just looked up: most links of a page are those of the page before.
#[derive(Default)]
pub(crate) struct Memory {
    recent: RecentUrls,
    patterns: PatternMemo,
    pub(crate) timing: Timing,
}

/// Judges links of one page.
pub(crate) struct Judge<'j> {
    pub(crate) rules: &'j Rules,
    pub(crate) policy: &'j dyn PolicySnapshot,
    pub(crate) memory: &'j mut Memory,
    /// The class that the policy was asked about last and does not refuse.
    pub(crate) passes: &'j mut Option<LinkClass>,
    pub(crate) depth: u16,
    pub(crate) via: &'j str,
    /// How far beyond the scope it may lead.
    pub(crate) reach: Reach,
    /// Whether it counts as new although it was seen.
    pub(crate) may_repeat: bool,
    /// The links of the page that a member must not follow.
    pub(crate) avoided: &'j AvoidedOnPage,
    /// What stands around the link.
    pub(crate) context: &'j dyn Fn() -> Box<[u32]>,
    pub(crate) times: &'j mut Option<LinkTimes>,
}

/// The decision about a link.
pub(crate) struct Judged {
    /// With the pattern of the URL, where that was looked at.
    pub(crate) class: LinkClass,
    pub(crate) priority: Priority,
    /// Why it is not accepted; `None` where it is.
    pub(crate) fate: Option<Fate>,
    /// What stands around it, if the policy was asked about it.
    pub(crate) context: Box<[u32]>,
}

impl Judged {
    fn settled(class: LinkClass, fate: Fate) -> Self {
        Self { class, priority: Priority::Normal, fate: Some(fate), context: Box::default() }
    }
}

/// Whether the class of a link has the pattern of its URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    /// It has, or is not to have it.
    Settled,
    /// Not yet: only links that are not known to be duplicates get it.
    Open,
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
    pub(crate) fn judge(&mut self, url: &CanonicalRef<'_>, place: LinkClass) -> Judged {
        match self.rules.links.filter.order {
            FilterOrder::GraphDup => self.by_class(url, place, Known::Unasked),
            FilterOrder::DupGraph => {
                let fingerprint = url.fingerprint();
                let seen = &self.rules.urls.seen;
                if self.in_dedup(|memory| memory.recent.knows(fingerprint) || seen.contains(fingerprint))
                    && !self.may_repeat
                {
                    return Judged::settled(place, Fate::Duplicate);
                }
                match self.policy.admit(&Link::at_place_of(place)).refusal() {
                    Some(why) => Judged::settled(place, Fate::Policy(why)),
                    None => self.by_class(url, place, Known::New),
                }
            }
            FilterOrder::DupOnly => {
                let judged = self.look_up(url, place, Pattern::Settled, Known::Unasked);
                let pattern = if judged.fate.is_none() { self.policy.pattern(url.as_str()) } else { place.pattern };
                Judged { class: judged.class.with_pattern(pattern), ..judged }
            }
        }
    }

    /// Judges a link by its place and the pattern of its URL, and looks it up if it passes.
    fn by_class(&mut self, url: &CanonicalRef<'_>, place: LinkClass, known: Known) -> Judged {
        let policy = self.policy;
        if !policy.rejects_by_pattern() {
            return self.look_up(url, place, Pattern::Open, known);
        }
        let class = place.with_pattern(self.pattern(url));
        if *self.passes != Some(class) {
            if let Some(why) = policy.admit(&Link::Class(class)).refusal() {
                return Judged::settled(class, Fate::Policy(why));
            }
            *self.passes = Some(class);
        }
        self.look_up(url, class, Pattern::Settled, known)
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

    /// Decides whether a link belongs to the crawl, is new, and is admitted by its URL and its page; then it counts as
    /// seen.
    fn look_up(&mut self, url: &CanonicalRef<'_>, class: LinkClass, pattern: Pattern, known: Known) -> Judged {
        let (rules, fingerprint) = (self.rules, url.fingerprint());
        if self.in_dedup(|memory| memory.recent.knows(fingerprint)) && !self.may_repeat {
            return Judged::settled(class, Fate::Duplicate);
        }
        let within = match self.reach {
            Reach::Scope | Reach::OwnSearch | Reach::OwnSearchLast => rules.urls.scope.check(url.as_str()),
            Reach::FoundSite => rules.urls.scope.check_found(url.as_str()),
            Reach::Anywhere => Ok(()),
        };
        if let Err(why) = within {
            return Judged::settled(class, Fate::OutOfScope(why));
        }
        // Whether a derived address exists is for the crawl to find out, at the price of a request.
        let linked = class.apath != Apath::DERIVED && self.reach != Reach::Anywhere;
        if linked && rules.urls.recorded.as_ref().is_some_and(|recorded| !recorded(fingerprint)) {
            return Judged::settled(class, Fate::OutOfScope(OutOfScope::NotIncluded));
        }
        if let Some(why) = self.avoids(url) {
            return Judged::settled(class, Fate::Policy(why));
        }
        let too_deep = self.depth > rules.urls.depth_max;
        if !rules.urls.ownership.holds(url.origin()) {
            return self.hand_over(url, class, pattern, too_deep);
        }
        if known == Known::Unasked && self.in_dedup(|_| rules.urls.seen.contains(fingerprint)) && !self.may_repeat {
            self.memory.recent.note(fingerprint);
            return Judged::settled(class, Fate::Duplicate);
        }
        if too_deep {
            return Judged::settled(class, Fate::OverBudget(Budget::Depth));
        }
        let admitted = self.admit(url, class, pattern);
        // Another worker may have met it meanwhile.
        let is_new = admitted.fate.is_some() || self.add(fingerprint) || self.may_repeat;
        if is_new { admitted } else { Judged::settled(class, Fate::Duplicate) }
    }

    /// Returns why a crawl with a session must not follow a link.
    fn avoids(&self, url: &CanonicalRef<'_>) -> Option<PolicyRefusal> {
        let avoided = self.rules.links.avoided.as_ref()?;
        self.avoided.get(&url.fingerprint()).copied().or_else(|| avoided.refusal(&url.as_str()[url.origin().len()..]))
    }

    /// Decides about a link of a host that another node owns. That node knows whether the URL was seen; this one only
    /// knows whether it was handed over recently.
    fn hand_over(&mut self, url: &CanonicalRef<'_>, class: LinkClass, pattern: Pattern, too_deep: bool) -> Judged {
        if too_deep {
            return Judged::settled(class, Fate::OverBudget(Budget::Depth));
        }
        let admitted = self.admit(url, class, pattern);
        let handed = || {
            if self.rules.urls.ownership.record_handover(url.fingerprint()) {
                Fate::HandedOver
            } else {
                Fate::Duplicate
            }
        };
        Judged { fate: Some(admitted.fate.unwrap_or_else(handed)), ..admitted }
    }

    /// Adds a URL to the set of those seen; whether it was new.
    fn add(&mut self, fingerprint: Fingerprint) -> bool {
        let seen = &self.rules.urls.seen;
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

    /// Returns whether a filter of the embedding program refuses a link. It is not asked about queries that a user
    /// named.
    fn is_refused(&self, url: &str) -> bool {
        let link = LinkInQuestion { url, via: self.via };
        let filter = self.rules.links.own_filter.as_ref().filter(|_| self.reach != Reach::Anywhere);
        filter.is_some_and(|filter| !filter.accepts(&link))
    }

    /// Asks the policy about a link by its URL and its page.
    fn admit(&mut self, url: &CanonicalRef<'_>, class: LinkClass, pattern: Pattern) -> Judged {
        if self.is_refused(url.as_str()) {
            return Judged::settled(class, Fate::Policy(PolicyRefusal::Extension));
        }
        let class = if pattern == Pattern::Open { class.with_pattern(self.pattern(url)) } else { class };
        let context = (self.context)();
        match self.policy.admit(&Link::New { class, url: url.as_str(), via: self.via, context: &context }).queued() {
            Ok(QueueKey { class, priority }) => Judged { class, priority, fate: None, context },
            Err(why) => Judged::settled(class, Fate::Policy(why)),
        }
    }
}
