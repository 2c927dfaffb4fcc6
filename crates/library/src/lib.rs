//! Crawls embedded in other programs: the stable interface of Harvestman.
//!
//! [`Crawl::builder`] describes a crawl: where it starts, where its files go, its settings, and what the program adds
//! to it – a [`Policy`], a [`LinkFilter`], [`Sink`]s. [`CrawlBuilder::start`] starts it on threads of its own. The
//! program reads its [`Pages`] as a stream, may stop it, and gets its [`Report`]. It is the crawl of the program
//! `harvestman`: with the same settings and the same seed its report is the same, its files are the same, and it can be
//! resumed.
//!
//! ```
//! # use harvestman_sim::{Server, ServerOptions, World, WorldOptions, options::Family};
//! # let options = WorldOptions { pages: 20, hosts: 1, families: vec![Family::Forum], ..WorldOptions::default() };
//! # let world = World::new(&options, harvestman_core::seed::Seed(1)).unwrap();
//! # let server = Server::start(world.into(), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).unwrap();
//! # let seed = server.world().seeds().remove(0);
//! # let directory = tempfile::tempdir().unwrap();
//! # let out = directory.path().join("out");
//! use harvestman_library::Crawl;
//!
//! let mut crawl = Crawl::builder().seed(seed).out(out).set("host.delay", "0s").set("budget.pages", 5).start()?;
//! let mut pages = crawl.pages();
//! while let Some(page) = pages.next_blocking() {
//!     println!("{} {:?} {}", page.url(), page.status(), page.body().len());
//! }
//! let report = crawl.wait()?;
//! assert_eq!(report.pages(), 5);
//! # Ok::<(), harvestman_library::Error>(())
//! ```
//!
//! [`parse`] is the parser alone, [`politeness`] the politeness core alone. `docs/library.md` is a guide; `examples/`
//! has a short program for each use.
//!
//! # Stability
//!
//! This crate follows semantic versioning, as Cargo understands it: as long as the version begins with 0, a change of
//! the second number may break programs, a change of the third does not. That covers every public item of this crate
//! that is not hidden in the documentation, the names and meanings of settings, and the documented fields of the files
//! that a crawl writes. Enumerations that may grow are `#[non_exhaustive]`; structs have no public fields. `api.txt`
//! lists what is covered, and a test compares it with the code.
//!
//! Not covered: texts of messages, the order of pages, the log, and all other crates of the workspace, which may change
//! at any time.

mod builder;
mod crawl;
mod delivery;
mod error;
mod extensions;
mod guarded;
mod pages;
pub mod parse;
mod policy;
pub mod politeness;
#[doc(hidden)]
pub mod program;
mod ready;
mod report;

pub use builder::CrawlBuilder;
pub use crawl::{Crawl, Stopper};
pub use error::{Error, ExtensionFailure};
pub use extensions::{LinkFilter, OnError, Sink, SinkError};
pub use pages::{Page, PageLink, Pages};
pub use policy::{Link, Policy};
#[doc(hidden)]
pub use ready::ReadyCrawl;
pub use report::{ExtensionError, Report, StopReason};
