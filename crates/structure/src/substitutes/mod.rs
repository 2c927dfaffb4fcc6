//! Substitute pages: what a server sends in place of the page that was asked for – a block or challenge page, a log-in
//! wall, a soft 404 – told by content, without a list of vendors.
//!
//! Such a page is one text that comes for many addresses. So do pages of no interest: print views, reply forms, several
//! addresses of one thread. Therefore a page counts as evidence only if it is a *surprise*: addresses of its form have
//! shown something else, as a rule, with texts of their own, and it lacks what all those pages have in common (leaf
//! paths; SOUrCe 2018, section 3.1), or it is an error or a redirect where they were pages; or its form is new, and it
//! lacks the frame that all other pages of the site have. A text that is a surprise at [`ADDRESSES_MIN`] unrelated
//! addresses is a substitute from then on, wherever it comes. If it comes three times in a row, for its form or for the
//! host, and came where pages were known, the host blocks the crawl; otherwise what was asked for does not exist.
//!
//! The first surprises are not taken for pages either ([`Judgement::Suspect`]), once per address: the caller keeps the
//! answer until others have come ([`SubstituteDetector::judge_again`]), or asks again later. A page that is still alone
//! with its text then counts as itself, and what its form has in common shrinks: a wrongly accused template comes free
//! by itself.
//!
//! Pure: one [`SubstituteDetector`] per host, bounded in memory ([`FORMS_MAX`], [`TEXTS_MAX`]); it sees the host's
//! answers in the order in which they are processed.

mod address_forms;
mod shown_content;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use address_forms::Form;

use harvestman_core::clock::Instant;
use harvestman_core::url::Fingerprint;

pub use address_forms::Address;
pub use shown_content::{AnswerContent, PathSet};

/// Forms of addresses that are known of a host; the one that was not met for longest makes room.
pub const FORMS_MAX: usize = 32;
/// Texts that are remembered of a host.
pub const TEXTS_MAX: usize = 8;
/// Unrelated addresses at which a text must be a surprise before it is a substitute.
pub const ADDRESSES_MIN: usize = 3;
/// Substitutes in a row by which a host blocks the crawl.
const BLOCKED_MIN: u32 = 3;
/// The most that is added to it for a text that is mixed with what was asked for.
const BLOCKED_MAX: u32 = 30;
/// Paths that a frame must have for a page to be told by lacking it.
const FRAME_MIN: usize = 4;
/// Suspect pages of one form, each with a text of its own, that wait to be asked for again. Further ones are what they
/// are.
const OPEN_SUSPECTS_MAX: u32 = 4;
/// Addresses that are remembered as suspect.
const SUSPECTS_MAX: usize = 256;

/// An answer, as far as it matters here.
#[derive(Debug, Clone)]
pub struct SeenAnswer {
    /// Its address.
    pub address: Address,
    /// The same as a number.
    pub url: Fingerprint,
    /// When it was asked for: answers may be processed in another order.
    pub asked_at: Instant,
    /// Its kind.
    pub kind: AnswerKind,
    /// The paths of the page; empty for a redirect.
    pub paths: PathSet,
}

/// The kind of an answer. Errors and redirects are surprises where pages were known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    /// A page (2xx).
    Page,
    /// An error that a server may send to whom it does not want, such as 403 or 503.
    Error,
    /// A redirect to something else than what was asked for ([`Address::is_related`]).
    Redirect,
}

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// What was asked for.
    Own,
    /// The same; the host has stopped to block.
    Lifted,
    /// Perhaps a substitute: judge it again after others, or ask again later.
    Suspect,
    /// A substitute: what was asked for does not exist.
    Absent,
    /// A substitute: the host blocks the crawl. Ask again later, after a pause.
    Blocked,
}

/// A text that was a surprise.
#[derive(Debug)]
struct Surprise {
    shown: AnswerContent,
    /// Its number, which no other text of the host has.
    number: u64,
    /// The unrelated addresses at which it was one, [`ADDRESSES_MIN`] at most.
    addresses: Vec<Address>,
    /// How often an address of the same form was answered right after it as it should be.
    mixed: u32,
    /// Whether it came where pages were known. If not, it is all that these addresses ever showed and blocks nothing: a
    /// page with links that lead ever deeper to the same page is of this kind.
    replaces_pages: bool,
    met_at: u64,
}

impl Surprise {
    fn is_substitute(&self) -> bool {
        self.addresses.len() >= ADDRESSES_MIN
    }

    /// Returns the number of times in a row by which it blocks: more if it was mixed with what was asked for, as the
    /// text for members' private pages is.
    fn blocks_from(&self) -> u32 {
        BLOCKED_MIN + self.mixed.saturating_mul(2).min(BLOCKED_MAX)
    }
}

