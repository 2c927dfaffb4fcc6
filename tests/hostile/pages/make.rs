//! Makes hostile pages of any size, the same for the same seed.

use std::fmt::Write as _;

use harvestman_core::seed::{Rng, Seed};
use rand::Rng as _;

/// The seed of all pages.
const SEED: Seed = Seed(39);
/// Number of attributes of `$A`, one less than a tree takes.
const ATTRIBUTES: usize = 255;
/// Number of words of `$s`.
const SENTENCE: usize = 8;
const SYLLABLES: [&str; 12] = ["ka", "lo", "mi", "ner", "tus", "vel", "on", "ri", "sa", "pe", "du", "gam"];

/// What makes pages of a kind hard to read.
///
/// A page is its head, its first part repeated, its second part as often, and its tail. In all of them `$n` is the
/// number of the repetition, `$l` the same in letters, `$m` the same modulo 97, `$w` a word, `$s` a sentence, `$d` a
/// date, `$A` many attributes.
pub struct Kind {
    pub name: &'static str,
    pub head: &'static str,
    pub first: &'static str,
    pub second: &'static str,
    pub tail: &'static str,
}

impl Kind {
    /// Makes the page of about this many bytes.
    pub fn page(&self, bytes: usize) -> String {
        let mut rng = SEED.child(self.name).rng();
        let mut page = String::with_capacity(bytes + 8_192);
        expand(self.head, 0, &mut rng, &mut page);
        let both = self.first.len() + self.second.len();
        let until = page.len() + (bytes.saturating_sub(page.len())) * self.first.len() / both.max(1);
        let mut number = 0;
        while page.len() < until {
            expand(self.first, number, &mut rng, &mut page);
            number += 1;
        }
        for back in (0..number).take_while(|_| !self.second.is_empty()) {
            if page.len() >= bytes.max(until) {
                break;
            }
            expand(self.second, back, &mut rng, &mut page);
        }
        expand(self.tail, number, &mut rng, &mut page);
        page
    }
}

/// Appends a pattern with its places filled.
fn expand(pattern: &str, number: usize, rng: &mut Rng, page: &mut String) {
    let mut parts = pattern.split('$');
    page.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let mut rest = part.chars();
        let wrote = match rest.next() {
            Some('n') => write!(page, "{number}"),
            Some('m') => write!(page, "{}", number % 97),
            Some('l') => {
                letters(number, page);
                Ok(())
            }
            Some('d') => {
                write!(page, "{}-{:02}-{:02}", 2000 + number / 336 % 24, number / 28 % 12 + 1, number % 28 + 1)
            }
            Some('A') => (0..ATTRIBUTES).try_for_each(|at| write!(page, "a{at} ")),
            Some('w') => {
                word(rng, page);
                Ok(())
            }
            Some('s') => (0..SENTENCE).try_for_each(|_| {
                word(rng, page);
                page.write_char(' ')
            }),
            other => panic!("no place is called {other:?}"),
        };
        wrote.unwrap();
        page.push_str(rest.as_str());
    }
}

/// Appends a number in letters: classes whose names differ in digits only count as one.
fn letters(number: usize, page: &mut String) {
    let mut rest = number + 1;
    while rest > 0 {
        page.push(char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
}

fn word(rng: &mut Rng, page: &mut String) {
    (0..rng.random_range(1..4)).for_each(|_| page.push_str(SYLLABLES[rng.random_range(0..SYLLABLES.len())]));
}
