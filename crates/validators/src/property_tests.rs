//! Properties of all validators, on arbitrary bytes and on markup made of fragments.

use std::sync::LazyLock;

use proptest::prelude::*;

use crate::{All, PageView, Validator, Want, check_examples};

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

static VALIDATORS: LazyLock<All> = LazyLock::new(|| {
    All(WANTED.iter().map(|text| text.parse::<Want>().unwrap().validator(&[]).unwrap().unwrap()).collect())
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
        if let Some(document) = crate::document::parse(&page) {
            prop_assert_eq!(document, scraper::Html::parse_document(&page));
        }
    }

    #[test]
    fn no_text_makes_the_parser_of_wants_panic(kind in "(regex|regex-html|selector|schema|table|words)?:?", rest in "\\PC{0,40}") {
        if let Ok(want) = format!("{kind}{rest}").parse::<Want>() {
            prop_assert_eq!(want.to_string().parse::<Want>(), Ok(want));
        }
    }
}