/// Detects the substitute pages of one host.
#[derive(Debug, Default)]
pub struct SubstituteDetector {
    forms: Vec<Form>,
    texts: Vec<Surprise>,
    suspects: VecDeque<Fingerprint>,
    /// The number of the host's latest pages in a row that were substitutes.
    in_a_row: u32,
    answers: u64,
    is_blocked: bool,
    /// When the page was asked for that showed last that the host had stopped to block.
    lifted_at: Option<Instant>,
}

impl SubstituteDetector {
    /// Judges an answer and learns from it. `shown` tells what it shows, and is called for a surprise, and for the
    /// pages of a form until they are known to have texts of their own; it returns `None` if that cannot be a
    /// substitute.
    pub fn judge(&mut self, answer: &SeenAnswer, shown: impl FnOnce() -> Option<AnswerContent>) -> Judgement {
        self.answers += 1;
        let at = self.form(answer.address.form);
        let is_surprise = self.is_surprise(at, answer);
        // A text that is known as a substitute is one at the first address of a form, too.
        let is_candidate = is_surprise || !self.forms[at].is_known() && self.knows_substitutes();
        if !is_candidate {
            return self.own(at, answer, shown);
        }
        let Some(shown) = shown() else { return self.own(at, answer, || None) };
        match self.texts.iter().position(|text| text.shown.is_same(&shown)) {
            Some(text) if self.texts[text].is_substitute() => self.substitute(at, answer, text),
            _ if !is_surprise => self.own(at, answer, || Some(shown)),
            Some(text) => self.surprise(at, answer, text),
            // A template that the form has besides, or a form without the frame, not one text.
            None if self.forms[at].open_suspects >= OPEN_SUSPECTS_MAX => self.own(at, answer, || Some(shown)),
            None => {
                self.forms[at].open_suspects += 1;
                let text = self.remember(shown);
                self.surprise(at, answer, text)
            }
        }
    }

    /// Judges an answer again that was suspect and has waited while others came. If its text is a substitute by now,
    /// its address is to be asked for again ([`Judgement::Suspect`]): what is there now may be what was asked for.
    /// Otherwise it counts as itself. So does an error or a redirect, which says itself what it is, unless the host
    /// blocks the crawl, or did so after it was asked for.
    pub fn judge_again(&mut self, answer: &SeenAnswer, shown: impl FnOnce() -> Option<AnswerContent>) -> Judgement {
        let is_known =
            |shown: &AnswerContent| self.texts.iter().any(|text| text.is_substitute() && text.shown.is_same(shown));
        let may_be_known = answer.kind == AnswerKind::Page || self.is_blocked || self.is_of_past_block(answer);
        let shown = may_be_known.then(shown).flatten();
        if shown.as_ref().is_some_and(is_known) {
            return Judgement::Suspect;
        }
        let at = self.form(answer.address.form);
        self.forms[at].open_suspects = self.forms[at].open_suspects.saturating_sub(1);
        self.own(at, answer, || shown)
    }

    /// Returns whether the host's latest pages were substitutes.
    pub const fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// Whether the answer was asked for before a block ended: not all that it answered may have been judged by then.
    fn is_of_past_block(&self, answer: &SeenAnswer) -> bool {
        self.lifted_at.is_some_and(|lifted_at| answer.asked_at < lifted_at)
    }

    fn is_surprise(&self, form: usize, answer: &SeenAnswer) -> bool {
        let known = &self.forms[form];
        match answer.kind {
            AnswerKind::Page if known.is_known() => {
                known.lacks(&answer.paths) && known.is_surprised_by(&answer.paths, &self.frame(known.hash))
            }
            AnswerKind::Page => lacks_frame(&answer.paths, &self.frame(known.hash)),
            AnswerKind::Error | AnswerKind::Redirect => known.is_known(),
        }
    }

    fn knows_substitutes(&self) -> bool {
        self.texts.iter().any(Surprise::is_substitute)
    }

    /// Takes an answer for what was asked for. `shown` tells what it shows if that matters.
    fn own(&mut self, at: usize, answer: &SeenAnswer, shown: impl FnOnce() -> Option<AnswerContent>) -> Judgement {
        if answer.kind != AnswerKind::Page {
            return Judgement::Own;
        }
        let form = &mut self.forms[at];
        form.learn(&answer.paths, shown);
        if answer.asked_at < form.substitute_asked_at {
            return Judgement::Own;
        }
        let latest = form.substitute.take();
        form.in_a_row = 0;
        self.in_a_row = 0;
        if std::mem::take(&mut self.is_blocked) {
            // Other forms may be answered while this one is blocked.
            self.is_blocked = latest.is_none();
            if self.is_blocked {
                return Judgement::Own;
            }
            self.lifted_at = self.lifted_at.max(Some(answer.asked_at));
            return Judgement::Lifted;
        }
        if let Some(text) = self.texts.iter_mut().find(|text| Some(text.number) == latest) {
            text.mixed = text.mixed.saturating_add(1);
        }
        Judgement::Own
    }

