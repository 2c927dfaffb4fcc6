use super::*;
use harvestman_core::model::ParsedPage;

/// Parses a page whose body is `template number names…`: leaf paths by its template and its kept class names.
fn read(body: &[u8], _: Option<&str>, tokens: Option<&Arc<ClassTokens>>) -> ParsedPage {
    let text = std::str::from_utf8(body).expect("made-up pages are text");
    let words: Vec<u64> = text.split(' ').map(|word| word.parse().expect("of numbers")).collect();
    let (template, number, names) = (words[0], words[1], &words[2..]);
    let kept: u64 = names.iter().filter(|name| tokens.is_some_and(|tokens| tokens.contains(**name))).sum();
    let leaf = |path, count| LeafPath { path, count, text: None };
    // No two pages are equal: radii are found between pages that differ slightly.
    let own = template * 1_000_000 + kept * 1_000;
    let leaf_paths = vec![leaf(1, 1), leaf(own + 1, 20 + number as u32), leaf(own + 2, 5)];
    ParsedPage { leaf_paths, class_tokens: names.to_vec(), ..ParsedPage::default() }
}

fn sample(bodies: impl IntoIterator<Item = String>) -> Vec<SamplePage> {
    bodies.into_iter().map(|body| SamplePage::new(body.into(), None)).collect()
}

fn learn(sample: &[SamplePage], rich: bool) -> Templates {
    let options = TemplateOptions { rich, ..TemplateOptions::default() };
    Templates::learn(&mut sample.to_vec(), &options, &mut read)
}

fn bag(templates: &Templates, body: &str) -> Vec<LeafPath> {
    read(body.as_bytes(), None, Some(templates.tokens())).leaf_paths
}

#[test]
fn pages_of_two_templates_are_two_clusters_and_later_pages_find_theirs() {
    let templates = learn(&sample((0..40).map(|number| format!("{} {number}", number % 2))), true);
    assert_eq!(templates.clusters(), 2);
    let labels = templates.labels();
    assert!((2..40).all(|at| labels[at] == labels[at % 2]) && labels[0] != labels[1]);
    let of = |body: &str| templates.classify(&bag(&templates, body));
    assert_eq!((of("0 99"), of("1 98")), (templates.name(labels[0]), templates.name(labels[1])));
}

#[test]
fn class_names_of_the_template_tell_its_pages_apart_where_they_are_asked() {
    // The same elements; half of the pages have the class name 7.
    let pages = sample((0..40).map(|number| format!("0 {number} {}", 7 + number % 2)));
    assert_eq!((learn(&pages, true).clusters(), learn(&pages, false).clusters()), (2, 1));
    assert_eq!(learn(&pages, true).tokens().hashes(), [7, 8]);
    assert!(learn(&pages, false).tokens().hashes().is_empty());
}

#[test]
fn a_name_that_is_a_pages_own_is_not_kept() {
    let templates = learn(&sample((0..40).map(|number| format!("0 {number} 7 {}", 100 + number))), true);
    assert_eq!((templates.tokens().hashes(), templates.clusters()), (&[7][..], 1));
}

#[test]
fn a_page_like_none_is_an_outlier() {
    let pages = (0..40).map(|number| if number == 20 { "5 0".to_owned() } else { format!("0 {number}") });
    let templates = learn(&sample(pages), true);
    assert_eq!((templates.labels()[20], templates.clusters()), (None, 1));
    assert_eq!(templates.name(None), OUTLIER);
}

#[test]
fn nothing_is_learned_from_nothing_and_one_page_makes_no_cluster() {
    let none = learn(&[], true);
    assert_eq!((none.clusters(), none.labels().len(), none.classify(&[])), (0, 0, ClusterId(1)));
    let one = learn(&sample(["0 0".to_owned()]), true);
    assert_eq!((one.clusters(), one.labels()), (0, &[None][..]));
}

#[test]
fn the_same_sample_gives_the_same_templates() {
    let pages = sample((0..60).map(|number| format!("{} {number} {}", number % 3, number % 5)));
    let (one, other) = (learn(&pages, true), learn(&pages, true));
    assert_eq!((one.labels(), one.vectors(), one.radius()), (other.labels(), other.vectors(), other.radius()));
}

#[test]
fn templates_made_again_know_the_same_pages_and_do_not_answer_for_others() {
    let pages = sample((0..60).map(|number| format!("{} {number} {}", number % 3, number % 3 + 7)));
    let first = learn(&pages, true);
    let stored = first.stored();
    assert!(stored.is_sound());
    let again = Templates::from(stored.clone());
    assert_eq!(
        (again.tokens(), again.vocabulary(), again.clusters()),
        (first.tokens(), first.vocabulary(), first.clusters())
    );
    assert_eq!(again.stored(), stored);
    // On one thread, alternately: cached results of one are not used for the other.
    let other = learn(&sample((0..60).map(|number| format!("{} {number}", 2 - number % 3))), true);
    for number in 0..30 {
        let page = format!("{} {number} {}", number % 3, number % 3 + 7);
        let bag = bag(&first, &page);
        assert_eq!(first.classify(&bag), again.classify(&bag));
        other.classify(&bag);
    }
}

#[test]
fn stored_templates_without_a_label_for_each_page_are_not_sound() {
    let stored = learn(&sample((0..40).map(|number| format!("0 {number}"))), true).stored();
    let without = StoredTemplates { labels: stored.labels[1..].to_vec(), ..stored.clone() };
    let beyond = StoredTemplates { labels: vec![Some(u32::MAX); 40], ..stored };
    assert!(!without.is_sound() && !beyond.is_sound());
}
