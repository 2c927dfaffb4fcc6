//! Searches that lead to pages: those that a user names, and those of sites.

pub(crate) mod own_searches;
pub(crate) mod reach;
pub(crate) mod search_answer;
pub(crate) mod searches;
