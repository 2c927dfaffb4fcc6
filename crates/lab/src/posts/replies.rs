//! Finds the post that a found parent refers to.

use std::collections::HashMap;

use url::Url;

use super::truth::PostTruth;
use super::words::Words;
use harvestman_posts::ParentRef;

/// Share of the words of a quote that must be in the post that it is from.
const QUOTED_MIN: f64 = 0.8;

/// What is known of the posts of a site once all pages were read.
#[derive(Debug)]
pub struct KnownPosts<'t> {
    truth: &'t [PostTruth],
    readings: &'t [Vec<Words>],
    by_id: HashMap<String, usize>,
    by_url: HashMap<String, usize>,
    by_thread: HashMap<&'t str, Vec<usize>>,
}

impl<'t> KnownPosts<'t> {
    /// Creates it from the truth, whose addresses are known, and the readings of the texts of its posts.
    pub fn new(truth: &'t [PostTruth], readings: &'t [Vec<Words>]) -> Self {
        let mut by_thread: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, post) in truth.iter().enumerate() {
            by_thread.entry(post.thread.as_deref().unwrap_or_default()).or_default().push(at);
        }
        let urls = truth.iter().enumerate().filter_map(|(at, post)| Some((plain(post.url.as_deref()?), at)));
        let by_url = urls.collect();
        Self { truth, readings, by_id: HashMap::new(), by_url, by_thread }
    }

    /// Adds the identifier and the address under which a post was found.
    pub fn add(&mut self, of: usize, id: Option<&str>, url: Option<&str>) {
        if let Some(id) = id {
            self.by_id.entry(id.to_owned()).or_insert(of);
        }
        if let Some(url) = url {
            self.by_url.entry(plain(url)).or_insert(of);
        }
    }

    /// Returns the posts that the parent of the post `of` may be: those that a quote fits equally well. `on_page` are
    /// the posts found on its page.
    pub fn resolve(&self, parent: &ParentRef, of: usize, on_page: &[Option<usize>]) -> Vec<usize> {
        match parent {
            ParentRef::Id(id) => self.by_id.get(id).copied().into_iter().collect(),
            ParentRef::Url(url) => self.by_url.get(&plain(url)).copied().into_iter().collect(),
            ParentRef::Index(at) => on_page.get(*at).copied().flatten().into_iter().collect(),
            ParentRef::Quote { author, text } => self.quoted(author.as_deref(), &Words::of(text), of),
        }
    }

    /// Returns the posts of the thread of `of` that a quote may be from; without a text, the latest by the author
    /// before it.
    fn quoted(&self, author: Option<&str>, text: &Words, of: usize) -> Vec<usize> {
        let thread = self.truth[of].thread.as_deref().unwrap_or_default();
        let in_thread = self.by_thread.get(thread).map(Vec::as_slice).unwrap_or_default();
        let is_by = |at: &usize| author.is_none() || self.truth[*at].author.as_deref() == author;
        if text.is_empty() {
            let time = |at: usize| self.truth[at].time.map(|time| time.local);
            let before = in_thread.iter().copied().filter(|at| *at != of && time(*at) <= time(of) && author.is_some());
            return before.filter(is_by).max_by_key(|at| time(*at)).into_iter().collect();
        }
        let share = |at: usize| self.readings[at].iter().map(|words| text.share_in(words)).fold(0.0, f64::max);
        let fits = in_thread.iter().copied().filter(|at| *at != of).filter(is_by);
        let fits: Vec<_> = fits.map(|at| (at, share(at))).filter(|(_, share)| *share >= QUOTED_MIN).collect();
        let best = fits.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        fits.into_iter().filter(|(_, share)| *share >= best).map(|(at, _)| at).collect()
    }
}

/// Returns an address without its scheme, in one spelling.
pub fn plain(url: &str) -> String {
    let text = Url::parse(url).map_or_else(|_| url.to_owned(), String::from);
    text.split_once("://").map_or_else(|| text.clone(), |(_, rest)| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::truth::parse_truth;
    use super::*;

    const TRUTH: &str = r#"{"id": "1", "thread": "t", "author": "Ada", "time": "2025-01-01T10:00:00Z", "text": "first words here", "url": "http://h/t#1", "pages": []}
{"id": "2", "thread": "t", "author": "Bo", "time": "2025-01-01T11:00:00Z", "text": "second words there", "pages": []}
{"id": "3", "thread": "t", "author": "Ada", "time": "2025-01-01T12:00:00Z", "text": "third", "pages": []}
{"id": "4", "thread": "u", "author": "Bo", "time": "2025-01-01T09:00:00Z", "text": "first words here", "pages": []}"#;

    fn resolved(parent: &ParentRef, of: usize) -> Vec<usize> {
        let truth = parse_truth(TRUTH.as_bytes(), Path::new("")).unwrap();
        let readings: Vec<_> = truth.iter().map(|post| vec![Words::of(&post.text)]).collect();
        let mut known = KnownPosts::new(&truth, &readings);
        known.add(1, Some("p2"), Some("https://h/p/2"));
        known.resolve(parent, of, &[None, Some(1)])
    }

    fn quote(author: Option<&str>, text: &str) -> ParentRef {
        ParentRef::Quote { author: author.map(str::to_owned), text: text.to_owned() }
    }

    #[test]
    fn identifiers_and_addresses_are_those_under_which_posts_were_found() {
        assert_eq!(resolved(&ParentRef::Id("p2".into()), 2), [1]);
        assert_eq!(resolved(&ParentRef::Url("http://h/p/2".into()), 2), [1]);
        assert_eq!(resolved(&ParentRef::Url("http://h/t#1".into()), 2), [0]);
        assert_eq!(resolved(&ParentRef::Index(1), 2), [1]);
        for none in [ParentRef::Id("2".into()), ParentRef::Url("/t".into()), ParentRef::Index(0), ParentRef::Index(9)] {
            assert!(resolved(&none, 2).is_empty(), "{none:?}");
        }
    }

    #[test]
    fn quotes_are_from_the_posts_of_the_thread_that_they_fit() {
        assert_eq!(resolved(&quote(Some("Ada"), "First words …"), 1), [0]);
        assert_eq!(resolved(&quote(None, "words"), 2), [0, 1]);
        assert_eq!(resolved(&quote(Some("Bo"), "first words here"), 2), [] as [usize; 0]);
        assert_eq!(resolved(&quote(None, "other"), 2), [] as [usize; 0]);
        assert_eq!(resolved(&quote(Some("Ada"), ""), 1), [0]);
        assert_eq!(resolved(&quote(None, ""), 1), [] as [usize; 0]);
    }
}
