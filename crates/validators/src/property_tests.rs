//! Properties of all validators, on arbitrary bytes and on markup made of fragments.

use std::sync::LazyLock;

use proptest::prelude::*;

use crate::{All, CssSelector, PageView, Schema, Table, Validator, Want, check_examples};

const WANTED: &[&str] = &[
    r"regex:(\w+) x",
    "regex-html:<p[^>]*>",
    "selector:table td:nth-child(2), div:has(> p) ~ p",
    "schema:Product",
    "table:a,b",
];
const FRAGMENTS: &[&str] = &[
    "<p>",
    "</p>",
    "<b a=1>",
    "</b>",
    "<a href='x>",
    "'>",
    "<table>",
    "</table>",
    "<tr>",
    "<td rowspan=2>",
    "<th>a",
    "b x",
    "<template>",
    "</template>",
    "<svg>",
    "<math>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<script type='application/ld+json'>",
    "{\"@type\":\"Product\"}",
    "[",
    "</script>",
    "<div itemscope itemtype=https://schema.org/Product>",
    "</div>",
    "<select>",
    "<option>",
    "<frameset>",
    "<body a=b>",
    "<html c>",
    "<title>",
    "</title>",
    "<plaintext>",
    "&am",
    "&#x0;",
    "\0",
    "<form>",
    "<caption>",
    "<col>",
    "<noscript>",
    "<textarea>\n",
    "<foreignObject>",
    "</",
    "<",
    ">",
    "\"",
    "é",
];

/// Elements with names that selectors require, written in several ways.
const NAMED: &[&str] = &[
    "<p class=post>",
    "<P CLASS='first POST'>",
    "<p class=p&#111;st>",
    "<p class='po&#x0073;t'>",
    "<i id=a_b>",
    "<i id=a&lowbar;b>",
    "<i class=&fjlig;ord>",
    "<h1 data-k=v>",
    "</br>",
    "</p>",
    "<td>x",
    "<image>",
    "<body class=post>",
    "<html data-k>",
    "<div itemscope itemtype='https://schema.org/Prod&#117;ct'>",
    "<script type='application/ld+json'>{\"@type\":\"\\u0050roduct\"}</script>",
    "<script type='application/ld+json'>{\"@type\":\"Product\"}</script>",
    "<script type='application/ld+json'>{</script>",
    "<TABLE><tr><td>a<td>b</table>",
    "<frameset>",
    "<!-->",
    "<!-- <p class=post> -->",
    "<!-- --!>",
    "<!DOCTYPE html PUBLIC \"a>b\">",
    "<script><p class=post></script>",
    "<script><!-- <script> </script> --></script>",
    "<style><p class=post></STYLE >",
    "<title></titles><p class=post></title>",
    "<textarea></textarea/>",
    "<noscript><i id=a_b></noscript>",
    "<select class=post>",
    "</select>",
    "<svg class=post>",
    "</svg>",
    "<a class=post =x href='>'/>",
    "<p/class=post>",
    "<p id = post class\n=\"post\tx\">",
    "<p class=x class=post>",
    "<p class=",
    "<p class='x",
    "<p\0 class=post>",
    "</p class=post>",
    "<tr class=post>",
    "<form class=post>",
    "<body id=a_b>",
    "<image class=post>",
    "<?p class=post>",
    "</ p class=post>",
    "<![CDATA[<p class=post>]]>",
    "<table>",
    "<col>",
    "</html>",
];
/// Parts of selectors.
const SELECTORS: &[&str] = &[
    ".post",
    "p",
    "p.post",
    "p.first.post",
    "#a_b",
    "i.fjord",
    "[data-k]",
    "h1[data-k = 'v']",
    "[class~=post]",
    "br",
    "tr",
    "img",
    "image",
    "table > tbody",
    "body.post",
    "body p",
    ":root[data-k]",
    "p:not(.post)",
    "div:has(> p.post, [id='a_b'])",
    "b ~ i",
    "frameset",
    "form.post",
    ".post.x",
    "body.post#a_b",
    "img.post",
    "I#a_b",
    "*",
    "foreignObject",
];

static VALIDATORS: LazyLock<All> = LazyLock::new(|| {
    All(WANTED
        .iter()
        .map(|text| text.parse::<Want>().unwrap().validator(&[], jiff::civil::DateTime::MAX).unwrap().unwrap())
        .collect())
});

fn answers(body: &[u8], content_type: Option<&str>) -> Vec<Option<bool>> {
    let page = PageView::new("http://a/", body).with_content_type(content_type);
    VALIDATORS.0.iter().map(|validator| validator.accepts(&page)).collect()
}

