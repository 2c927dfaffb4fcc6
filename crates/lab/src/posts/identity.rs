//! Which found posts are one record: the same post on several pages.

use std::collections::HashMap;

/// What tells posts apart.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// Its identifier with the host, and its address: posts that share one are one record.
    pub keys: Vec<String>,
    /// Its author and text: a post without keys is the record that has the same, if there is one.
    pub content: u64,
}

/// Returns the number of the record of each post. Records are numbered from 0.
pub fn records(posts: &[Identity]) -> Vec<usize> {
    let mut groups = Groups((0..posts.len()).collect());
    let (mut by_key, mut by_content) = (HashMap::new(), HashMap::new());
    for (at, post) in posts.iter().enumerate() {
        for key in &post.keys {
            let other = *by_key.entry(key.as_str()).or_insert(at);
            groups.join(at, other);
        }
    }
    let (keyed, others): (Vec<_>, Vec<_>) = (0..posts.len()).partition(|at| !posts[*at].keys.is_empty());
    for at in keyed.into_iter().chain(others) {
        let other = *by_content.entry(posts[at].content).or_insert(at);
        if posts[at].keys.is_empty() {
            groups.join(at, other);
        }
    }
    let mut numbers = HashMap::new();
    (0..posts.len())
        .map(|at| {
            let next = numbers.len();
            *numbers.entry(groups.root(at)).or_insert(next)
        })
        .collect()
}

/// Disjoint sets.
struct Groups(Vec<usize>);

impl Groups {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(posts: &[(&str, u64)]) -> Vec<usize> {
        let identity = |(keys, content): &(&str, u64)| {
            let keys = keys.split_whitespace().map(str::to_owned).collect();
            Identity { keys, content: *content }
        };
        records(&posts.iter().map(identity).collect::<Vec<_>>())
    }

    #[test]
    fn posts_that_share_a_key_are_one_record() {
        assert_eq!(of(&[("id1 /a", 1), ("id2", 2), ("/a", 3), ("id1", 4), ("id3", 2)]), [0, 1, 0, 0, 2]);
    }

    #[test]
    fn posts_without_keys_are_told_by_their_content() {
        assert_eq!(of(&[("", 1), ("id1", 1), ("", 2), ("", 2), ("id2", 1)]), [0, 0, 1, 1, 2]);
    }
}
