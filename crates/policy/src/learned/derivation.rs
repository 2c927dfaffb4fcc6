//! Addresses of wanted pages that are made from others: where pages at `/user/5/posts/` are wanted, a link to
//! `/user/7/` shows where the next one is, whatever else `/user/7/` would show.
//!
//! A rule is found where the values of a wanted page's address occur in another known one. It names the frame of the
//! known address, the frame of the wanted one, and which value goes where. A rule of which nothing is proven makes a
//! few addresses; each of them that is wanted allows more, and a rule whose addresses disappoint makes none. Its
//! addresses wait in a class of their own ([`Apath::DERIVED`]), pass scope and robots.txt like links, and are judged
//! like any other.
//!
//! Values are what patterns of URLs do not keep, so that a name of letters that several URLs share is none.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::log::{Entry, Log};
use super::worth::Worth;
use harvestman_core::model::Apath;
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_structure::site::{UrlPatterns, UrlSlots};

/// The worth from which on a page shows what addresses of wanted pages look like: that of an accepted page, or of one
/// with the example's template, path and parameters.
const WANTED_FROM: f64 = 0.9;
/// Number of latest wanted pages whose addresses are explained.
const WANTED_MAX: usize = 128;
/// Maximum number of explanations that are compared, and of rules.
const CANDIDATES_MAX: usize = 4_096;
const RULES_MAX: usize = 16;
/// Maximum number of rules with one frame of addresses that they make.
const SOURCES_MAX: usize = 4;
/// Number of explained pages from which on a rule may hold any text fixed; below it, only a word.
const FIXED_FROM: usize = 3;
/// Of the pages that a rule starts from, at least this share must have linked to the address that it makes.
const LINKED_MIN: f64 = 0.8;
/// Number of addresses that a rule makes at first, and for each of them that was wanted.
const PROBES: u32 = 3;
const PROBES_MORE: u32 = 4;
/// Maximum number of rules that are tried at a time.
const TRIALS_MAX: usize = 2;
/// Number of wanted pages that prove a rule, and of disappointments before it may be given up.
const PROVEN_FROM: u32 = 3;
/// Maximum number of addresses with frames of wanted ones that are known.
const KNOWN_MAX: usize = 100_000;

/// A value of an address that a rule makes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Value {
    /// The value of the known address at this position.
    Of(u8),
    /// Always this text.
    Fixed(Box<str>),
}

/// How an address is made from another one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Derivation {
    /// The frame of the known address.
    from: u64,
    /// The frame of the address that it makes.
    to: u64,
    values: Vec<Value>,
}

impl Derivation {
    /// How `to` could be made from `from`; `None` where they have no value in common.
    fn between(from: &UrlSlots<'_>, to: &UrlSlots<'_>) -> Option<Self> {
        let value = |text: &str| match from.values().position(|other| other == text) {
            Some(at) => Value::Of(at as u8),
            None => Value::Fixed(text.into()),
        };
        let values: Vec<Value> = to.values().map(value).collect();
        let has_common = values.iter().any(|value| matches!(value, Value::Of(_)));
        let (from, to) = (from.key(), to.key());
        (has_common && from != to).then_some(Self { from, to, values })
    }

    /// Whether it could have made an address: its fixed values are the same.
    fn could_make(&self, url: &UrlSlots<'_>) -> bool {
        let is_same = |(value, text): (&Value, &str)| match value {
            Value::Of(_) => true,
            Value::Fixed(fixed) => **fixed == *text,
        };
        self.to == url.key() && self.values.len() == url.len() && self.values.iter().zip(url.values()).all(is_same)
    }

    /// Whether it carries over a text of the known address that is no number.
    fn carries_name(&self, from: &UrlSlots<'_>) -> bool {
        let carried = |value: &Value| match value {
            Value::Of(at) => from.values().nth(usize::from(*at)),
            Value::Fixed(_) => None,
        };
        self.values.iter().filter_map(carried).any(|text| !is_number(text))
    }

    /// Whether nothing but words stays the same in all addresses that it makes.
    fn fixes_words_only(&self) -> bool {
        let is_word = |text: &str| text.chars().all(char::is_alphabetic);
        self.values.iter().all(|value| match value {
            Value::Of(_) => true,
            Value::Fixed(text) => is_word(text),
        })
    }
}

/// What is known of a form.
#[derive(Debug, Clone, Default)]
struct Explained {
    /// The wanted pages whose addresses it would have made.
    pages: Vec<u32>,
    /// Whether one of them was linked by the page that it starts from, or links to it.
    is_linked: bool,
    /// Whether it carries over a text that is no number.
    has_name: bool,
}

/// A rule.
#[derive(Debug, Clone)]
struct Rule {
    form: Derivation,
    /// The frame of the addresses that it makes.
    frame: Vec<Box<str>>,
    tried: Trials,
}

