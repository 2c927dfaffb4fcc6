//! Dates in a page, each of which may belong to a post.

use jiff::civil::{Date, DateTime, Time};

use crate::dates::{FoundDate, find_date, find_time, is_date_word};
use crate::maps::HashMap;
use crate::tree::{Content, NodeIndex, Tree};

/// Maximum number of words of a text around a date.
const WORDS_MAX: usize = 16;
/// Maximum number of words beside a date.
const BESIDE_MAX: usize = 8;
/// Maximum number of words beside a date in an attribute.
const LABEL_WORDS_MAX: usize = 4;
/// Number of elements around a date that may be its line, and of those that may have the date of a change too.
const LINE_ELEMENTS: usize = 3;
const CHANGE_ELEMENTS: usize = 6;
/// Words for changes.
const CHANGED: [&str; 18] = [
    "updated",
    "edited",
    "modified",
    "changed",
    "revised",
    "bearbeitet",
    "geändert",
    "aktualisiert",
    "modifié",
    "édité",
    "modificado",
    "editado",
    "actualizado",
    "modificato",
    "gewijzigd",
    "bewerkt",
    "изменен",
    "编辑",
];
/// Maximum number of dates of a page.
const ANCHORS_MAX: usize = 20_000;
/// Local times differ by multiples of this from UTC, and by this at most, in minutes.
const OFFSET_STEP: i64 = 15;
const OFFSET_MAX: i64 = 14 * 60;

/// A date and where it is.
#[derive(Debug, Clone, Copy)]
pub struct Anchor {
    /// The element that shows it.
    pub node: NodeIndex,
    /// The date.
    pub date: FoundDate,
    /// Whether the same line has an earlier date at an equal place: that of writing, where this one is that of a
    /// change.
    pub is_later: bool,
}

/// Finds the dates of a page, in document order. `now` is the local time at which it was fetched.
pub fn find_anchors(tree: &Tree, now: DateTime) -> Vec<Anchor> {
    find_where(tree, now, |_| true, |_| {})
}

/// Finds the dates of those nodes that may have one. `found_at` is told the node of each.
pub fn find_where(
    tree: &Tree,
    now: DateTime,
    may_have: impl Fn(NodeIndex) -> bool,
    mut found_at: impl FnMut(NodeIndex),
) -> Vec<Anchor> {
    let mut found: Vec<Anchor> = Vec::new();
    let mut dates = Dates { tree, now, found: HashMap::default() };
    for at in tree.all().skip(1).filter(|at| may_have(*at)) {
        if found.len() >= ANCHORS_MAX {
            break;
        }
        let anchor = match tree.content(at) {
            Content::Element(..) => of_attributes(tree, at, now),
            Content::Text(text) => dates.of_text(at, text),
        };
        let Some(anchor) = anchor else { continue };
        found_at(at);
        // The text of an element whose attribute tells the same.
        if found.last().is_some_and(|last| last.node == anchor.node || tree.range(last.node).contains(&anchor.node)) {
            continue;
        }
        found.push(anchor);
    }
    if let Some(is_month_first) = order(&found) {
        settle_order(&mut found, is_month_first);
    }
    mark_later(tree, &mut found);
    found
}

/// Marks the dates of changes: all dates of a line but the earliest, where they are in equal elements.
fn mark_later(tree: &Tree, anchors: &mut [Anchor]) {
    let mut first = 0;
    for at in 1..anchors.len() {
        let (one, other) = (anchors[first], anchors[at]);
        if tree.node(one.node).path != tree.node(other.node).path || !are_of_one_line(tree, one.node, other.node) {
            first = at;
            continue;
        }
        let moment = |anchor: Anchor| (anchor.date.date, anchor.date.time);
        let later = if moment(other) < moment(one) { std::mem::replace(&mut first, at) } else { at };
        anchors[later].is_later = true;
    }
}

