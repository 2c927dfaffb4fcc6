//! Deduplication of batches by sender: an append whose answer was lost is retried, so a batch may be in the stream
//! twice.

use std::collections::BTreeMap;

use crate::SessionId;

/// The number of sessions that are remembered. A session that was silent for so long repeats nothing any more.
const SENDERS_MAX: usize = 4_096;

/// The last batch of each session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Senders {
    /// The last number, and when the session last sent, counted in batches.
    last: BTreeMap<SessionId, (u64, u64)>,
    heard: u64,
}

impl Senders {
    /// Returns whether a session's batch is new. A session appends its batches in order, so a number that does not
    /// exceed the last one is a repetition.
    pub fn is_new(&mut self, sender: &SessionId, number: u64) -> bool {
        self.heard += 1;
        let heard = self.heard;
        if let Some((last, when)) = self.last.get_mut(sender) {
            let is_new = number > *last;
            (*last, *when) = (number.max(*last), heard);
            return is_new;
        }
        if self.last.len() >= SENDERS_MAX
            && let Some(oldest) = self.last.iter().min_by_key(|(_, (_, when))| *when).map(|(sender, _)| sender.clone())
        {
            self.last.remove(&oldest);
        }
        self.last.insert(sender.clone(), (number, heard));
        true
    }

    /// Returns the last number of each session, to be persisted.
    pub fn all(&self) -> Vec<(SessionId, u64)> {
        let mut all: Vec<_> = self.last.iter().map(|(sender, (last, when))| (*when, sender.clone(), *last)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, sender, last)| (sender, last)).collect()
    }

    /// Restores persisted numbers.
    pub fn restore(&mut self, kept: Vec<(SessionId, u64)>) {
        for (sender, number) in kept {
            self.is_new(&sender, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Each session appends its batches in order, each any number of times, and late repetitions come at any time.
        #[test]
        fn of_batches_that_stand_there_more_than_once_each_counts_once(
            appended in prop::collection::vec((0_u8..3, 0..4_usize, any::<prop::sample::Index>()), 0..60), cut in any::<prop::sample::Index>(),
        ) {
            let (mut stream, mut next): (Vec<(u8, u64)>, _) = (Vec::new(), [0_u64; 3]);
            for (sender, repeated, late) in appended {
                next[usize::from(sender)] += 1;
                let batch = (sender, next[usize::from(sender)]);
                stream.extend(std::iter::repeat_n(batch, 1 + repeated % 2));
                if repeated > 1 {
                    // A batch that was appended before occurs once more.
                    stream.push(stream[late.index(stream.len())]);
                }
            }
            let id = |sender: u8| SessionId(sender.to_string());
            let (mut senders, mut counted) = (Senders::default(), Vec::new());
            let cut = cut.index(stream.len() + 1);
            for (at, (sender, number)) in stream.iter().enumerate() {
                if at == cut {
                    // Another holder continues with the persisted numbers.
                    let kept = senders.all();
                    senders = Senders::default();
                    senders.restore(kept);
                }
                if senders.is_new(&id(*sender), *number) {
                    counted.push((*sender, *number));
                }
            }
            let once: BTreeSet<_> = stream.iter().copied().collect();
            prop_assert_eq!(counted.len(), once.len());
            prop_assert_eq!(counted.into_iter().collect::<BTreeSet<_>>(), once);
        }
    }

    #[test]
    fn the_session_that_was_silent_longest_is_forgotten_first() {
        let id = |number: usize| SessionId(format!("s{number:05}"));
        let mut senders = Senders::default();
        assert!((0..SENDERS_MAX).all(|number| senders.is_new(&id(number), 5)));
        assert!(!senders.is_new(&id(0), 5));
        assert!(senders.is_new(&id(SENDERS_MAX), 1));
        assert!(!senders.is_new(&id(0), 5) && senders.is_new(&id(1), 5), "it was the one");
        assert_eq!(senders.all().len(), SENDERS_MAX);
    }
}