/// What became of the addresses that a rule made.
#[derive(Debug, Clone, Copy, Default)]
struct Trials {
    made: u32,
    wanted: u32,
    failed: u32,
}

impl Trials {
    const fn is_proven(self) -> bool {
        self.wanted >= PROVEN_FROM && self.wanted >= self.failed
    }

    const fn has_failed(self) -> bool {
        self.failed >= PROVEN_FROM && self.failed > 2 * self.wanted
    }

    const fn is_on_trial(self) -> bool {
        self.made > 0 && !self.is_proven() && !self.has_failed()
    }

    /// Whether it may make another address.
    const fn has_room(self) -> bool {
        !self.has_failed() && (self.is_proven() || self.made < PROBES + PROBES_MORE * self.wanted)
    }

    fn see(&mut self, is_wanted: bool) {
        if is_wanted {
            self.wanted += 1;
        } else {
            self.failed += 1;
        }
    }
}

impl Rule {
    /// The address that it makes of one with its frame.
    fn make(&self, from: &UrlSlots<'_>) -> Option<CanonicalUrl> {
        let mut url = from.origin().to_owned();
        let mut values = self.form.values.iter();
        for text in &self.frame {
            url.push_str(text);
            match values.next() {
                Some(Value::Fixed(text)) => url.push_str(text),
                Some(Value::Of(at)) => url.push_str(from.values().nth(usize::from(*at))?),
                None => {}
            }
        }
        Some(CanonicalUrl::from_canonical(url))
    }
}

/// The rules of a site.
#[derive(Debug, Clone, Default)]
pub struct Derivations {
    rules: Vec<Rule>,
    /// Known addresses with a frame that a rule makes.
    known: HashSet<Fingerprint, FixedState>,
}

/// Whether a fetch shows what addresses of wanted pages look like.
fn is_exemplary(worth: Worth) -> bool {
    worth.wanted && worth.value >= WANTED_FROM
}

impl Derivations {
    /// The rules that explain the addresses of wanted pages in a log.
    pub fn learn(patterns: &UrlPatterns, log: &Log) -> Self {
        let wanted = log.iter().rev().filter(|entry| is_exemplary(entry.worth)).take(WANTED_MAX);
        let wanted: Vec<(&Entry, UrlSlots<'_>)> = wanted
            .map(|entry| (entry, patterns.slots(entry.url.as_str())))
            .filter(|(_, slots)| !slots.is_empty())
            .collect();
        let mut found = Self { rules: best(explanations(patterns, log, &wanted), &wanted), known: HashSet::default() };
        for (url, _) in addresses(log) {
            found.note(patterns, url);
        }
        found.drop_unlinked(patterns, log);
        for entry in log.iter().filter(|entry| entry.class.apath == Apath::DERIVED) {
            found.see(patterns, &entry.url, entry.worth);
        }
        found.rules.iter_mut().for_each(|rule| rule.tried.made = rule.tried.wanted + rule.tried.failed);
        found
    }

    /// Drops rules whose addresses the pages that they start from mostly do not link to.
    fn drop_unlinked(&mut self, patterns: &UrlPatterns, log: &Log) {
        let mut linked = vec![(0_u32, 0_u32); self.rules.len()];
        for entry in log.iter().filter(|entry| entry.page.is_some()) {
            let slots = patterns.slots(entry.url.as_str());
            let key = slots.key();
            for (rule, (all, known)) in self.rules.iter().zip(&mut linked).filter(|(rule, _)| rule.form.from == key) {
                let Some(made) = rule.make(&slots) else { continue };
                *all += 1;
                *known += u32::from(self.known.contains(&made.fingerprint()));
            }
        }
        let mut linked = linked.into_iter();
        self.rules.retain(|_| {
            let (all, known) = linked.next().unwrap_or_default();
            f64::from(known) >= LINKED_MIN * f64::from(all)
        });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Notes an address that is known.
    pub fn note(&mut self, patterns: &UrlPatterns, url: &CanonicalUrl) {
        if self.rules.is_empty() || self.known.len() >= KNOWN_MAX {
            return;
        }
        let key = patterns.slots(url.as_str()).key();
        if self.rules.iter().any(|rule| rule.form.to == key) {
            self.known.insert(url.fingerprint());
        }
    }

    /// Learns what became of an address that was made. Returns whether more may be made of known ones.
    pub fn see(&mut self, patterns: &UrlPatterns, url: &CanonicalUrl, worth: Worth) -> bool {
        let slots = patterns.slots(url.as_str());
        let mut has_more = false;
        for rule in self.rules.iter_mut().filter(|rule| rule.form.could_make(&slots)) {
            let was_proven = rule.tried.is_proven();
            rule.tried.see(is_exemplary(worth));
            has_more |= is_exemplary(worth) && !was_proven;
        }
        has_more
    }

    /// The unknown addresses that the rules make of a known one. They are known from now on.
    pub fn make(&mut self, patterns: &UrlPatterns, url: &CanonicalUrl) -> Vec<CanonicalUrl> {
        let mut all = Vec::new();
        if self.rules.is_empty() {
            return all;
        }
        let slots = patterns.slots(url.as_str());
        let key = slots.key();
        let mut trials = self.rules.iter().filter(|rule| rule.tried.is_on_trial()).count();
        for rule in self.rules.iter_mut().filter(|rule| rule.form.from == key && rule.tried.has_room()) {
            if rule.tried.made == 0 && trials >= TRIALS_MAX {
                continue;
            }
            let Some(made) = rule.make(&slots) else { continue };
            if self.known.len() < KNOWN_MAX && self.known.insert(made.fingerprint()) {
                trials += usize::from(rule.tried.made == 0);
                rule.tried.made += 1;
                all.push(made);
            }
        }
        all
    }

    /// The addresses that proven rules make of a known one, known ones among them.
    pub fn proven<'a>(
        &'a self,
        patterns: &UrlPatterns,
        url: &'a CanonicalUrl,
    ) -> impl Iterator<Item = CanonicalUrl> + 'a {
        let slots = (!self.rules.is_empty()).then(|| patterns.slots(url.as_str()));
        let key = slots.as_ref().map(UrlSlots::key);
        let rules = self.rules.iter().filter(move |rule| Some(rule.form.from) == key && rule.tried.is_proven());
        rules.filter_map(move |rule| rule.make(slots.as_ref()?))
    }
}