/// Returns whether two dates are in one line; one that says that it is of a change may be further away from the first
/// one.
fn are_of_one_line(tree: &Tree, one: NodeIndex, other: NodeIndex) -> bool {
    let is_short = |node: &NodeIndex| tree.node(*node).words <= WORDS_MAX;
    let mut inside = other;
    for (level, above) in tree.upwards(other).skip(1).take_while(is_short).take(CHANGE_ELEMENTS).enumerate() {
        if tree.range(above).contains(&one) {
            let is_row = tree.name(inside) == "tr";
            return (level < LINE_ELEMENTS && !is_row) || says_changed(&tree.text(inside));
        }
        inside = above;
    }
    false
}

fn says_changed(text: &str) -> bool {
    let text = text.to_lowercase();
    CHANGED.iter().any(|word| text.contains(word))
}

/// Returns the date that an element shows, however long its text is, as is known of it otherwise.
pub fn anchor_at(tree: &Tree, node: NodeIndex, now: DateTime) -> Option<Anchor> {
    let shown = || find_date(&tree.text(node), now).map(|date| Anchor { node, date, is_later: false });
    of_attributes(tree, node, now).or_else(shown)
}

/// Returns which of two numbers is the month, if all dates of the page that tell it agree.
fn order(anchors: &[Anchor]) -> Option<bool> {
    let mut certain = anchors.iter().filter_map(|anchor| anchor.date.is_month_first);
    let is_month_first = certain.next()?;
    certain.all(|other| other == is_month_first).then_some(is_month_first)
}

/// Settles which of two numbers is the day where that is not certain.
pub fn settle_order(anchors: &mut [Anchor], is_month_first: bool) {
    for date in anchors.iter_mut().map(|anchor| &mut anchor.date) {
        let Some(other) = date.other.take() else { continue };
        if date.is_swapped != is_month_first {
            date.date = other;
        }
    }
}

fn of_attributes(tree: &Tree, node: NodeIndex, now: DateTime) -> Option<Anchor> {
    if tree.node(node).words > WORDS_MAX {
        return None;
    }
    // Attributes with a date, the most exact first.
    let rank = |name: &str| match name {
        "datetime" => Some(0),
        "data-time" => Some(1),
        "data-timestamp" => Some(2),
        "title" => Some(3),
        "content" => Some(4),
        _ => None,
    };
    let dates = tree.attributes(node).filter_map(|(name, value)| Some((rank(name)?, find_in_attribute(value, now)?)));
    // One with a time comes before one without.
    let (_, mut date) = dates.min_by_key(|(rank, date)| (date.time.is_none(), *rank))?;
    let text = tree.text(node);
    if let Some(shown) = find_date(&text, now) {
        date = as_shown(date, shown);
    } else if let Some(time) = date.time.filter(|_| date.offset.is_none()).and_then(|_| find_time(&text, now)) {
        date = at_shown(date, time);
    }
    Some(Anchor { node, date, is_later: false })
}

/// Returns an exact time in the local time of the site, if the time that is shown tells how far this is from UTC.
fn as_shown(exact: FoundDate, shown: FoundDate) -> FoundDate {
    let (Some(time), Some(shown_time), Some(offset)) = (exact.time, shown.time, exact.offset) else { return exact };
    let local = shown.date.at(shown_time.hour(), shown_time.minute(), time.second(), 0);
    let distance = local.duration_since(exact.date.at(time.hour(), time.minute(), time.second(), 0)).as_secs() / 60;
    if distance == 0 || distance % OFFSET_STEP != 0 || distance.abs() > OFFSET_MAX {
        return exact;
    }
    let seconds = i64::from(offset) + 60 * distance;
    FoundDate { date: local.date(), time: Some(local.time()), offset: i32::try_from(seconds).ok(), ..exact }
}

