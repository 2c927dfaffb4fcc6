//! Compares threads by the posts in them: addresses of threads have many forms.

use std::collections::HashMap;

/// Counts how often a found thread goes with a true one.
#[derive(Debug, Default)]
pub struct ThreadPairs {
    counts: HashMap<(String, String), u64>,
}

impl ThreadPairs {
    /// Adds a post.
    pub fn add(&mut self, found: &str, truth: &str) {
        *self.counts.entry((found.to_owned(), truth.to_owned())).or_default() += 1;
    }

    /// Returns for each found thread the true one that it stands for: that of most of its posts, if it has most of the
    /// posts of that one too. Ties go to the first by name.
    pub fn agreed(&self) -> HashMap<&str, &str> {
        let of_found = best(self.counts.iter().map(|((found, truth), count)| (found.as_str(), truth.as_str(), *count)));
        let of_truth = best(self.counts.iter().map(|((found, truth), count)| (truth.as_str(), found.as_str(), *count)));
        of_found.into_iter().filter(|(found, truth)| of_truth.get(truth) == Some(found)).collect()
    }
}

fn best<'n>(counts: impl Iterator<Item = (&'n str, &'n str, u64)>) -> HashMap<&'n str, &'n str> {
    let mut best: HashMap<&str, (u64, &str)> = HashMap::new();
    for (of, with, count) in counts {
        let known = best.entry(of).or_insert((count, with));
        if count > known.0 || (count == known.0 && with < known.1) {
            *known = (count, with);
        }
    }
    best.into_iter().map(|(of, (_, with))| (of, with)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_agree_if_most_of_their_posts_are_each_others() {
        let mut pairs = ThreadPairs::default();
        for (found, truth) in
            [("/a", "1"), ("/a", "1"), ("/a", "2"), ("/b", "2"), ("/b", "2"), ("/c", "1"), ("/d", "3")]
        {
            pairs.add(found, truth);
        }
        let agreed = pairs.agreed();
        // Most posts of /c are of thread 1, but most of those are in /a.
        assert_eq!((agreed.get("/a"), agreed.get("/b"), agreed.get("/c")), (Some(&"1"), Some(&"2"), None));
        assert_eq!(agreed.len(), 3);
    }

    #[test]
    fn one_address_for_all_threads_is_right_for_one_of_them() {
        let mut pairs = ThreadPairs::default();
        ["1", "2", "2", "3"].iter().for_each(|truth| pairs.add("/", truth));
        assert_eq!(pairs.agreed(), HashMap::from([("/", "2")]));
    }
}