/// All addresses in a log, each with that of the page that links to it.
fn addresses(log: &Log) -> impl Iterator<Item = (&CanonicalUrl, Option<Fingerprint>)> {
    log.iter().flat_map(|entry| {
        let on = entry.url.fingerprint();
        std::iter::once((&entry.url, entry.via)).chain(entry.new.iter().map(move |link| (&link.url, Some(on))))
    })
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// How the addresses of wanted pages could be made from others in the log.
fn explanations(
    patterns: &UrlPatterns,
    log: &Log,
    wanted: &[(&Entry, UrlSlots<'_>)],
) -> HashMap<Derivation, Explained, FixedState> {
    let mut with: HashMap<&str, Vec<u32>, FixedState> = HashMap::default();
    for (number, (_, slots)) in wanted.iter().enumerate() {
        let has_names = slots.values().any(|value| !is_number(value));
        for value in slots.values().filter(|value| !has_names || !is_number(value)) {
            let pages = with.entry(value).or_default();
            if pages.last() != Some(&(number as u32)) {
                pages.push(number as u32);
            }
        }
    }
    let mut all: HashMap<Derivation, Explained, FixedState> = HashMap::default();
    for (url, on) in addresses(log) {
        let slots = patterns.slots(url.as_str());
        let mut compared: Vec<u32> = Vec::new();
        for number in slots.values().filter_map(|value| with.get(value)).flatten() {
            if compared.contains(number) {
                continue;
            }
            compared.push(*number);
            let (entry, page) = &wanted[*number as usize];
            let Some(form) = Derivation::between(&slots, page) else { continue };
            if all.len() >= CANDIDATES_MAX && !all.contains_key(&form) {
                continue;
            }
            let has_name = form.carries_name(&slots);
            let explained = all.entry(form).or_default();
            if !explained.pages.contains(number) && explained.pages.len() < WANTED_MAX {
                explained.pages.push(*number);
            }
            explained.is_linked |= entry.via == Some(url.fingerprint()) || on == Some(entry.url.fingerprint());
            explained.has_name |= has_name;
        }
    }
    all
}

/// The rules that explain most pages. Numbers alone coincide, so that those must be linked with each other.
fn best(all: HashMap<Derivation, Explained, FixedState>, wanted: &[(&Entry, UrlSlots<'_>)]) -> Vec<Rule> {
    let is_sound = |form: &Derivation, explained: &Explained| {
        let is_often = explained.pages.len() >= FIXED_FROM;
        (explained.has_name && is_often || explained.is_linked) && (is_often || form.fixes_words_only())
    };
    let mut all: Vec<(Derivation, Explained)> =
        all.into_iter().filter(|(form, explained)| is_sound(form, explained)).collect();
    all.sort_by_key(|(form, explained)| (std::cmp::Reverse(explained.pages.len()), form.to, form.from));
    let mut rules: Vec<Rule> = Vec::new();
    for (form, explained) in all {
        let alike = rules.iter().filter(|rule| rule.form.to == form.to).count();
        if let Some(page) = explained.pages.first()
            && alike < SOURCES_MAX
            && rules.len() < RULES_MAX
        {
            let frame = wanted[*page as usize].1.frame().map(Into::into).collect();
            rules.push(Rule { form, frame, tried: Trials::default() });
        }
    }
    rules
}

#[cfg(test)]
#[path = "derivation_tests.rs"]
mod tests;