/// Returns a time without a zone as the time of day that is shown, which may be in another zone: the nearest such
/// moment.
fn at_shown(exact: FoundDate, shown: Time) -> FoundDate {
    let Some(time) = exact.time else { return exact };
    let distance =
        |date: Date| date.at(shown.hour(), shown.minute(), 0, 0).duration_since(exact.date.to_datetime(time)).abs();
    let days = [exact.date.yesterday().ok(), Some(exact.date), exact.date.tomorrow().ok()];
    let date = days.into_iter().flatten().min_by_key(|date| distance(*date)).unwrap_or(exact.date);
    let second = if (shown.hour(), shown.minute()) == (time.hour(), time.minute()) { time.second() } else { 0 };
    let shown = Time::new(shown.hour(), shown.minute(), second, 0).unwrap_or(shown);
    FoundDate { date, time: Some(shown), ..exact }
}

fn find_in_attribute(value: &str, now: DateTime) -> Option<FoundDate> {
    if value.len() > 80 || !value.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if value.len() >= 10 && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return of_epoch(value, now);
    }
    find_date(value, now).filter(|date| date.has_day && date.words_beside <= LABEL_WORDS_MAX)
}

/// Returns the date of a number of seconds or milliseconds since 1970.
fn of_epoch(digits: &str, now: DateTime) -> Option<FoundDate> {
    let number: i64 = digits.parse().ok()?;
    let seconds = if digits.len() >= 13 { number / 1_000 } else { number };
    let then = jiff::Timestamp::from_second(seconds).ok()?.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    let is_possible = then.year() >= 1990 && then.date() <= now.date().tomorrow().ok()?;
    is_possible.then_some(FoundDate {
        date: then.date(),
        other: None,
        time: Some(then.time()),
        offset: Some(0),
        is_swapped: false,
        is_month_first: None,
        has_day: true,
        is_relative: false,
        words_beside: 0,
    })
}

/// The dates in texts and elements of a page, each of which is looked for once.
struct Dates<'t> {
    tree: &'t Tree,
    now: DateTime,
    found: HashMap<NodeIndex, Option<FoundDate>>,
}

impl Dates<'_> {
    /// Returns the date in a text, together with what stands beside it on its line.
    fn of_text(&mut self, at: NodeIndex, text: &str) -> Option<Anchor> {
        let tree = self.tree;
        if tree.node(at).words > WORDS_MAX || !may_be_date(text) {
            return None;
        }
        let mut best: Option<Anchor> = None;
        let mut read = None;
        for node in tree.upwards(at).take(4).take_while(|node| tree.node(*node).words <= WORDS_MAX) {
            // An element without more words says the same.
            if read == Some(tree.node(node).words) {
                continue;
            }
            read = Some(tree.node(node).words);
            if best.is_none() && node != at && self.has_other_date(node, at) {
                return None;
            }
            let date = self.date(node).filter(|date| date.words_beside <= BESIDE_MAX);
            match (date, &mut best) {
                (Some(date), None) => {
                    let node = if node == at { tree.parent(at)? } else { node };
                    best = Some(Anchor { node, date, is_later: false });
                }
                // The time is in another element of the line.
                (Some(date), Some(best))
                    if best.date.time.is_none() && date.time.is_some() && date.date == best.date.date =>
                {
                    best.date = date;
                }
                _ => {}
            }
            if best.is_some_and(|best| best.date.time.is_some()) {
                break;
            }
        }
        best
    }

    /// Returns whether another text of a node is a date by itself.
    fn has_other_date(&mut self, node: NodeIndex, at: NodeIndex) -> bool {
        let tree = self.tree;
        let is_text = |other: &NodeIndex| matches!(tree.content(*other), Content::Text(_));
        tree.inside(node).filter(|other| *other != at).filter(is_text).any(|text| self.date(text).is_some())
    }

    /// Returns the date in a text, or in the text of an element.
    fn date(&mut self, node: NodeIndex) -> Option<FoundDate> {
        let (tree, now) = (self.tree, self.now);
        let find = || match tree.content(node) {
            Content::Text(text) if may_be_date(text) => find_date(text, now),
            Content::Text(_) => None,
            Content::Element(_) => find_date(&tree.text(node), now),
        };
        *self.found.entry(node).or_insert_with(find)
    }
}

fn may_be_date(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit()) || text.split_whitespace().take(4).any(is_date_word)
}
