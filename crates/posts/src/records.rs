//! What a page shows: posts, their thread, users.

use serde::{Deserialize, Serialize};

/// All that a page shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PageRecords {
    /// The posts, in their order on the page.
    pub posts: Vec<PagePost>,
    /// The thread that they are in; `None` if they are of several threads, or nothing is known of it.
    pub thread: Option<PageThread>,
    /// Persons that the page describes: the one of a profile, or several of a list of members.
    pub users: Vec<PageUser>,
    /// Whether the page was given up, because reading it takes too long. There are no records then.
    #[serde(skip)]
    pub is_given_up: bool,
}

/// A post of a page. Addresses are absolute.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PagePost {
    /// The identifier that the site gave it, unique within its host.
    pub id: Option<String>,
    /// Its own address.
    pub url: Option<String>,
    /// What it answers.
    pub parent: Option<ParentRef>,
    /// The thread that it is in, if this is not the thread of the page: a search result, for example.
    pub thread: Option<PageThread>,
    /// The name of its author.
    pub author: Option<String>,
    /// The address of the author's page.
    pub author_url: Option<String>,
    /// Its date, with the time if it is shown, as ISO 8601: local to the site, unless the page tells the distance from
    /// UTC.
    pub date: Option<String>,
    /// When it was last edited, in the same form.
    pub edited: Option<String>,
    /// Its own title.
    pub title: Option<String>,
    /// Its text, without the quotes that it answers to.
    pub text: String,
    /// The HTML of its text.
    pub html: Option<String>,
    /// Whether its text is only the beginning of the post.
    pub is_excerpt: bool,
    /// Where it was found.
    pub source: PostSource,
    /// How sure it is that this is a post, and that its fields are right: 0 to 1.
    pub confidence: f64,
}

/// What a post answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParentRef {
    /// The post with this identifier.
    Id(String),
    /// The post with this address.
    Url(String),
    /// The post at this index among those of the page.
    Index(usize),
    /// A post with this text by this author, as a quote has them.
    Quote {
        /// The name of the author that is quoted.
        author: Option<String>,
        /// The text that is quoted.
        text: String,
    },
}

/// A thread as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageThread {
    /// The address of its first page.
    pub url: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The names of the forums that it is in, the outermost first.
    pub forums: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
}

/// A person as a page describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageUser {
    /// The address of its page.
    pub url: Option<String>,
    /// Its name.
    pub name: String,
    /// When it joined, as ISO 8601.
    pub joined: Option<String>,
    /// Its number of posts.
    pub posts: Option<u64>,
}

/// Where a post was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PostSource {
    /// In the places of the template that repeat.
    #[default]
    Template,
    /// In markup for machines: schema.org, microformats.
    Markup,
    /// In a feed.
    Feed,
}
