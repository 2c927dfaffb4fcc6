use proptest::prelude::*;

use super::*;
use harvestman_core::model::{Apath, ElementKind, LinkKind};

fn parse(html: &str) -> ParsedPage {
    parse_with(&ParseOptions::default(), html)
}

fn parse_within(limits: ParseLimits, html: &str) -> ParsedPage {
    parse_by(Parser::bounded(&ParseOptions::default(), limits, Spelling::On), html)
}

fn parse_with(options: &ParseOptions, html: &str) -> ParsedPage {
    parse_by(Parser::with_spelling(options, Spelling::On), html)
}

fn parse_by(mut parser: Parser, html: &str) -> ParsedPage {
    parser.parse(html.as_bytes(), Some("text/html; charset=utf-8"))
}

/// Returns `parser` with all that learning may need switched on.
fn with_all(parser: Parser) -> Parser {
    let tokens = ["k", "x", "c1"].map(class_token).into_iter().collect();
    parser.with_units().with_token_list().with_class_tokens(Arc::new(tokens))
}

/// Returns `2 /html/body/#text` for each leaf path.
fn leaves(page: &ParsedPage) -> Vec<String> {
    page.leaf_paths.iter().map(|leaf| format!("{} {}", leaf.count, leaf.text.as_deref().unwrap_or("?"))).collect()
}

fn hrefs(page: &ParsedPage) -> Vec<&str> {
    page.groups.iter().flat_map(|group| &group.links).map(|link| page.href(link)).collect()
}

#[test]
fn leaves_are_texts_images_and_anchors_with_their_class() {
    let page =
        parse("<head><title>no</title></head><ul><li><a class=' topic\n new' href=/t>x<img></a> y<li> <b>z</b></ul>");
    assert_eq!(
        leaves(&page),
        [
            "1 /html/body/ul/li/a[topic new]",
            "1 /html/body/ul/li/a/#text",
            "1 /html/body/ul/li/a/img",
            "1 /html/body/ul/li/#text",
            "1 /html/body/ul/li/b/#text"
        ]
    );
}

