//! Mistakes of the user are errors with the messages of the program, and nothing is done.

use std::process::Command;

use harvestman_library::{Crawl, CrawlBuilder, Error};

use super::crawls::Forum;

/// The message of a crawl that cannot begin.
fn refused(crawl: CrawlBuilder) -> String {
    match crawl.start() {
        Err(Error::Usage(text)) => text,
        other => panic!("it is not refused: {:?}", other.map(drop)),
    }
}

/// What the program prints for these arguments.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_harvestman")).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn bad_seeds_are_refused_as_by_the_program() {
    for seeds in [&["forum", "ftp://example.org/"][..], &[]] {
        let crawl = seeds.iter().fold(Crawl::builder().out("/nonexistent/x"), |crawl, seed| crawl.seed(*seed));
        let text = refused(crawl);
        let arguments: Vec<&str> =
            ["crawl", "--out", "/nonexistent/x"].into_iter().chain(seeds.iter().copied()).collect();
        assert!(printed(&arguments).contains(&text), "{text}");
        assert!(text.contains("seed"), "{text}");
    }
}

#[test]
fn all_bad_settings_are_refused_at_once_as_by_the_program() {
    let crawl = Crawl::builder().seed("https://example.org/").out("/nonexistent/x");
    let text = refused(crawl.set("host.delay", "soon").set("budget.bites", 3).set("crawl.threads", "many"));
    let settings = ["host.delay=soon", "budget.bites=3", "crawl.threads=many"];
    let mut arguments = vec!["crawl", "https://example.org/", "--out", "/nonexistent/x"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    // The program names its flags.
    let printed = printed(&arguments).replace("--set ", "set ");
    assert!(printed.contains(&text), "{text}\nis not in\n{printed}");
    assert!(
        text.starts_with("3 mistakes in the configuration:") && text.contains("did you mean `budget.bytes`?"),
        "{text}"
    );
}

#[test]
fn a_directory_that_is_in_use_or_missing_is_refused_as_by_the_program() {
    let forum = Forum::of(20);
    forum.crawl().start().unwrap().wait().unwrap();
    let out = forum.out().display().to_string();
    let text = refused(forum.crawl());
    assert!(printed(&["crawl", &forum.seed(), "--quiet", "--out", &out]).contains(&text), "{text}");
    let text = refused(Crawl::resume("/nonexistent/x"));
    assert!(printed(&["resume", "/nonexistent/x"]).contains(&text), "{text}");
    // The program makes a directory named after the host; where another program's data go is for that program to say.
    let text = refused(Crawl::builder().seed("http://127.0.0.1:1/"));
    assert!(text.contains("output directory"), "{text}");
}

#[test]
fn settings_that_only_the_program_carries_out_are_refused_rather_than_ignored() {
    for (name, value) in [("archive.posts", "true"), ("archive.upload", "s3://a/b"), ("metrics.listen", "127.0.0.1:1")]
    {
        let text = refused(Crawl::builder().seed("http://127.0.0.1:1/").out("/nonexistent/x").set(name, value));
        assert!(text.contains(&format!("`{name}` is set")), "{text}");
    }
}

#[test]
fn a_configuration_file_is_read_and_settings_override_it() {
    let forum = Forum::of(60);
    let file = forum.out().with_extension("toml");
    std::fs::write(&file, "[budget]\npages = 3\nrequests = 4\n[host]\ndelay = \"0s\"\n").unwrap();
    let crawl = Crawl::builder().seed(forum.seed()).out(forum.out()).config_file(&file).set("budget.requests", 50);
    assert_eq!(crawl.start().unwrap().wait().unwrap().pages(), 3);
    let text = refused(Crawl::builder().seed("http://h.test/").config_file("/nonexistent/x.toml"));
    assert!(text.contains("cannot read /nonexistent/x.toml"), "{text}");
}
