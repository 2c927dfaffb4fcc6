//! The posts that were written while the crawl ran.

use crate::document::{Document, PostFigures};
use crate::render::block::{Block, Cell};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let Some(figures) = &document.posts else { return Vec::new() };
    let PostFigures { posts, changes, threads, authors, first_time, last_time, per_request, is_estimated, damaged } =
        figures;
    let count = |key: &str, count: u64| Cell::count(count).at(format!("posts.{key}"));
    let mut facts = vec![
        ("Posts", count("posts", *posts)),
        ("Threads", count("threads", *threads)),
        ("Authors", count("authors", *authors)),
    ];
    if let Some((first, last)) = first_time.as_ref().zip(last_time.as_ref()) {
        facts.push(("Written", Cell::text(format!("{first} to {last}"))));
    }
    if let Some(each) = per_request {
        facts.push(("Posts per request", Cell::score(*each).at("posts.per_request")));
    }
    if *changes > 0 && !is_estimated {
        facts.push(("Changed texts", count("changes", *changes)));
    }
    if *damaged > 0 {
        facts.push(("Lines that cannot be read", count("damaged", *damaged)));
    }
    let facts = facts.into_iter().map(|(name, cell)| (name.to_owned(), cell));
    let mut text = "From posts.jsonl; excerpts and what needs the whole site are in the output of harvestman export posts only. Times are as the \
                    pages show them."
        .to_owned();
    if *is_estimated {
        text.push_str(" Numbers of posts, threads and authors above 262,144 are estimated (standard error 0.2 %).");
    }
    vec![Block::Facts(facts.collect()), Block::Text(text)]
}
