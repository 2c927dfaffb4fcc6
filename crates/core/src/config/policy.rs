//! Settings of the policy: what is wanted, and how model updates are published.

use serde::{Deserialize, Serialize};

use super::ExampleNames;

crate::options! {
    /// The policy that `crawl.policy` names: what it looks for, how often its snapshots are published, what is
    /// persisted.
    pub struct PolicyOptions in "policy" {
        /// A page like those that are wanted: its URL, which is then fetched as one more seed, or a file with the page;
        /// or a list of up to 64. With several, pages like any of them are wanted, and those that cannot be fetched are
        /// left out. `target` and `xcrawl` need one unless `policy.want` says what is wanted.
        example: ExampleNames = ExampleNames::default(),
        /// Which pages are wanted, for `target` and `xcrawl`: `like`, those like the examples; `regex:PATTERN`, those
        /// in whose text a regular expression matches, and `regex-html:PATTERN` in whose source; `selector:CSS`, those
        /// with an element that a CSS selector matches; `schema:TYPE`, those that describe an item of a schema.org
        /// type; `table:HEADING,HEADING`, those with a table that has these headings; `posts:NUMBER` or
        /// `posts:NUMBER,since=DATE`, those that show at least that many posts, written on this day or later; `words`
        /// or `words:LIKENESS`, those with the vocabulary of the examples, which must be at least two files. Several
        /// must all hold; none is `like`. All but `like` and `words` need no example. All but `like` and `regex-html`
        /// parse pages once more: `regex`, `posts` and `words` each page, the others those whose source has the names
        /// that they look for.
        want: Vec<String> = Vec::new(),
        /// The topic of `topic`: tags or words, such as `macro photography`. An item of the site belongs to it if it
        /// links to the page of a tag whose address names one of them (`/tag/macro-photography/`). `@FILE` stands for
        /// the lines of a file. Without it, the topic is the tags that at least half of the examples show, and at least
        /// two: links whose text is a part of their address.
        topic: Vec<String> = Vec::new(),
        /// What makes a page worth a request, for `ucc`: `text`, the text of its own that no other page has; `posts`,
        /// the posts that no other page shows: text of another kind is worth nothing. Posts are read as by `policy.want
        /// = posts:NUMBER`, from each page alone, which parses it once more.
        worth: PageWorth = PageWorth::Text,
        /// Whether addresses of wanted pages are made from others, for a policy that looks for pages by examples or by
        /// `policy.want`: where pages at `/user/5/posts/` are wanted, a link to `/user/7/` gives the address
        /// of the next one. A few are tried first. Scope and robots.txt apply as to links.
        derive: bool = true,
        /// A site model that the crawl starts from, as an earlier crawl of the site wrote it (`site-model.json.gz`),
        /// for every policy that learns. With the model of another site the crawl logs a warning and learns from
        /// scratch.
        model: String = String::new(),
        /// Whether `policy.jsonl` is written to the crawl directory: the changes in each snapshot, so that `harvestman
        /// explain` can explain why a URL was fetched when it was. A line has at most 500 link classes.
        log: bool = true,
    }
}

/// What makes a page worth a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageWorth {
    /// The text that no other page has.
    #[default]
    Text,
    /// The posts that no other page shows.
    Posts,
}
