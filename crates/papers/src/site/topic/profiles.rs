//! What is known of users.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::{RankWeights, TermVector, inner_rank, inter_rank};

/// The bounds of [`Profiles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileLimits {
    /// Maximum number of users; further ones have no rank.
    pub users_max: usize,
    /// Maximum number of different terms of one user, about 40 bytes each; further ones are dropped.
    pub terms_max: usize,
    /// Maximum number of contacts of one user, about 20 bytes each; further ones are dropped.
    pub contacts_max: usize,
}

impl Default for ProfileLimits {
    fn default() -> Self {
        Self { users_max: 1 << 16, terms_max: 512, contacts_max: 128 }
    }
}

/// The terms and contacts of users, gathered from several pages each.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    users: HashMap<u64, Profile, FixedState>,
    limits: ProfileLimits,
}

/// A user. Users are known by their terms: one without terms is only a contact of others.
#[derive(Debug, Clone, Default)]
struct Profile {
    terms: TermVector,
    contacts: BTreeSet<u64>,
}

impl Profiles {
    /// Creates a store without users.
    pub fn new(limits: ProfileLimits) -> Self {
        Self { users: HashMap::default(), limits }
    }

    /// Records what a page says of a user: their terms (names of sets and collections, tags) and their contacts. The
    /// user is known from then on, even if there is nothing of either kind.
    pub fn add(&mut self, user: u64, terms: impl IntoIterator<Item = u64>, contacts: impl IntoIterator<Item = u64>) {
        if self.users.len() >= self.limits.users_max && !self.users.contains_key(&user) {
            return;
        }
        let profile = self.users.entry(user).or_default();
        terms.into_iter().for_each(|term| profile.terms.add(term, self.limits.terms_max));
        for contact in contacts {
            if contact != user && profile.contacts.len() < self.limits.contacts_max {
                profile.contacts.insert(contact);
            }
        }
    }

    /// Returns the number of known users.
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Returns whether no user is known.
    pub fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// Returns the rank of a user for a topic (eq. 5); `None` for a user who is not known. The mean of eq. 2 is over
    /// the contacts that are known: an unknown contact is no evidence against a user. O(contacts · topic · log terms).
    pub fn rank(&self, user: u64, topic: &TermVector, weights: RankWeights) -> Option<f64> {
        let profile = self.users.get(&user)?;
        let contacts = profile.contacts.iter().filter_map(|contact| self.users.get(contact));
        let inter = inter_rank(contacts.map(|contact| inner_rank(&contact.terms, topic)));
        Some(weights.combine(inner_rank(&profile.terms, topic), inter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOWER: u64 = 1;
    const CAR: u64 = 2;

    fn topic() -> TermVector {
        [FLOWER].into_iter().collect()
    }

    fn rank(profiles: &Profiles, user: u64) -> Option<f64> {
        profiles.rank(user, &topic(), RankWeights::default())
    }

    #[test]
    fn a_rank_is_half_the_users_own_and_half_that_of_the_known_contacts() {
        let mut profiles = Profiles::default();
        profiles.add(10, [FLOWER, FLOWER, FLOWER, CAR, CAR, CAR, CAR], [11, 12, 13]);
        assert_eq!(rank(&profiles, 10), Some(0.3), "no contact is known: half of 3 / 5");
        profiles.add(11, [FLOWER], []);
        profiles.add(12, [CAR], [10]);
        assert_eq!(rank(&profiles, 10), Some(0.5 * 0.6 + 0.5 * 0.5));
        assert_eq!(rank(&profiles, 12), Some(0.5 * 0.6));
        assert_eq!((rank(&profiles, 11), rank(&profiles, 13)), (Some(0.5), None));
    }

    #[test]
    fn several_pages_of_a_user_add_up() {
        let mut profiles = Profiles::default();
        profiles.add(10, [], []);
        assert_eq!((rank(&profiles, 10), profiles.len()), (Some(0.0), 1));
        profiles.add(10, [FLOWER], [10]);
        assert_eq!(rank(&profiles, 10), Some(0.5), "nobody is a contact of their own");
    }

    #[test]
    fn memory_is_bounded() {
        let mut profiles = Profiles::new(ProfileLimits { users_max: 2, terms_max: 3, contacts_max: 4 });
        (0..10).for_each(|user| profiles.add(user, 0..100, 0..100));
        let user = &profiles.users[&0];
        assert_eq!((profiles.len(), user.contacts.len(), user.terms.count(3)), (2, 4, 0));
        assert!(!profiles.is_empty());
    }
}
