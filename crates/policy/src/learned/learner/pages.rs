//! The worth of a fetched page, and of its links.

use std::cmp::Ordering;

use super::LearnedPolicy;
use crate::learned::drift::{DriftAction, TemplateFit};
use crate::learned::goal::Goal;
use crate::learned::log::{Entry, EntryNumber, LoggedPage};
use crate::learned::text::{ContentId, Kin, NewText, Relation};
use crate::learned::worth::Worth;
use crate::learned::yields::Yield;
use crate::{NewLink, PageFacts};
use harvestman_core::model::{ClusterId, LinkClass};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// The worth from which on a page counts as wanted content: that of two shingles, if these are all its text.
const CONTENT_FROM: f64 = 0.1;
/// The likeness (that of the template alone) from which on a page counts as like the example.
const LIKE_FROM: f64 = 0.25;

impl LearnedPolicy {
    pub(super) fn page(
        &mut self,
        url: CanonicalUrl,
        class: LinkClass,
        via: Option<Fingerprint>,
        facts: &mut PageFacts,
        new: Vec<NewLink>,
    ) -> Worth {
        self.pages += 1;
        let cluster = self.templates.as_ref().map_or(ClusterId::UNKNOWN, |templates| templates.classify(&facts.bag));
        self.recognise_example(url.as_str(), cluster);
        let sample = self.sample_page(&url, facts);
        let kin = Kin { cluster, pattern: self.patterns.of(url.as_str()).coarse };
        let found = facts.text.as_ref().map(|text| self.content.take_in(text, kin));
        let content = found.as_ref().map(|found| found.id);
        let (duplicate, touched) = found.map_or_else(Default::default, |found| self.relate(&url, found));
        let accepted = match &mut self.topic {
            Some(topic) => topic.judge(&url, facts, class.topic_mark().on_named),
            None => facts.accepted == Some(true),
        };
        let (extends, views) = if accepted && self.topic.is_some() {
            self.views.see(url.as_str(), self.log.next_number(), cluster)
        } else {
            Default::default()
        };
        // The text of a page of a known class may be unread: then it repeats another one if most of its kind did.
        let is_by_type = accepted || matches!(self.goal, Goal::Like { .. });
        let duplicate = match content {
            _ if !is_by_type => duplicate,
            Some(_) => {
                self.duplicate_share.see(kin, duplicate);
                duplicate || extends
            }
            None => extends || self.duplicate_share.is_likely(kin),
        };
        self.check_example(url.as_str(), facts.accepted);
        let page = LoggedPage { content, cluster, duplicate, accepted, sample };
        if !self.will_learn() {
            self.reading.see(self.evidence.is_known(class, self.tuning.known_weight));
        }
        let worth = self.worth(&url, class, &page);
        self.wanted += u64::from(worth.wanted);
        // Before anything is learned, URLs of different kinds have the same pattern.
        if worth.value > 0.0 && self.templates.is_some() && self.examples.is_one_missing() {
            self.examples.find_missing(self.patterns.kind(url.as_str()));
        }
        if self.is_evidence(Some(page)) {
            self.recent_yield.see(worth);
            self.evidence.add(class, worth, self.memory());
        } else {
            self.recent_yield.expect(self.evidence.estimate(class, &self.tuning.smoothing).wanted);
        }
        let seen = match &self.templates {
            Some(templates) if sample.is_none() && templates.has_made(&facts.bag, cluster) => TemplateFit::Known,
            Some(_) if sample.is_none() => TemplateFit::Strange,
            _ => TemplateFit::Uncounted,
        };
        self.log.push(Entry { url, class, via, worth, page: Some(page), new });
        self.revalue(&touched);
        self.count_as_views(&views);
        self.watch(seen);
        worth
    }

    /// Learns how the page just fetched at `url` relates to earlier ones. Returns whether it is the duplicate of one,
    /// and the pages whose worth changes.
    fn relate(&mut self, url: &CanonicalUrl, found: NewText) -> (bool, Vec<ContentId>) {
        self.duplicates += u64::from(found.repeats.is_some());
        let duplicate = match found.repeats {
            Some((other, Relation::Alike)) => self.blame(url, other, found.id),
            Some((_, Relation::Within)) => matches!(self.goal, Goal::Content),
            None => false,
        };
        let mut touched = found.touched;
        if let Some((other, _)) = found.repeats.filter(|_| duplicate) {
            touched.extend(self.content.declare_repetition(found.id, other));
        }
        if matches!(self.goal, Goal::Content) {
            found.contains.iter().for_each(|other| self.contained(*other, found.id));
        }
        (duplicate, touched)
    }

    /// Counts earlier pages as further addresses of an item of the topic.
    fn count_as_views(&mut self, views: &[EntryNumber]) {
        for view in views {
            if let Some(page) = self.log.get_mut(*view).and_then(|entry| entry.page.as_mut()) {
                page.duplicate = true;
                self.revalue_entry(*view);
            }
        }
    }

    /// Whether the worth of a fetch was observed: it was no page, its text was read, or its text does not matter.
    pub(super) fn is_evidence(&self, page: Option<LoggedPage>) -> bool {
        page.is_none_or(|page| page.content.is_some()) || self.goal.is_of_a_type()
    }

    /// Checks whether the site's pages still fit the known templates.
    pub(super) fn watch(&mut self, seen: TemplateFit) {
        match self.drift.see(seen, self.sample.len()) {
            DriftAction::Nothing => {}
            // Pages of every pattern are sampled again: earlier ones no longer represent their pattern.
            DriftAction::Sample => self.sampled.clear(),
            DriftAction::Learn { dropped, kept } => {
                self.forget_sample(dropped);
                // Pages since then were assigned to the nearest template, whichever it was.
                self.learn_templates(kept);
                self.update_model();
            }
        }
    }

