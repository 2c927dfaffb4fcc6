//! Adds to the posts of a page what tells them apart and holds them together: identifiers, addresses, what they answer,
//! their thread.

use url::Url;

use crate::addresses::PartRules;
use crate::details::{IdRules, Marks, ParentLinks, parents, resolve, thread_of, without_places};
use crate::outline::Outline;
use crate::parsed_page::Page;
use crate::records::{PagePost, PageRecords, PageThread, ParentRef};
use crate::segments::Record;
use crate::templates::TemplateMatch;

/// Minimum number of posts with the title of the thread above them, and the maximum length of a word for replies, in
/// bytes.
const TITLES_MIN: usize = 3;
const REPLY_BYTES_MAX: usize = 8;

/// Minimum number of posts with an identifier and an address, and their share, for the others to be none.
const MARKED_MIN: usize = 2;
const MARKED_SHARE: f64 = 0.6;

/// What addresses and links of a site mean.
#[derive(Debug, Clone, Default)]
pub struct SiteRules {
    parts: PartRules,
    parents: ParentLinks,
}

impl SiteRules {
    /// Learns from the pages of a site.
    pub fn learn(pages: &[Outline]) -> Self {
        Self { parts: PartRules::learn(pages.iter().map(|page| &page.address)), parents: ParentLinks::learn(pages) }
    }
}

/// Adds to the posts of a page what tells them apart and holds them together.
pub fn with_details(page: &Page, found: TemplateMatch, rules: &SiteRules) -> PageRecords {
    if found.posts.is_empty() {
        return PageRecords::default();
    }
    let TemplateMatch { mut posts, records, marks, is_single, .. } = found;
    let parents = parents(&page.tree, &page.url, &records, &marks);
    let answered = if is_single { rules.parents.parent(&page.tree, &page.url) } else { None };
    let answered = answered.map(|url| ParentRef::Url(url.into()));
    let links: Vec<Option<String>> = marks.iter().map(|mark| mark.url.clone()).collect();
    for ((post, mark), parent) in posts.iter_mut().zip(marks).zip(parents) {
        post.author_url = post.author_url.take().and_then(|link| resolve(&page.url, &link));
        let anchored = || mark.anchor.as_ref().and_then(|anchor| resolve(&page.url, &format!("#{anchor}")));
        let own = || mark.url.clone().or_else(anchored).or_else(|| is_single.then(|| page.url.as_str().to_owned()));
        post.url = match post.url.take() {
            Some(target) => resolve(&page.url, &target),
            None => own(),
        };
        (post.id, post.parent) = (mark.id, answered.clone().or(parent));
    }
    let is_list = posts.iter().any(|post| post.is_excerpt);
    // Posts of a list are of the threads that they lead to: by their own links, or by that to what their record is
    // about.
    let leads_on = |post: &PagePost| is_list && post.url.as_deref().is_some_and(|url| !is_within(&page.url, url));
    for (post, link) in posts.iter_mut().zip(links).filter(|(post, _)| post.is_excerpt || leads_on(post)) {
        let (url, title) = (link.or_else(|| post.url.clone()), post.title.clone());
        post.thread = Some(PageThread { url, title, ..PageThread::default() });
    }
    // The page's own word for its address is the same for all forms of it.
    let canonical = page.head.link("canonical").and_then(|link| page.url.join(link).ok());
    let canonical = canonical.filter(|url| url.host_str() == page.url.host_str() && url.path() != "/");
    let url = canonical.unwrap_or_else(|| page.url.clone());
    let thread = (!is_list).then(|| thread_of(&page.tree, &url, &records, is_single));
    if let Some(title) = thread.as_ref().and_then(|thread| thread.title.as_deref()) {
        take_titles(&mut posts, title);
    }
    PageRecords { posts, thread, ..PageRecords::default() }
}

