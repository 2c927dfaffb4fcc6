//! The topic of a crawl, and how well users fit it (Zhang, Nasraoui: "Profile-Based Focused Crawling for Social
//! Media-Sharing Websites", 2009; sections 5 and 6).
//!
//! [`discover`] expands a tag to a topic by the tags that pictures carry together (eq. 6), over [`Cotags`] of one round
//! each. [`Profiles`] ranks users by their own terms (eq. 1), by those of their contacts (eq. 2), and by both (eq. 5).
//!
//! Tags, terms and users are 64-bit hashes. A *picture* is whatever users tag: a photo, a film, a question.

mod cotag_options;
mod cotags;
mod discovery;
mod heavy_hitters;
mod picture;
mod profile_rank;
mod profiles;

pub use cotag_options::{CotagOptions, CotagOrder, CotagScale, SameSets};
pub use cotags::{Cotag, Cotags, TOPIC_TAGS_MAX};
pub use discovery::{DiscoveryOptions, discover};
pub use heavy_hitters::{CountRange, HeavyHitters};
pub use picture::{PICTURE_TAGS_MAX, Picture};
pub use profile_rank::{RankWeights, TermVector, inner_rank, inter_rank};
pub use profiles::{ProfileLimits, Profiles};
