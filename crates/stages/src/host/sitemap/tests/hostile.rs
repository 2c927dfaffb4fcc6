//! Documents that are large, malformed or crafted to be expensive.

use proptest::prelude::*;

use super::*;

fn numbered(count: usize) -> String {
    set(&(0..count).map(|n| format!("<url><loc>http://h/{n}</loc></url>")).collect::<String>())
}

#[test]
fn urls_are_taken_up_to_the_count_limit_and_further_ones_are_counted() {
    let limits = SitemapLimits { urls: 3, ..limits() };
    for (count, dropped) in [(3, 0), (4, 1), (10, 7)] {
        let contents = parse(numbered(count).as_bytes(), URL, None, limits).unwrap();
        assert_eq!((contents.urls.len(), contents.dropped), (3, dropped));
    }
    let repeated = set(&"<url><loc>http://h/1</loc></url>".repeat(9));
    assert_eq!(parse(repeated.as_bytes(), URL, None, limits).unwrap().dropped, 0);
    assert_eq!(read(numbered(50_001)).unwrap().dropped, 1);
}

#[test]
fn urls_are_taken_up_to_the_length_limit() {
    let limits = SitemapLimits { url_bytes: 20, ..limits() };
    for (length, taken) in [(20, 1), (21, 0), (100_000, 0)] {
        let url = "http://h/".to_owned() + &"x".repeat(length - 9);
        for document in [
            set(&format!("<url><loc>  {url}</loc></url>")),
            set(&format!("<url><link rel='alternate' href='{url}'/></url>")),
        ] {
            let contents = parse(document.as_bytes(), URL, None, limits).unwrap();
            assert_eq!((contents.urls.len(), contents.dropped), (taken, 1 - taken as u32), "{length}");
        }
    }
}

#[test]
fn a_document_is_read_up_to_the_size_limit() {
    let document = numbered(1_000);
    for form in [document.clone().into_bytes(), gzip(document.as_bytes())] {
        let all = parse(&form, URL, None, SitemapLimits { bytes: document.len(), ..limits() }).unwrap();
        assert_eq!((all.urls.len(), all.cut), (1_000, false));
        let half = parse(&form, URL, None, SitemapLimits { bytes: document.len() / 2, ..limits() }).unwrap();
        assert!(half.cut && (490..=500).contains(&half.urls.len()), "{}", half.urls.len());
    }
    let barely =
        parse(document.as_bytes(), URL, None, SitemapLimits { bytes: document.len() - 1, ..limits() }).unwrap();
    assert!(barely.cut);
}

#[test]
fn a_sitemap_of_more_than_fifty_megabytes_is_truncated() {
    let mut document = numbered(10);
    document.truncate(document.len() - "</urlset>".len());
    document.push_str("<!--");
    document.push_str(&"x".repeat(51 << 20));
    document.push_str("--><url><loc>http://h/late</loc></url></urlset>");
    let contents = read(document).unwrap();
    assert_eq!((contents.urls.len(), contents.cut), (10, true));
}

#[test]
fn bombs_are_rejected_by_their_ratio_and_small_repetitive_documents_are_not() {
    let bomb = gzip(&vec![b' '; 20 << 20]);
    assert!(bomb.len() < 50_000);
    assert_eq!(read(&bomb), Err(SitemapError::Bomb(400)));
    assert_eq!(read(gzip(&bomb)), Err(SitemapError::Bomb(400)), "compressed a second time");
    let small = set(&"<url><loc>http://h/1</loc></url>".repeat(20_000));
    assert!(small.len() < 1 << 20);
    assert_eq!(urls(gzip(small.as_bytes())), ["http://h/1"]);
}

#[test]
fn elements_are_read_down_to_the_nesting_limit() {
    let nested = |depth: usize| format!("<urlset>{}<url><loc>http://h/1</loc></url>", "<urlset>".repeat(depth));
    let limits = SitemapLimits { nesting: 10, ..limits() };
    for (depth, read) in [(7, 1), (8, 0)] {
        let contents = parse(nested(depth).as_bytes(), URL, None, limits).unwrap();
        assert_eq!((contents.urls.len(), contents.cut), (read, read == 0), "{depth}");
    }
    let deep = set("<url><loc>http://h/1</loc></url>") + &"<a>".repeat(1_000_000);
    assert!(read(deep).unwrap().cut);
}

