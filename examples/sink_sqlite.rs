//! A sink of one's own: pages as rows of a SQLite table.
//!
//! `cargo run --example sink_sqlite [SEED]`
#![allow(clippy::print_stdout, reason = "what an example shows")]

mod site;

use std::error::Error;

use harvestman_library::{Crawl, Page, Sink, SinkError};
use rusqlite::{Connection, params};

struct Table(Connection);

impl Sink for Table {
    fn write(&mut self, pages: &[Page]) -> Result<(), SinkError> {
        // One transaction: all pages or none. A page that is delivered again replaces its row.
        let transaction = self.0.transaction()?;
        for page in pages {
            transaction.execute(
                "INSERT OR REPLACE INTO page (url, status, title, body) VALUES (?1, ?2, ?3, ?4)",
                params![page.url(), page.status(), page.title(), page.body()],
            )?;
        }
        Ok(transaction.commit()?)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let site = site::Site::of_argument(1)?;
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("pages.sqlite");
    let table = Connection::open(&file)?;
    table.execute("CREATE TABLE page (url TEXT PRIMARY KEY, status INTEGER, title TEXT, body BLOB)", [])?;

    let crawl = Crawl::builder().seed(&site.seed).out(directory.path().join("crawl")).sink(Table(table));
    let report = crawl.set("host.delay", site.delay).start()?.wait()?;

    let count = "SELECT count(*) FROM page WHERE status = 200";
    let rows: u64 = Connection::open(&file)?.query_row(count, [], |row| row.get(0))?;
    println!("{rows} rows with status 200 of {} pages", report.pages());
    Ok(())
}
