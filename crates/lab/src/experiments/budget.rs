//! Request budgets of crawls.

use crate::corpus::Corpus;
use crate::measures::{Judge, Task};

/// The maximum budget of a crawl for user-created content, as in the paper.
pub const UCC_BUDGET_MAX: usize = 5_000;

/// Returns the budget for user-created content: min(5,000, N/4, W/2) and at least 1, where N is the number of URLs of
/// the corpus and W its number of user-created pages. A quarter is the paper's share (5,000 of 20,000); half of the
/// wanted pages leaves room for differences in recall where a corpus has few of them. Without labels, min(5,000, N/4).
pub fn ucc_budget(corpus: &Corpus) -> usize {
    let wanted = Judge::new(corpus, Task::Ucc).wanted();
    let half = wanted.map_or(usize::MAX, |wanted| wanted.pages as usize / 2);
    UCC_BUDGET_MAX.min(corpus.len() / 4).min(half).max(1)
}

/// Returns the number of user-created pages without duplicate views; `None` if the labels do not define them.
pub fn unique_ucc(corpus: &Corpus) -> Option<usize> {
    Judge::new(corpus, Task::Ucc).wanted().map(|wanted| wanted.unique as usize)
}

/// Returns the budget for the pages of a type: their number, so that a perfect crawl ends with exactly these.
pub fn target_budget(corpus: &Corpus, task: &Task) -> usize {
    Judge::new(corpus, task.clone()).wanted().map_or(1, |wanted| (wanted.pages as usize).max(1))
}
