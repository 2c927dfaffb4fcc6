//! How many requests a crawl may send.

use crate::corpus::Corpus;
use crate::measures::{Judge, Task};

/// The most of any crawl for user-created content, as in the paper.
pub const UCC_BUDGET_MAX: usize = 5_000;

/// For user-created content: min(5,000, N/4, W/2) and at least 1, with N the URLs of the corpus and W its pages that users
/// made. A quarter is the paper's share (5,000 of 20,000); half of what is wanted leaves room to be better than others in
/// recall where a corpus has little of it. Without labels, min(5,000, N/4).
pub fn ucc_budget(corpus: &Corpus) -> usize {
    let wanted = Judge::new(corpus, Task::Ucc).wanted();
    let half = wanted.map_or(usize::MAX, |wanted| wanted.pages as usize / 2);
    UCC_BUDGET_MAX.min(corpus.len() / 4).min(half).max(1)
}

/// For the pages of a type: as many as there are, so that a perfect crawl would end with all of them and nothing else.
pub fn target_budget(corpus: &Corpus, task: &Task) -> usize {
    Judge::new(corpus, task.clone()).wanted().map_or(1, |wanted| (wanted.pages as usize).max(1))
}