#[test]
fn an_address_with_an_entity_that_the_document_defines_is_left_out_and_counted() {
    let mut document =
        "<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY l0 'lol'><!ENTITY x SYSTEM 'file:///etc/passwd'>".to_owned();
    for n in 1..20 {
        document += &format!("<!ENTITY l{n} '{}'>", format!("&l{};", n - 1).repeat(10));
    }
    document += "]><urlset><url><loc>http://h/&l19;</loc></url><url><loc>http://h/?&x;</loc></url>\
        <url><loc>http://h/1?a&amp;b</loc><xhtml:link rel='alternate' href='http://h/&x;'/></url>\
        <sitemap><loc>&l0;</loc></sitemap></urlset>";
    let contents = read(document).unwrap();
    assert_eq!((contents.urls, contents.sitemaps), (vec!["http://h/1?a&b".to_owned()], vec![]));
    assert_eq!((contents.dropped, contents.unreadable), (4, 4));
    assert_eq!(contents.first_unreadable.as_deref(), Some("http://h/&l19;"));
}

#[test]
fn an_address_with_an_unknown_entity_is_left_out_unless_it_may_be_an_unescaped_ampersand() {
    let contents = read(set("<url><loc>http://h/&unknown;</loc></url><url><loc>http://h/?a&b;c</loc></url>")).unwrap();
    assert_eq!((contents.urls, contents.unreadable), (vec!["http://h/?a&b;c".to_owned()], 1));
    let feed = "<!DOCTYPE rss [<!ENTITY h 'http://h/'>]><rss><channel><item><link>&h;1</link></item>\
        <item><guid>http://h/&h;</guid></item><item><link>http://h/3</link></item></channel></rss>";
    let contents = read(feed).unwrap();
    assert_eq!((contents.urls, contents.unreadable), (vec!["http://h/3".to_owned()], 2));
}

#[test]
fn a_tag_with_very_many_attributes_and_an_unterminated_tag_are_handled() {
    let attributes: String = (0..100_000).map(|n| format!(" a{n}='{n}'")).collect();
    assert_eq!(
        urls(set(&format!("<url><link{attributes} rel='alternate' href='/1'/></url>"))),
        ["https://h.example/1"]
    );
    let contents = read(set(&format!("<url><loc>http://h/1</loc></url><url {}", "x".repeat(1 << 20)))).unwrap();
    assert_eq!(contents.urls, ["http://h/1"]);
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000), content_type in "\\PC*", url in "\\PC*") {
        let _ = parse(&bytes, &url, Some(&content_type), limits());
        let _ = parse(&[b"\x1f\x8b\x08\0\0\0\0\0\0\x03", &bytes[..]].concat(), &url, None, limits());
    }

    #[test]
    fn any_sequence_of_markup_is_parsed_without_panic_within_the_limits(parts in prop::collection::vec(part(), 0..60)) {
        let limits = SitemapLimits { bytes: 400, ratio: 10, urls: 3, url_bytes: 12, nesting: 5 };
        if let Ok(contents) = parse(parts.concat().as_bytes(), URL, Some("text/xml"), limits) {
            prop_assert!(contents.urls.len() + contents.sitemaps.len() <= 3);
            prop_assert_eq!(contents.urls.len(), contents.lastmods.len());
            prop_assert!(contents.urls.iter().all(|url| url.starts_with("http")));
        }
    }

    /// Wherever a document is truncated, the remainder yields a prefix of the same list.
    #[test]
    fn a_truncated_document_yields_the_first_pages_of_the_whole(count in 0_usize..8, cut in any::<prop::sample::Index>()) {
        let whole = numbered(count);
        let end = cut.index(whole.len() + 1);
        let all = urls(&whole);
        if let Ok(contents) = read(&whole[..end]) {
            prop_assert!(all.starts_with(&contents.urls));
        }
    }

    #[test]
    fn written_pages_are_read_back(paths in prop::collection::btree_set("[a-z0-9&'<>\"/?=;%-]{1,12}", 0..20)) {
        let expected: Vec<String> = paths.iter().map(|path| format!("http://h/{path}")).collect();
        let entries = expected.iter().map(|url| format!("<url><loc>{}</loc></url>", quick_xml::escape::escape(url.as_str())));
        prop_assert_eq!(urls(set(&entries.collect::<String>())), expected);
    }
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(
            [
                "<urlset>",
                "</urlset>",
                "<url>",
                "</url>",
                "<loc>",
                "</loc>",
                "<sitemap>",
                "</sitemap>",
                "<sitemapindex>",
                "<rss>",
                "<channel>",
                "<item>",
                "</item>",
                "<link>",
                "</link>",
                "<guid>",
                "</guid>",
                "<feed>",
                "<entry>",
                "</entry>",
                "<link href='http://h/",
                "'/>",
                "<![CDATA[",
                "]]>",
                "<!--",
                "-->",
                "<!DOCTYPE x [",
                "]>",
                "<?xml ",
                "?>",
                "&",
                "&#",
                "&#x41;",
                "&amp;",
                ";",
                "http://h/a",
                "/b",
                "<x:",
                "<",
                ">",
                "é",
                "\u{feff}",
                "\0",
            ]
            .map(str::to_owned)
            .to_vec()
        ),
        "\\PC{0,4}",
    ]
}