fn check(body: &[u8], content_type: Option<&str>) -> Result<(), TestCaseError> {
    let page = || PageView::new("http://a/", body).with_content_type(content_type);
    let answers = answers(body, content_type);
    let all = &*VALIDATORS;
    // Each validator alone, with a tree of its own, answers as it does after the others.
    let alone: Vec<_> = all.0.iter().map(|validator| validator.accepts(&page())).collect();
    prop_assert_eq!(&answers, &alone);
    let every = answers.iter().copied().collect::<Option<Vec<_>>>().map(|_| true);
    let expected = if answers.contains(&Some(false)) { Some(false) } else { every };
    prop_assert_eq!(all.accepts(&page()), expected);
    prop_assert_eq!(check_examples(all, &[page()]).is_ok(), expected == Some(true));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_validator_panic(body in prop::collection::vec(any::<u8>(), 0..400), label in "[a-z0-9-]{0,12}") {
        check(&body, None)?;
        check(&body, Some(&format!("text/html; charset={label}")))?;
    }

    #[test]
    fn no_markup_makes_a_validator_panic(parts in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60)) {
        check(parts.concat().as_bytes(), None)?;
    }

    #[test]
    fn the_tree_is_that_of_the_whole_page(parts in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60)) {
        let page = parts.concat();
        if let Some(document) = harvestman_document::parse(&page) {
            prop_assert_eq!(document, scraper::Html::parse_document(&page));
        }
    }

    #[test]
    fn verdicts_are_those_of_the_whole_tree(
        parts in prop::collection::vec((prop::sample::select(FRAGMENTS), prop::sample::select(NAMED), 0..4_u8), 0..30),
        selectors in prop::collection::vec(prop::sample::select(SELECTORS), 1..4),
        padding in 0..6_000_usize,
        separator in prop::sample::select(&[",", " , ", " ", ">", " + "][..]),
    ) {
        // The padding spreads elements over the parts of a page that are looked at one after the other.
        let part = |(at, (fragment, named, which)): (usize, &(&str, &str, u8))| {
            let text = if *which == 0 { *fragment } else { *named };
            format!("{text}{}", "x".repeat(if at % 8 == 0 { padding } else { 0 }))
        };
        let source: String = parts.iter().enumerate().map(part).collect();
        let page = || PageView::new("http://a/", source.as_bytes());
        // Elements that never end are ended before any reader sees the page.
        let document = scraper::Html::parse_document(&harvestman_document::decode(source.as_bytes(), None));
        let text = selectors.join(separator);
        let (selector, whole) = (CssSelector::new(&text).unwrap(), scraper::Selector::parse(&text).unwrap());
        let expected = document.select(&whole).next().is_some();
        let found = selector.accepts(&page());
        prop_assert!(found == Some(expected) || found.is_none() && page().document().is_none(), "{text} in {source}");
        let (schema, table) = (Schema::new("Product").unwrap(), Table::new("a,b").unwrap());
        let may = |found: Option<bool>, whole: Option<bool>| found == whole || found == Some(false) && whole.is_none();
        if let Some(document) = page().document() {
            prop_assert!(may(schema.accepts(&page()), schema.is_in(document)), "{source}");
            prop_assert!(may(table.accepts(&page()), table.is_in_any(document)), "{source}");
        }
    }

    #[test]
    fn tags_tell_nothing_that_the_tree_does_not(
        parts in prop::collection::vec((prop::sample::select(FRAGMENTS), prop::sample::select(NAMED), any::<bool>()), 0..12),
        selector in prop::sample::select(SELECTORS),
    ) {
        let source: String = parts.iter().map(|(fragment, named, which)| if *which { *fragment } else { *named }).collect();
        let names = crate::required::names_of(selector).unwrap();
        if let Some(found) = names.compounds.and_then(|compounds| crate::tags::has_match(&source, &compounds)) {
            let whole = scraper::Selector::parse(selector).unwrap();
            let expected = scraper::Html::parse_document(&source).select(&whole).next().is_some();
            prop_assert_eq!(found, expected, "{} in {}", selector, source);
        }
    }

    #[test]
    fn no_text_makes_the_parser_of_wants_panic(kind in "(regex|regex-html|selector|schema|table|words)?:?", rest in "\\PC{0,40}") {
        if let Ok(want) = format!("{kind}{rest}").parse::<Want>() {
            prop_assert_eq!(want.to_string().parse::<Want>(), Ok(want));
        }
    }
}
