//! The records of a site: posts, threads, users. Their fields are the schema of all outputs.

use serde::{Deserialize, Serialize};

use crate::records::PostSource;

/// The version of the schema: it grows when a field changes its meaning or is removed, not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// A post of a site, in its best version.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Post {
    /// Identifier, unique among all posts: the host and the site's identifier, or a hash where the site shows none.
    pub id: String,
    /// The identifier of its thread.
    pub thread_id: String,
    /// The identifier of the post that it answers, if this is known and was recorded.
    pub parent_id: Option<String>,
    /// The thread of that post, if it is another one.
    pub parent_thread_id: Option<String>,
    /// The name of its author.
    pub author: Option<String>,
    /// The address of the author's page.
    pub author_url: Option<String>,
    /// When it was written, as ISO 8601, as precise as the page shows it: local to the site, unless the page tells the
    /// distance from UTC.
    pub time: Option<String>,
    /// When it was last edited, as the page shows it, in the same form.
    pub edited: Option<String>,
    /// Its own title.
    pub title: Option<String>,
    /// Its text, without the quotes that it answers to.
    pub text: String,
    /// The HTML of its text.
    pub html: Option<String>,
    /// Its own address.
    pub url: Option<String>,
    /// Its place in the thread as the pages show it, from 1.
    pub position: u64,
    /// Whether only the beginning of its text was recorded.
    pub is_excerpt: bool,
    /// The address of the page that this version is from.
    pub page_url: String,
    /// The WARC file with that page.
    pub warc_file: Option<String>,
    /// The byte offset of the page's record in that file.
    pub warc_offset: Option<u64>,
    /// When that page was fetched (RFC 3339).
    pub crawl_time: String,
    /// The number of that visit to the page, from 1.
    pub visit: u32,
    /// The cluster of that page, if the crawl had any.
    pub cluster: Option<u32>,
    /// Where it was found on the page.
    pub source: PostSource,
    /// How sure it is that this is a post, and that its fields are right: 0 to 1.
    pub confidence: f64,
    /// When a page first showed it (RFC 3339).
    pub first_seen: String,
    /// When a page last showed it (RFC 3339).
    pub last_seen: String,
    /// Whether the page that showed it last was fetched again later and did not show it.
    pub is_gone: bool,
    /// Its versions, the oldest first, if its text changed between visits to its page; empty otherwise.
    pub versions: Vec<PostVersion>,
}

/// The text that a post had over some visits to its page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PostVersion {
    /// When this text was first seen (RFC 3339).
    pub first_seen: String,
    /// When it was last seen.
    pub last_seen: String,
    /// The text.
    pub text: String,
}

/// A thread of a site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Thread {
    /// Identifier, unique among all threads.
    pub id: String,
    /// The address of its first page.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
    /// The names of the forums that it is in, the outermost first.
    pub forums: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Number of posts that were found.
    pub posts: u64,
    /// The earliest time of its posts.
    pub first_time: Option<String>,
    /// The latest time of its posts.
    pub last_time: Option<String>,
}

/// A user of a site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct User {
    /// The address of the user's page.
    pub url: Option<String>,
    /// The host of the site.
    pub host: String,
    /// The name.
    pub name: Option<String>,
    /// When the user joined, as ISO 8601.
    pub joined: Option<String>,
    /// Number of posts that the user's page shows.
    pub posts: Option<u64>,
    /// Number of posts that were found.
    pub posts_found: u64,
}
