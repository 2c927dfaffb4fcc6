//! When the text of pages is read.
//!
//! Once the site is known and while most fetches are of classes whose worth is known, the text of pages of such classes
//! is read only in one stretch of each cycle. Pages whose URL pattern has pages that others repeat are always read:
//! otherwise the others would seem new. A stretch and not single pages: a page adds less if pages fetched shortly
//! before or after it show its text, and that is seen only if these are read too.

/// Number of pages of a cycle, and of those at its beginning that are all read.
const CYCLE: u64 = 4_096;
const STRETCH: u64 = 256;
/// The maximum share of recent pages of classes that are not known well, for the others to be left unread.
const UNKNOWN_MAX: f64 = 0.5;
/// Number of pages over which that share fades.
const MEMORY: f64 = 256.0;

/// The pages since the site was known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    pages: u64,
    /// The share of recent pages that were of classes not known well.
    unknown: f64,
}

impl Default for Reading {
    /// Before the first page all classes are assumed to be unknown.
    fn default() -> Self {
        Self { pages: 0, unknown: 1.0 }
    }
}

impl Reading {
    /// Counts a page; `is_known` says whether the worth of its class was known well.
    pub fn see(&mut self, is_known: bool) {
        self.pages += 1;
        self.unknown += (f64::from(u8::from(!is_known)) - self.unknown) / MEMORY;
    }

    /// Whether the text of all pages is read.
    pub fn reads_all(&self) -> bool {
        self.unknown > UNKNOWN_MAX || self.pages % CYCLE < STRETCH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_known_classes_are_read_in_one_stretch_of_each_cycle() {
        let mut reading = Reading::default();
        let mut read = Vec::new();
        for _ in 0..3 * CYCLE {
            read.push(reading.reads_all());
            reading.see(true);
        }
        // By then most recent pages are of known classes.
        let first = read.iter().position(|all| !all).unwrap();
        assert_eq!(first, STRETCH as usize);
        let in_cycle =
            |cycle: usize| read[cycle * CYCLE as usize..][..CYCLE as usize].iter().filter(|all| **all).count();
        assert_eq!((in_cycle(1), in_cycle(2)), (STRETCH as usize, STRETCH as usize));
        assert!(read[CYCLE as usize..][..STRETCH as usize].iter().all(|all| *all));
    }

    #[test]
    fn everything_is_read_while_new_classes_come() {
        let mut reading = Reading::default();
        (0..2_000).for_each(|_| reading.see(true));
        assert!(!reading.reads_all());
        (0..200).for_each(|_| reading.see(false));
        assert!(reading.reads_all());
    }
}