#[test]
fn links_are_grouped_by_their_apath_in_order_of_first_occurrence() {
    let page = parse(
        "<p><a href=1></a><div><a class=k href=2></a></div><p><a href=3></a><area href=4><iframe src=5></iframe>",
    );
    let groups: Vec<_> = page
        .groups
        .iter()
        .map(|group| {
            (group.apath_text.as_deref().unwrap(), group.links.iter().map(|link| page.href(link)).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(
        groups,
        [
            ("/html/body/p/a", vec!["1", "3"]),
            ("/html/body/div/a[k]", vec!["2"]),
            ("/html/body/p/area", vec!["4"]),
            ("/html/body/p/iframe", vec!["5"])
        ]
    );
    assert_eq!(page.groups[3].links[0].kind, LinkKind::Frame);
    assert_eq!(page.link_count(), 5);
}

#[test]
fn what_is_no_link_still_is_a_leaf() {
    let page = parse("<a href='#x'></a><a href=' JAVASCRIPT:x'></a><a></a><a href=''></a><a href=ftp://h/></a>");
    assert_eq!(leaves(&page), ["5 /html/body/a"]);
    assert_eq!(hrefs(&page), ["", "ftp://h/"]);
}

#[test]
fn relations_that_say_not_to_follow_are_marked() {
    let page = parse(
        "<a href=1 rel='me NoFollow'></a><a href=2 rel=ugc></a><a href=3 rel=sponsored></a><a href=4 rel=me></a>",
    );
    let marks: Vec<bool> = page.groups[0].links.iter().map(|link| link.nofollow).collect();
    assert_eq!(marks, [true, true, true, false]);
}

#[test]
fn the_page_says_what_it_is() {
    let page = parse(
        "<base target=x><base href='/b'><base href=/c><title> A &amp;\n B </title><title>C</title>
         <link rel='x Canonical' href=/1?a&amp;b><link rel=canonical href=/2>
         <meta name=ROBOTS content=NoIndex><meta name=harvestman content='nofollow'><meta name=googlebot content=noarchive>
         <meta http-equiv=Refresh content=\"0; URL='/next'\"><p>x",
    );
    assert_eq!(page.base.as_deref(), Some("/b"));
    assert_eq!(page.title.as_deref(), Some("A & B"));
    assert_eq!(page.canonical.as_deref(), Some("/1?a&b"));
    assert_eq!((page.robots.noindex, page.robots.nofollow, page.robots.noarchive), (true, true, false));
    assert_eq!((page.groups[0].apath, page.groups[0].links[0].kind), (Apath::REFRESH, LinkKind::Refresh));
    assert_eq!(hrefs(&page), ["/next"]);
}

#[test]
fn the_feeds_that_a_page_announces_are_kept_up_to_a_limit() {
    let page = parse(
        "<link rel=alternate type=application/rss+xml href='/a?b&amp;c'><link rel='ALTERNATE' type='application/atom+xml; x=y' href=b>
         <link rel='alternate stylesheet' type=text/css href=c><link rel=alternate hreflang=de href=/de>
         <link rel=alternate type=application/rss+xml><link rel=next type=application/rss+xml href=d>
         <body><link type='application/feed+json' rel='feed alternate' href=e>",
    );
    assert_eq!(page.feeds, ["/a?b&c", "b", "e"].map(Box::from));
    assert!(page.groups.is_empty(), "they are no links that a reader sees");
    let many = parse(&"<link rel=alternate type=application/rss+xml href=x>".repeat(100));
    assert_eq!(many.feeds.len(), 16);
}

#[test]
fn directives_count_that_address_all_robots_or_the_product_token() {
    let directives = |agent: &str, html: &str| {
        let page = Parser::new(&ParseOptions::default()).with_agent(agent).parse(html.as_bytes(), None);
        (page.robots.noindex, page.robots.nofollow, page.robots.noarchive)
    };
    let html =
        "<meta name=Robots content=noindex><meta name=' somebot' content=NOARCHIVE><meta name=somebots content=none>";
    assert_eq!(directives("SomeBot", html), (true, false, true));
    assert_eq!(directives("otherbot", html), (true, false, false));
    assert_eq!(directives("", "<meta name='' content=none>"), (false, false, false));
    assert_eq!(directives("somebot", "<meta name=harvestman content=none>"), (false, false, false));
    let both = "<meta name=somebot content='index, follow'><meta name=robots content=none>";
    assert_eq!(directives("somebot", both), (true, true, false));
}

#[test]
fn elements_about_the_use_of_the_content_are_kept_as_written() {
    let page = parse(
        "<meta name=Robots content='noai, noimageai'><meta name=harvestman content=noarchive><meta name=otherbot content=noai>
         <META NAME='TDM-Reservation' CONTENT=1><meta name=tdm-policy content='https://p/?a&amp;b'>
         <link rel='License next' href=/l.xml><link rel=stylesheet href=/s.css><meta name=description content=x>",
    );
    let stated: Vec<_> = page.stated.iter().map(|stated| (stated.kind, &*stated.content)).collect();
    let expected = [
        (ElementKind::Robots, "noai, noimageai"),
        (ElementKind::Robots, "noarchive"),
        (ElementKind::TdmReservation, "1"),
        (ElementKind::TdmPolicy, "https://p/?a&b"),
        (ElementKind::License, "/l.xml"),
    ];
    assert_eq!(stated, expected);
    assert_eq!(parse(&"<meta name=robots content=noai>".repeat(1_000)).stated.len(), 32);
}

#[test]
fn what_a_template_holds_is_neither_shown_nor_followed() {
    let page =
        parse("<template><base href=/x><a href=1>t</a><template><img></template><a href=2></template><a href=3>");
    assert_eq!(
        (leaves(&page), hrefs(&page), page.base.as_deref()),
        (vec!["1 /html/body/a".to_owned()], vec!["3"], None)
    );
}

#[test]
fn links_in_noscript_are_followed_unless_scripting_is_assumed() {
    let html = "<p><noscript><a href=1>x</a></noscript>y";
    let page = parse(html);
    assert_eq!((leaves(&page), hrefs(&page)), (vec!["1 /html/body/p/#text".to_owned()], vec!["1"]));
    let page = parse_by(Parser::with_spelling(&ParseOptions::default(), Spelling::On).with_scripting(true), html);
    assert_eq!((leaves(&page), hrefs(&page)), (vec!["1 /html/body/p/#text".to_owned()], vec![]));
}

#[test]
fn embeds_are_collected_only_when_asked_for() {
    let html =
        "<link rel=stylesheet href=1><link rel='shortcut icon' href=2><link rel=next href=no><script src=3></script>
        <img src=4 srcset='5 1x(a, b), 6, 7 2x , data:x,y 3x'><video src=8 poster=9><source src=10></video><audio src=11></audio>
        <embed src=12><object data=13></object><img src=data:,x><a href=14></a>";
    let page = parse_with(&ParseOptions { embeds: true }, html);
    let expected: Vec<String> = (1..=14).map(|n| n.to_string()).collect();
    let mut found = hrefs(&page);
    found.sort_by_key(|href| href.parse::<u32>().unwrap_or(0));
    assert_eq!(found, expected);
    assert_eq!(hrefs(&parse(html)), ["14"]);
}

#[test]
fn misnested_formatting_is_repaired_for_what_follows() {
    // The content before the end tag was already counted: a tree would move it below the div.
    let page = parse("<b>1<div>2<span>3</b>4</span>5</div>6");
    assert_eq!(
        leaves(&page),
        [
            "1 /html/body/b/#text",
            "1 /html/body/b/div/#text",
            "1 /html/body/b/div/span/#text",
            "1 /html/body/div/#text",
            "1 /html/body/#text"
        ]
    );
}

#[test]
fn html_in_a_mathml_annotation_is_read_as_such() {
    let page = parse("<math><annotation-xml encoding=TEXT/html><p>a</p></annotation-xml>b</math>c");
    assert_eq!(
        leaves(&page),
        ["1 /html/body/math/annotation-xml/p/#text", "1 /html/body/math/#text", "1 /html/body/#text"]
    );
}

#[test]
fn a_page_is_read_in_the_charset_that_it_is_most_surely_in() {
    let charset = |bytes: &[u8], content_type: Option<&str>| {
        Parser::new(&ParseOptions::default()).parse(bytes, content_type).charset
    };
    let meta = b"<meta charset=koi8-r>";
    assert_eq!(charset(b"\xef\xbb\xbf<meta charset=koi8-r>", Some("text/html; charset=big5")), "UTF-8");
    assert_eq!(charset(meta, Some("text/html; Charset = \"big5\"")), "Big5");
    assert_eq!(charset(meta, Some("text/html; charset=nonsense")), "KOI8-R");
    assert_eq!(
        charset(b"<!-- <meta charset=big5> --><META http-equiv=Content-Type content='a; charset=koi8-r'>", None),
        "KOI8-R"
    );
    assert_eq!(charset(b"<meta charset=utf-16le>\xff", None), "UTF-8");
    assert_eq!(charset(b"<?xml version='1.0' encoding='iso-8859-2'?><p>\xff", None), "ISO-8859-2");
    assert_eq!(charset("жук".as_bytes(), None), "UTF-8");
    assert_eq!(
        charset(b"\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0? \xd5\xee\xf0\xee\xf8\xee", None),
        "windows-1251"
    );
    let late = format!("{}<meta charset=koi8-r>\u{e9}", " ".repeat(1024));
    assert_eq!(charset(late.as_bytes(), None), "UTF-8");
}

#[test]
fn texts_are_decoded_from_the_pages_charset() {
    let read = |bytes: &[u8], content_type: &str| {
        let page = Parser::new(&ParseOptions::default()).parse(bytes, Some(content_type));
        (page.title.clone().unwrap_or_default(), hrefs(&page).join(" "))
    };
    let latin = b"<title>caf\xe9</title><a href=/\xe9?a&amp;b>";
    assert_eq!(read(latin, "text/html; charset=iso-8859-1"), ("café".into(), "/é?a&b".into()));
    let utf16: Vec<u8> = "\u{feff}<title>é</title><a href=/é>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&utf16, "text/html"), ("é".into(), "/é".into()));
    // A wrong declaration loses letters, never links.
    assert_eq!(
        read(b"<title>\xcf\xf0</title><a href=/x>", "text/html; charset=utf-8"),
        ("\u{fffd}\u{fffd}".into(), "/x".into())
    );
    let shift_jis = b"<title>\x83\x5c</title><p class=\"\x83\x5c\"><a href=\"/\x83\x5c\">";
    assert_eq!(read(shift_jis, "text/html; charset=shift_jis"), ("ソ".into(), "/ソ".into()));
}

#[test]
fn a_parser_carries_nothing_over_to_the_next_page() {
    let mut parser = with_all(Parser::with_spelling(&ParseOptions::default(), Spelling::On));
    let page = "<p class=k>a<a href=1 class='x y'>b</a>";
    let fresh = parser.parse(page.as_bytes(), None);
    for before in [
        "<template><b><table><form>",
        "<svg><a href=2><title>t",
        "<frameset>",
        "<head><noscript>",
        "<!doctype html><a href=3><div></a>",
        "<html class=k><form method=post><textarea></textarea><p class='y k'>a",
    ] {
        parser.parse(before.as_bytes(), None);
        assert_eq!(parser.parse(page.as_bytes(), None), fresh, "after {before}");
    }
}

#[test]
fn links_beyond_the_limit_are_counted_as_dropped() {
    let limits = ParseLimits { links: 3, ..ParseLimits::default() };
    let at = parse_within(limits, &"<a href=x></a>".repeat(3));
    assert_eq!((at.link_count(), at.links_dropped), (3, 0));
    let beyond = parse_within(limits, &"<a href=x></a>".repeat(4));
    assert_eq!((beyond.link_count(), beyond.links_dropped), (3, 1));
    assert_eq!(leaves(&beyond), ["4 /html/body/a"]);
}

#[test]
fn an_address_beyond_the_limit_is_dropped_whole() {
    let limits = ParseLimits { attribute: 5, ..ParseLimits::default() };
    let page = parse_within(limits, "<a href=12345 class=12345></a><a href=123456></a><a class=123456></a>");
    assert_eq!((hrefs(&page), page.links_dropped), (vec!["12345"], 1));
    assert_eq!(leaves(&page), ["2 /html/body/a[12345]", "1 /html/body/a"]);
}

#[test]
fn leaf_paths_beyond_the_limit_are_left_out_and_known_ones_still_count() {
    let limits = ParseLimits { leaf_paths: 2, ..ParseLimits::default() };
    let page = parse_within(limits, "<b>1</b><i>2</i><u>3</u><b>4</b>");
    assert_eq!(leaves(&page), ["2 /html/body/b/#text", "1 /html/body/i/#text"]);
}

#[test]
fn a_title_beyond_the_limit_is_cut() {
    let limits = ParseLimits { title: 4, ..ParseLimits::default() };
    assert_eq!(parse_within(limits, "<title>ab d</title>").title.as_deref(), Some("ab d"));
    assert_eq!(parse_within(limits, "<title>ab de</title>").title.as_deref(), Some("ab d"));
}

#[test]
fn elements_deeper_than_the_limit_share_its_path_and_their_end_tags_still_balance() {
    let limits = ParseLimits { depth: 10, ..ParseLimits::default() };
    // html and body are the first two levels.
    let nest = |depth: usize| {
        let html = format!("{}x{}y", "<div>".repeat(depth), "</div>".repeat(depth));
        leaves(&parse_within(limits, &html))
    };
    let path = |depth: usize| format!("1 /html/body{}/#text", "/div".repeat(depth));
    assert_eq!(nest(8), [path(8), path(0)]);
    assert_eq!(nest(9), [path(8), path(0)]);
    assert_eq!(nest(200_000), [path(8), path(0)]);
}

#[test]
fn what_a_deep_page_holds_behind_its_depths_is_found() {
    for tag in ["div", "b", "a", "table", "svg", "object", "x-y", "select", "li", "p", "button", "template"] {
        let html =
            format!("{}{}<a href=/end>", format!("<{tag}>").repeat(100_000), format!("</{tag}>").repeat(100_000));
        assert_eq!(hrefs(&parse(&html)), ["/end"], "{tag}");
    }
}

/// Returns pages that are made to be expensive, `n` pieces long.
fn hostile(n: usize) -> Vec<(&'static str, String)> {
    vec![
        ("less-than signs", "<".repeat(n)),
        ("attributes", format!("<a {}href=/x>", "b ".repeat(n))),
        ("one long line", format!("<p>{}<a href=/x>", "x".repeat(n))),
        ("unclosed comments", "<!--".repeat(n)),
        ("unclosed quotes", "<a href=\"".repeat(n)),
        ("unclosed titles", "<title>".repeat(n)),
        ("scripts in comments", format!("<script>{}", "<!--<script>-->".repeat(n))),
        ("ampersands", format!("<a href='{}'><p>{}", "&".repeat(n), "&".repeat(n))),
        ("formatting", "<b x=1><i><p>".repeat(n)),
        ("distinct formatting", (0..n).map(|i| format!("<b x={i}><p>t")).collect()),
        ("adoption", format!("{}{}", "<b><div>".repeat(n), "</b>".repeat(n))),
        ("paragraphs out of reach", format!("<p><table><td>{}{}", "<x>".repeat(n), "<div></p>".repeat(n))),
        ("end tags of nothing", format!("{}{}", "<x>".repeat(n), "</y></li></td></form>".repeat(n))),
        ("tables", "<table>x<tr><td>".repeat(n)),
        ("fostered", format!("<table>{}", "<div>x".repeat(n))),
        ("foreign", format!("<svg>{}{}", "<g>".repeat(n), "</x>".repeat(n))),
        ("names", (0..n).map(|i| format!("<e{i}>t</e{i}>")).collect()),
        ("anchors", (0..n).map(|i| format!("<a class=c{i} href={i}>")).collect()),
        ("blanks", "<p>&nbsp;\u{a0}".repeat(n)),
        ("doctypes", "<!doctype html>".repeat(n)),
        ("cdata", format!("<svg>{}", "<![CDATA[".repeat(n))),
    ]
}

#[test]
fn a_hostile_page_yields_no_more_than_the_limits() {
    let limits = ParseLimits::default();
    for (name, html) in hostile(30_000) {
        let mut parser = with_all(Parser::new(&ParseOptions::default()));
        let page = parser.parse(html.as_bytes(), None);
        assert!(page.units.len() <= 4_096 && page.class_tokens.len() <= 2_048, "{name}");
        assert!(page.link_count() <= limits.links as usize, "{name}");
        assert!(page.leaf_paths.len() <= limits.leaf_paths as usize, "{name}");
        assert!(page.hrefs.len() <= html.len(), "{name}");
        assert!(page.title.is_none_or(|title| title.chars().count() <= limits.title), "{name}");
    }
}

#[test]
fn the_work_on_a_hostile_page_grows_no_faster_than_the_page() {
    let work = |html: &str| {
        let mut parser = with_all(Parser::new(&ParseOptions::default()));
        parser.parse(html.as_bytes(), None);
        parser.builder.open.work.get()
    };
    for ((name, short), (_, long)) in hostile(5_000).into_iter().zip(hostile(20_000)) {
        let (little, much) = (work(&short), work(&long));
        // Four times the pieces may take at most five times the steps; a constant part (up to the depth limit) is
        // ignored.
        assert!(much <= 5 * little + 100_000, "{name}: {little} steps grow to {much}");
        let searches_max = 2 * ParseLimits::default().depth as u64;
        assert!(much <= long.len() as u64 * searches_max, "{name}: {much} steps for {} bytes", long.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        content_type in proptest::option::of("(text/html; charset=(utf-8|big5|utf-16|gb18030|iso-2022-jp|replacement)|[ -~]{0,30})"),
    ) {
        let parser = || Parser::with_spelling(&ParseOptions::default(), Spelling::On);
        for mut parser in [with_all(parser()), with_all(parser()).with_path_strings()] {
            prop_assert!(!parser.parse(&bytes, content_type.as_deref()).charset.is_empty());
        }
    }

    #[test]
    fn arbitrary_markup_never_panics_and_hash_mode_agrees_with_spelling_mode(
        html in "([<>/!=\"'&# -]|<[a-z]|</[a-z]|<!--|-->|<(table|tr|td|b|a href=|svg|math|template|form|script|select|p|li)>|\\PC){0,60}",
        depth in 8..20_usize,
    ) {
        let (options, limits) = (ParseOptions { embeds: true }, ParseLimits { depth, ..ParseLimits::default() });
        let hashed = Parser::bounded(&options, limits, Spelling::Off).parse(html.as_bytes(), None);
        let spelt = Parser::bounded(&options, limits, Spelling::On).parse(html.as_bytes(), None);
        let paths = |page: &ParsedPage| page.leaf_paths.iter().map(|leaf| (leaf.path, leaf.count)).collect::<Vec<_>>();
        prop_assert_eq!(paths(&hashed), paths(&spelt));
        prop_assert_eq!(&hashed.hrefs, &spelt.hrefs);
        prop_assert!(spelt.leaf_paths.iter().all(|leaf| leaf.text.as_ref().is_some_and(|text| !text.contains('…'))));
    }

    #[test]
    fn what_learning_asks_for_changes_nothing_else(
        html in "(<(a|b|p|div|table|td|svg|li|i|form|select|html|body)( class='(k|x y|z k)')?>|</(b|p|div|a|table|svg|form)>|t|&lt;|<!---->| ){0,40}",
    ) {
        let plain = parse(&html);
        let parser = || Parser::with_spelling(&ParseOptions::default(), Spelling::On);
        let mut none_kept = parser().with_units().with_token_list().with_class_tokens(Arc::default());
        let mut all = with_all(parser());
        let mut strings = parser().with_path_strings();
        let pages = [&mut none_kept, &mut all, &mut strings].map(|parser| parser.parse(html.as_bytes(), Some("text/html; charset=utf-8")));
        let leaves = |page: &ParsedPage| page.leaf_paths.iter().map(|leaf| leaf.count).sum::<u32>();
        let texts = plain.leaf_paths.iter().filter(|leaf| leaf.text.as_ref().is_some_and(|text| text.ends_with("#text")));
        prop_assert_eq!(pages[2].path_strings.len(), texts.map(|leaf| leaf.count as usize).sum::<usize>());
        for page in pages {
            prop_assert_eq!(leaves(&page), leaves(&plain));
            let (units, class_tokens, path_strings, leaf_paths) = Default::default();
            let page = ParsedPage { units, class_tokens, path_strings, leaf_paths, ..page };
            prop_assert_eq!(page, ParsedPage { leaf_paths: vec![], ..plain.clone() });
        }
        // Without a kept name only anchor leaves differ, by their class.
        let others = |page: &ParsedPage| -> Vec<_> {
            let is_text = |leaf: &&harvestman_core::model::LeafPath| leaf.text.as_ref().is_some_and(|text| text.ends_with("#text"));
            page.leaf_paths.iter().filter(is_text).cloned().collect()
        };
        prop_assert_eq!(others(&none_kept.parse(html.as_bytes(), None)), others(&plain));
        let spelt = all.parse(html.as_bytes(), None).leaf_paths;
        let spellings: std::collections::BTreeSet<_> = spelt.iter().map(|leaf| &leaf.text).collect();
        prop_assert_eq!(spellings.len(), spelt.len());
    }

    #[test]
    fn paths_with_one_spelling_have_one_hash(html in "(<(a class=[xy]|b|p|div|table|td|svg|li|i)>|</(b|p|div|a|table|svg)>|t){0,40}") {
        let page = parse(&html);
        let spellings: std::collections::BTreeSet<_> = page.leaf_paths.iter().map(|leaf| &leaf.text).collect();
        prop_assert_eq!(spellings.len(), page.leaf_paths.len());
    }
}
