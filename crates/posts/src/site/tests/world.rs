//! A made-up forum whose posts are known: threads of several pages, lists with excerpts, a second visit after edits.

use jiff::Timestamp;
use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::records::PageThread;

const AUTHORS: [&str; 3] = ["ann", "bob", "cyd"];
const WORDS: [&str; 8] = ["one", "two", "three", "four", "five", "six", "seven", "eight"];

#[derive(Debug, Clone)]
pub(super) struct World {
    has_ids: bool,
    page_size: usize,
    /// For each thread, its posts: the number of the author, and whether the text was edited.
    threads: Vec<Vec<(usize, bool)>>,
}

pub(super) fn any_world() -> impl Strategy<Value = World> {
    let thread = prop::collection::vec((0..AUTHORS.len(), any::<bool>()), 1..9);
    (any::<bool>(), 1_usize..4, prop::collection::vec(thread, 1..5)).prop_map(|(has_ids, page_size, threads)| World {
        has_ids,
        page_size,
        threads,
    })
}

impl World {
    fn post(&self, thread: usize, number: usize, later: bool) -> PagePost {
        let (author, is_edited) = self.threads[thread][number];
        let minute = date(2026, 1, 1).at(0, 0, 0, 0) + jiff::Span::new().minutes((thread * 100 + number) as i64);
        let words: Vec<&str> =
            (0..40).map(|at| WORDS[(thread * 7 + number * 3 + at * (number + 1)) % WORDS.len()]).collect();
        let edit = if is_edited && later { " edited" } else { "" };
        PagePost {
            id: self.has_ids.then(|| format!("{}", thread * 100 + number)),
            author: Some(AUTHORS[author].to_owned()),
            author_url: Some(format!("http://h/user/{}", AUTHORS[author])),
            date: Some(minute.to_string()),
            text: format!("{}{edit}", words.join(" ")),
            confidence: 1.0,
            ..PagePost::default()
        }
    }

    /// All pages at two visits, and a list with the beginnings of all posts.
    pub fn pages(&self) -> Vec<OriginAndRecords> {
        let mut pages = Vec::new();
        for visit in 0..2 {
            let at = Timestamp::from_second(1_800_000_000 + visit * 86_400).unwrap();
            for thread in 0..self.threads.len() {
                pages.extend(self.thread_pages(thread, (at, visit > 0)));
            }
        }
        let excerpts = self.numbers().map(|(thread, number)| {
            let post = self.post(thread, number, false);
            let text = format!("{} …", post.text.chars().take(90).collect::<String>());
            PagePost { id: None, text, is_excerpt: true, ..post }
        });
        let records = PageRecords { posts: excerpts.collect(), ..PageRecords::default() };
        let crawl_time = Timestamp::from_second(1_800_000_000).unwrap();
        pages.push((PageOrigin { url: "http://h/latest".to_owned(), crawl_time, ..PageOrigin::default() }, records));
        pages
    }

    fn numbers(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.threads.iter().enumerate().flat_map(|(thread, posts)| (0..posts.len()).map(move |number| (thread, number)))
    }

    fn thread_pages(&self, thread: usize, (crawl_time, later): (Timestamp, bool)) -> Vec<OriginAndRecords> {
        let numbers: Vec<usize> = (0..self.threads[thread].len()).collect();
        let pages = numbers.chunks(self.page_size).enumerate().map(|(page, numbers)| {
            let start = page * self.page_size;
            let url =
                if page == 0 { format!("http://h/t?id={thread}") } else { format!("http://h/t?id={thread}&s={start}") };
            let title = Some(format!("Title {}", WORDS[thread]));
            let head = PageNeighbours { title: title.clone(), ..PageNeighbours::default() };
            let told = PageThread { title, tags: vec!["tag".to_owned()], ..PageThread::default() };
            let posts = numbers.iter().map(|number| self.post(thread, *number, later)).collect();
            let records = PageRecords { posts, thread: Some(told), ..PageRecords::default() };
            (PageOrigin { url, crawl_time, head, ..PageOrigin::default() }, records)
        });
        pages.collect()
    }

    /// Panics unless the records are those of the world.
    pub fn check(&self, found: &Records) {
        assert_eq!(found.threads.len(), self.threads.len(), "{found:#?}");
        assert_eq!(found.posts.len(), self.numbers().count(), "{found:#?}");
        assert!(found.users.iter().all(|user| user.url.is_some()));
        for ((thread, number), post) in self.numbers().zip(&found.posts) {
            let expected = self.post(thread, number, true);
            assert_eq!((&post.text, &post.author), (&expected.text, &expected.author));
            assert_eq!(post.position, number as u64 + 1);
            assert_eq!(found.threads[thread].id, post.thread_id);
            let versions = if self.threads[thread][number].1 { 2 } else { 0 };
            assert_eq!((post.versions.len(), post.visit, post.is_gone), (versions, 2, false));
        }
        for (thread, of) in found.threads.iter().enumerate() {
            assert_eq!((of.url.as_str(), of.tags.len()), (format!("http://h/t?id={thread}").as_str(), 1));
        }
    }
}