    fn count(&mut self, form: usize, answer: &SeenAnswer, text: usize) {
        let text = &mut self.texts[text];
        text.met_at = self.answers;
        text.replaces_pages |= self.forms[form].is_replaced_by(&answer.paths);
        let form = &mut self.forms[form];
        form.substitute = Some(text.number);
        form.substitute_asked_at = form.substitute_asked_at.max(answer.asked_at);
        form.in_a_row = form.in_a_row.saturating_add(1);
        self.in_a_row = self.in_a_row.saturating_add(1);
    }

    fn substitute(&mut self, form: usize, answer: &SeenAnswer, text: usize) -> Judgement {
        self.count(form, answer, text);
        let text = &self.texts[text];
        let is_many = self.forms[form].in_a_row.max(self.in_a_row) >= text.blocks_from();
        if !is_many || !text.replaces_pages {
            let is_late = text.replaces_pages && self.is_of_past_block(answer);
            return if is_late { Judgement::Suspect } else { Judgement::Absent };
        }
        self.is_blocked = true;
        Judgement::Blocked
    }

    /// Takes in a surprise that is not known as a substitute.
    fn surprise(&mut self, form: usize, answer: &SeenAnswer, text: usize) -> Judgement {
        let is_evidence = !self.forms[form].is_known() || self.forms[form].is_replaced_by(&answer.paths);
        let addresses = &mut self.texts[text].addresses;
        if is_evidence && !addresses.iter().any(|address| address.is_related(&answer.address)) {
            addresses.push(answer.address.clone());
        }
        if self.texts[text].is_substitute() {
            return self.substitute(form, answer, text);
        }
        if self.suspects.contains(&answer.url) {
            self.forms[form].open_suspects = self.forms[form].open_suspects.saturating_sub(1);
            let shown = self.texts[text].shown.clone();
            return self.own(form, answer, || Some(shown));
        }
        if self.suspects.len() >= SUSPECTS_MAX {
            self.suspects.pop_front();
        }
        self.suspects.push_back(answer.url);
        if is_evidence {
            self.count(form, answer, text);
        }
        Judgement::Suspect
    }

    /// Returns the place of a new text. The one that was not met for longest makes room, a substitute last.
    fn remember(&mut self, shown: AnswerContent) -> usize {
        let text = Surprise {
            shown,
            number: self.answers,
            addresses: Vec::new(),
            mixed: 0,
            replaces_pages: false,
            met_at: self.answers,
        };
        if self.texts.len() < TEXTS_MAX {
            self.texts.push(text);
            return self.texts.len() - 1;
        }
        let oldest = (0..self.texts.len()).min_by_key(|at| (self.texts[*at].is_substitute(), self.texts[*at].met_at));
        let at = oldest.unwrap_or_default();
        self.texts[at] = text;
        at
    }

    /// Returns the place of a form, which is met now.
    fn form(&mut self, hash: u64) -> usize {
        let at = self.forms.iter().position(|form| form.hash == hash).unwrap_or_else(|| {
            if self.forms.len() < FORMS_MAX {
                self.forms.push(Form::new(hash));
                return self.forms.len() - 1;
            }
            let oldest = (0..self.forms.len()).min_by_key(|at| self.forms[*at].met_at).unwrap_or_default();
            self.forms[oldest] = Form::new(hash);
            oldest
        });
        self.forms[at].met_at = self.answers;
        at
    }

    /// Returns the paths that the pages of all other known forms have: the frame of the site. It is empty unless there
    /// are two.
    fn frame(&self, but: u64) -> PathSet {
        let mut cores = self.forms.iter().filter(|form| form.hash != but).filter_map(Form::core);
        let (Some(first), Some(second)) = (cores.next(), cores.next()) else { return PathSet::default() };
        let mut frame = first.clone();
        frame.intersect(second);
        cores.for_each(|core| frame.intersect(core));
        frame
    }
}

/// Returns whether a page of a form that is new lacks almost all of the site's frame.
fn lacks_frame(paths: &PathSet, frame: &PathSet) -> bool {
    frame.len() >= FRAME_MIN && paths.lacks_most_of(frame)
}