/// Notes what tells the records of a page apart, and drops those without it among others that have an identifier and an
/// address: these tell of an event, such as a file that was added. The first one may be in other elements.
pub fn mark(page: &Page, found: &mut TemplateMatch) {
    found.marks = marks(page, found);
    let has_both = |mark: &&Marks| mark.id.is_some() && mark.url.is_some();
    let marked = found.marks.iter().filter(has_both).count();
    if found.is_taught || marked < MARKED_MIN || (marked as f64) < MARKED_SHARE * found.marks.len() as f64 {
        return;
    }
    let is_told = |(number, mark): (usize, &Marks)| number == 0 || mark.id.is_some() || mark.url.is_some();
    let stays: Vec<bool> = found.marks.iter().enumerate().map(is_told).collect();
    found.keep(&stays);
}

/// Returns what tells the records of a page apart, of those within others and of the others each.
fn marks(page: &Page, TemplateMatch { records, ids, inner_ids, .. }: &TemplateMatch) -> Vec<Marks> {
    let of = |ids: &IdRules, record: &Record, all: &[Record]| ids.marks(&page.tree, record, all, &page.url);
    if records.iter().all(|record| !record.is_inner) {
        return records.iter().map(|record| of(ids, record, records)).collect();
    }
    let (inner, outer): (Vec<Record>, Vec<Record>) = records.iter().cloned().partition(|record| record.is_inner);
    let of_kind =
        |record: &Record| if record.is_inner { of(inner_ids, record, &inner) } else { of(ids, record, &outer) };
    records.iter().map(of_kind).collect()
}

/// Returns whether an address is that of a place in a page.
fn is_within(page: &Url, url: &str) -> bool {
    url.split('#').next() == page.as_str().split('#').next()
}

/// Makes the addresses of the threads of a page those without a place in the thread.
pub fn settle_threads(page: &Page, records: &mut PageRecords, rules: &SiteRules) {
    let address = |thread: &PageThread| Url::parse(thread.url.as_deref()?).ok();
    if let Some(thread) = &mut records.thread
        && let Some(url) = address(thread)
    {
        thread.url = Some(without_places(&page.tree, &url, thread.title.as_deref(), &rules.parts).into());
    }
    for thread in records.posts.iter_mut().filter_map(|post| post.thread.as_mut()) {
        if let Some(url) = address(thread) {
            thread.url = Some(rules.parts.without_places(&url).into());
        }
    }
}

/// Takes the title of the thread out of the texts, where it is above most posts, with or without a word for replies.
fn take_titles(posts: &mut [PagePost], title: &str) {
    // A label before the title itself, such as `Topic:`.
    let title =
        title.split_once(": ").filter(|(label, _)| label.len() <= REPLY_BYTES_MAX).map_or(title, |(_, title)| title);
    let rest_of = |text: &str| {
        let at = text.find(title).filter(|at| *at <= REPLY_BYTES_MAX)?;
        let is_reply = at == 0 || text[..at].trim_end().ends_with(':');
        is_reply.then(|| at + title.len())
    };
    let with_title = posts.iter().filter(|post| rest_of(&post.text).is_some()).count();
    if with_title < TITLES_MIN || 2 * with_title < posts.len() {
        return;
    }
    for post in posts {
        if let Some(end) = rest_of(&post.text) {
            let rest = post.text.split_off(end);
            let title = std::mem::replace(&mut post.text, rest.trim_start().to_owned());
            post.title.get_or_insert(title);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_the_thread_is_no_part_of_the_texts() {
        let mut posts = ["Re: A lens: brush it", "A lens: why?", "Re: A lens dry"]
            .map(|text| PagePost { text: text.replace("lens:", "lens"), ..PagePost::default() });
        take_titles(&mut posts, "A lens");
        assert_eq!(posts.each_ref().map(|post| post.text.as_str()), ["brush it", "why?", "dry"]);
        assert_eq!(posts[0].title.as_deref(), Some("Re: A lens"));
        let mut few =
            ["A lens is round", "no", "yes"].map(|text| PagePost { text: text.into(), ..PagePost::default() });
        take_titles(&mut few, "A lens");
        assert_eq!(few[0].text, "A lens is round");
    }
}
