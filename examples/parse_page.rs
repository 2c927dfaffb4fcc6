//! The parser alone: the links of a page with their places, and its text.
//!
//! `cargo run --example parse_page [URL FILE]`
#![allow(clippy::print_stdout, reason = "what an example shows")]

use std::error::Error;

use harvestman_library::parse::PageParser;

const SAMPLE: &str = "<title>Herons</title><ul class=threads><li><a class=thread href='/t/7#p3'>Great egret</a> \
    <li><a class=thread href='/t/8#new'>Bittern</a></ul><p>Two threads. <a href='/login' rel=nofollow>Log in</a>";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (url, html) = match (arguments.next(), arguments.next()) {
        (Some(url), Some(file)) => (url, std::fs::read(file)?),
        _ => ("https://forum.example.org/board/".to_owned(), SAMPLE.into()),
    };
    let page = PageParser::new().parse(&url, &html, Some("text/html"))?;
    println!("title  {}", page.title().unwrap_or("none"));
    for link in page.links() {
        println!("link   {}  at {}", link.url().unwrap_or(link.href()), link.apath());
    }
    println!("text   {}", page.text().split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(())
}
