//! Extracts posts, threads and users from recorded pages, and writes them in formats of other tools.
//!
//! [`extract`] reads the WARC files twice: the first pass learns the templates of the sites from a sample of their
//! pages, the second one finds the records of all pages and keeps the posts in a temporary file. What comes out does
//! not depend on the order of the pages. [`write()`] writes the records.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod corrections_file;
mod extract;
mod follower;
mod logged_page;
pub mod outputs;
mod page;
mod post_file;
mod pseudonyms;
mod warc_pages;

pub use corrections_file::{CORRECTIONS_FILE, CorrectionsError, corrections_of, read_corrections, write_corrections};
pub use extract::{ExtractError, ExtractedSite, Inputs, Progress, Totals, extract};
pub use follower::{FollowStep, Followed, Follower, POSTS_FILE};
pub use outputs::{Format, OutputError, write};
pub use page::{DecodeMessage, RecordedPage, Sample, Visit};
pub use post_file::PostFile;
pub use pseudonyms::{KeyError, Pseudonyms};
pub use warc_pages::{PagesEnd, WarcInput, read_pages, read_recorded};