    /// Counts `other` as a duplicate, since the page `within` shows its text.
    fn contained(&mut self, other: ContentId, within: ContentId) {
        let Some(entry) = self.log.of_content(other) else { return };
        if let Some(page) = &mut entry.page {
            page.duplicate = true;
        }
        let mut touched = self.content.declare_repetition(other, within);
        touched.push(other);
        self.revalue(&touched);
    }

    /// Decides which of the page just fetched at `url` and `other` is the duplicate: the one whose address has
    /// more parameters or segments, or else the one of a kind that could be left out, or else the one with the less
    /// canonical address. A page whose address is more like an example's is none, whatever repeats it: it is what was
    /// asked for. Returns whether it is the former.
    pub(super) fn blame(&mut self, url: &CanonicalUrl, other: ContentId, id: ContentId) -> bool {
        let Some(theirs) = self.log.of_content(other).map(|entry| entry.url.clone()) else { return true };
        let (mine, theirs) = (url.as_str(), theirs.as_str());
        let more_like = self.address_likeness(mine).total_cmp(&self.address_likeness(theirs));
        let same_kind = self.patterns.of(mine).coarse == self.patterns.of(theirs).coarse;
        let left_out = |inner, outer| self.content.could_be_left_out(inner, outer);
        let is_theirs = !same_kind
            && match complexity(mine).cmp(&complexity(theirs)) {
                Ordering::Equal if left_out(other, id) != left_out(id, other) => left_out(other, id),
                _ => canonicality(mine) < canonicality(theirs),
            };
        if !is_theirs {
            return more_like != Ordering::Greater;
        }
        if more_like == Ordering::Less {
            return false;
        }
        if let Some(page) = self.log.of_content(other).and_then(|entry| entry.page.as_mut()) {
            page.duplicate = true;
        }
        let mut touched = self.content.declare_repetition(other, id);
        touched.push(other);
        self.revalue(&touched);
        false
    }

    /// Corrects the evidence of earlier pages by what is known now.
    pub(super) fn revalue(&mut self, pages: &[ContentId]) {
        for id in pages {
            if let Some(number) = self.log.number_of(*id) {
                self.revalue_entry(number);
            }
        }
    }

    fn revalue_entry(&mut self, number: EntryNumber) {
        let Some(entry) = self.log.get_mut(number) else { return };
        let Some(page) = entry.page else { return };
        let (url, class, old) = (entry.url.clone(), entry.class, entry.worth);
        let new = self.worth(&url, class, &page);
        self.evidence.correct(class, old, new);
        if let Some(entry) = self.log.get_mut(number) {
            entry.worth = new;
        }
    }

    /// The worth of a page that was fetched as `class`: the expected one where its text was not read.
    pub(super) fn worth(&self, url: &CanonicalUrl, class: LinkClass, page: &LoggedPage) -> Worth {
        match &self.goal {
            Goal::Content if page.duplicate => Worth::NOTHING,
            Goal::Content => {
                let Some(content) = page.content else {
                    let expected = self.evidence.estimate(class, &self.tuning.smoothing);
                    return Worth { value: expected.mean, wanted: expected.wanted >= 0.5 };
                };
                let value = self.content.worth(content);
                Worth { value, wanted: value >= CONTENT_FROM }
            }
            Goal::Like { duplicate_worth, .. } => {
                let likeness = self.examples.of(page.cluster, self.patterns.kind(url.as_str()));
                let share = if page.duplicate { *duplicate_worth } else { 1.0 };
                Worth { value: share * likeness, wanted: likeness >= LIKE_FROM && !page.duplicate }
            }
            Goal::Accepted { .. } | Goal::Topic { .. } if !page.accepted => Worth::NOTHING,
            Goal::Accepted { duplicate_worth, .. } | Goal::Topic { duplicate_worth, .. } => {
                Worth { value: if page.duplicate { *duplicate_worth } else { 1.0 }, wanted: !page.duplicate }
            }
        }
    }

    /// The yield of a fetch's new links.
    pub(super) fn brought<'a>(&mut self, new: impl IntoIterator<Item = &'a NewLink>) -> Yield {
        let estimate = |link: &NewLink| self.evidence.estimate(link.class, &self.tuning.smoothing);
        let estimates: Vec<_> = new.into_iter().map(estimate).collect();
        self.best = estimates.iter().map(|link| link.mean).fold(self.best * 0.99, f64::max);
        let good = estimates.into_iter().filter(|link| link.mean >= self.tuning.good_share * self.best);
        good.map(|link| Yield { links: 1.0, worth: link.mean, wanted: link.wanted })
            .fold(Yield::default(), std::ops::Add::add)
    }
}

/// The sort key of an address, the most canonical first: fewer parameters, then fewer segments, then shorter, then
/// alphabetical.
fn canonicality(url: &str) -> ((usize, usize), usize, &str) {
    (complexity(url), url.len(), url)
}

/// The number of parameters of an address, and of segments.
fn complexity(url: &str) -> (usize, usize) {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let parameters = query.split('&').filter(|pair| !pair.is_empty()).count();
    (parameters, path.split('/').filter(|segment| !segment.is_empty()).count())
}

#[cfg(test)]
mod tests {
    use super::canonicality;

    #[test]
    fn the_plain_address_of_a_thread_comes_before_its_permalinks() {
        let mut urls = ["http://f/t/1/?post=3", "http://f/t/1/reply/", "http://f/t/1/?post=3&page=2", "http://f/t/1/"];
        urls.sort_by_key(|url| canonicality(url));
        assert_eq!(
            urls,
            ["http://f/t/1/", "http://f/t/1/reply/", "http://f/t/1/?post=3", "http://f/t/1/?post=3&page=2"]
        );
    }
}
