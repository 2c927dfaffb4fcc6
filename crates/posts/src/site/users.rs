//! The users of a site: what profiles show, and who wrote the posts.

use std::collections::{BTreeMap, HashMap};

use super::prints::{Names, TextId};
use super::records::User;
use crate::records::PageUser;

/// A user by address, or by host and name without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct UserKey {
    url: TextId,
    host: TextId,
    name: TextId,
}

/// What pages show of users.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenUsers {
    users: HashMap<UserKey, Shown, foldhash::fast::RandomState>,
}

#[derive(Debug, Clone, Default)]
struct Shown {
    names: BTreeMap<TextId, u64>,
    joined: Option<String>,
    posts: Option<u64>,
    posts_found: u64,
}

impl SeenUsers {
    /// Adds the persons that a page describes.
    pub fn add(&mut self, names: &mut Names, host: TextId, users: &[PageUser]) {
        for user in users {
            let (url, name) = (names.id_of(user.url.as_deref()), names.id_of(Some(user.name.trim())));
            let shown = self.at(url, host, name);
            // The earliest and the greatest, so that the order of pages does not matter.
            let joined = user.joined.iter().chain(&shown.joined).min().cloned();
            (shown.joined, shown.posts) = (joined, shown.posts.max(user.posts));
        }
    }

    /// Counts a post of an author.
    pub fn count_post(&mut self, host: TextId, url: TextId, name: TextId) {
        if url != 0 || name != 0 {
            self.at(url, host, name).posts_found += 1;
        }
    }

    fn at(&mut self, url: TextId, host: TextId, name: TextId) -> &mut Shown {
        let key = if url == 0 { UserKey { url, host, name } } else { UserKey { url, host: 0, name: 0 } };
        let shown = self.users.entry(key).or_default();
        if name != 0 {
            *shown.names.entry(name).or_default() += 1;
        }
        shown
    }

    /// Returns the users, in the order of their hosts, names and addresses. A user that is known by name only is the
    /// one with an address if just one of the host has that name.
    pub fn finish(mut self, names: &Names, host_of: &dyn Fn(&str) -> String) -> Vec<User> {
        let mut owners: HashMap<(String, TextId), Option<UserKey>> = HashMap::new();
        for (key, shown) in self.users.iter().filter(|(key, _)| key.url != 0) {
            for name in shown.names.keys() {
                let owner = owners.entry((host_of(names.text(key.url)), *name)).or_insert(Some(*key));
                *owner = owner.filter(|owner| owner == key);
            }
        }
        let nameless: Vec<UserKey> = self.users.keys().filter(|key| key.url == 0).copied().collect();
        for key in nameless {
            let owner = owners.get(&(names.text(key.host).to_owned(), key.name)).copied().flatten();
            let Some(owner) = owner else { continue };
            let (Some(by_name), Some(shown)) = (self.users.remove(&key), self.users.get_mut(&owner)) else { continue };
            shown.posts_found += by_name.posts_found;
            shown.posts = shown.posts.max(by_name.posts);
            shown.joined = shown.joined.take().into_iter().chain(by_name.joined).min();
        }
        let mut users: Vec<User> = self.users.iter().map(|(key, shown)| user(names, *key, shown, host_of)).collect();
        users.sort_by(|one, other| (&one.host, &one.name, &one.url).cmp(&(&other.host, &other.name, &other.url)));
        users
    }
}

fn user(names: &Names, key: UserKey, shown: &Shown, host_of: &dyn Fn(&str) -> String) -> User {
    // The name that most pages show; of those the first in the alphabet.
    let most = shown.names.iter().max_by(|(one, count), (other, others)| {
        count.cmp(others).then_with(|| names.text(**other).cmp(names.text(**one)))
    });
    User {
        url: names.get(key.url).map(str::to_owned),
        host: names.get(key.host).map_or_else(|| host_of(names.text(key.url)), str::to_owned),
        name: most.and_then(|(name, _)| names.get(*name)).map(str::to_owned),
        joined: shown.joined.clone(),
        posts: shown.posts,
        posts_found: shown.posts_found,
    }
}
