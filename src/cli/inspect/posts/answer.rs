//! What is told of a page.

use harvestman_posts::{
    Evidence, ExplainedPage, FieldPlace, NoPosts, PagePost, PageThread, PageUser, PostPlaces, UsedTemplate,
};
use serde::Serialize;

use super::input::{InspectedPage, NO_URL};

/// The posts of a page, and how they were found.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// The address of the page, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When it was fetched, in UTC.
    pub fetched: String,
    /// The WARC file that it was read from, and the offset of its record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc_offset: Option<u64>,
    /// The template that it was read by.
    pub template: Option<UsedTemplate>,
    /// What was found on the way.
    pub evidence: Evidence,
    /// Why there are no posts.
    pub no_posts: Option<NoPosts>,
    /// The thread.
    pub thread: Option<AnsweredThread>,
    /// The posts.
    pub posts: Vec<AnsweredPost>,
    /// The users that it describes.
    pub users: Vec<PageUser>,
}

/// A thread and its places.
#[derive(Debug, Serialize)]
pub(super) struct AnsweredThread {
    #[serde(flatten)]
    pub thread: PageThread,
    pub places: Vec<FieldPlace>,
}

/// A post with the number of its place on the page, and the places of its fields.
#[derive(Debug, Serialize)]
pub(super) struct AnsweredPost {
    pub position: usize,
    #[serde(flatten)]
    pub post: PagePost,
    /// Its first element.
    pub record: Option<String>,
    pub places: Vec<FieldPlace>,
}

impl Answer {
    /// Finds the posts of a page.
    pub fn of(input: &InspectedPage) -> Self {
        let explained = input.extractor.explain(&input.page);
        let no_posts = explained.why_none();
        let ExplainedPage { records, posts: places, thread, template, evidence } = explained;
        let posts = records.posts.into_iter().zip(places).enumerate().map(|(number, (post, places))| {
            let PostPlaces { record, fields, .. } = places;
            AnsweredPost { position: number + 1, post: without_host(post), record, places: fields }
        });
        let url = Some(input.page.url.to_string()).filter(|url| !url.starts_with(NO_URL));
        let (warc_file, warc_offset) = input.record.clone().unzip();
        Self {
            url,
            fetched: input.page.fetched.to_string(),
            warc_file,
            warc_offset,
            template,
            evidence,
            no_posts,
            thread: records.thread.map(|of| AnsweredThread { thread: without_host_of_thread(of), places: thread }),
            posts: posts.collect(),
            users: records.users,
        }
    }
}

/// Leaves out the host of addresses where it is unknown.
fn without_host(mut post: PagePost) -> PagePost {
    [&mut post.author_url, &mut post.url].into_iter().flatten().for_each(shorten);
    PagePost { thread: post.thread.map(without_host_of_thread), ..post }
}

fn without_host_of_thread(mut thread: PageThread) -> PageThread {
    thread.url.iter_mut().for_each(shorten);
    thread
}

fn shorten(link: &mut String) {
    *link = link.trim_start_matches(NO_URL).to_owned();
}
