//! Input that nobody means well.

use proptest::prelude::*;

use super::*;

#[test]
fn huge_and_deep_input_is_bounded() {
    let bodies: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"[".repeat(1 << 20),
        b"{\"a\":".repeat(1 << 18),
        b"<a ".repeat(1 << 18),
        b"<a href='/x'>".repeat(1 << 17),
        b"<script>".repeat(1 << 17),
        b"<!--".repeat(1 << 18),
        b"\xff\xfe<\xff a=\xff>".repeat(1 << 10),
        [b"<a ".to_vec(), b"b=1 ".repeat(1 << 18)].concat(),
        format!("[{}]", vec!["\"<a href=/x>\""; 100_000].join(",")).into_bytes(),
    ];
    let base = url("https://h.example/a/1");
    for body in bodies {
        let content = scan_answer(&body, &base);
        assert!(content.links.len() <= 20_000 && content.texts.len() <= 20_000);
        let mut page = sample(base.as_str(), &String::from_utf8_lossy(&body), &[("https://h.example/api/1", "")]);
        page.requests[0].body = body;
        let samples = [page.clone(), page.clone(), page];
        assert!(learn(&samples).template.slots.len() <= 1);
    }
}

#[test]
fn many_requests_with_long_urls_are_bounded() {
    let urls: Vec<String> = (0..2_000)
        .map(|at| format!("https://h.example/{at}/{}?{}", "a/".repeat(at % 40), "b=1&".repeat(at % 40)))
        .collect();
    let requests: Vec<(&str, &str)> = urls.iter().map(|url| (url.as_str(), "{\"a\":[1,2]}")).collect();
    let samples = vec![sample("https://h.example/a", "<a b=1>", &requests); 20];
    let learned = learn(&samples);
    assert!(learned.template.slots.len() + learned.rejected.len() <= 64);
}

#[test]
fn a_template_that_was_tampered_with_does_no_harm() {
    let page =
        |id: u32| sample(&format!("https://h.example/t/{id}"), "", &[(&format!("https://h.example/api/{id}"), "{}")]);
    let mut template = learn(&[page(11), page(25), page(37)]).template;
    template.slots[0].plans[0].start = Some(99);
    assert_eq!(replay(&template, "https://h.example/t/1", "", &Answers::new()), Vec::<String>::new());
    template.slots[0].plans.clear();
    assert_eq!(replay(&template, "https://h.example/t/1", "", &Answers::new()), Vec::<String>::new());
    assert_eq!(template.describe(), "");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_samples_never_cause_a_panic(
        html in "([<>a-c =\"'{}:;/\\\\é-]|<a href=|<script>|\\{\"a\":1\\}){0,40}",
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 4),
        texts in prop::collection::vec("[<>{}\\[\\]a-c\":,1-3/ ]{0,40}", 4),
        paths in prop::collection::vec("[a-c/1-3?&=.%-]{0,12}", 4),
    ) {
        let one = |(at, body): (usize, &Vec<u8>)| {
            let address = format!("https://h.example/{}", paths[at]);
            let second = format!("https://h.example/{}", paths[(at + 1) % 4]);
            let mut page = sample(&format!("https://h.example/t{at}"), &html, &[(&address, &texts[at]), (&second, "")]);
            page.requests.last_mut().unwrap().body = body.clone();
            page
        };
        let samples: Vec<Sample> = bodies.iter().enumerate().map(one).collect();
        let template = learn(&samples[..3]).template;
        let verification = verify(&settle(&template, &samples), &samples);
        prop_assert!(verification.found <= verification.useful);
    }
}
