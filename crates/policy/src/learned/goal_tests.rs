use super::*;

const WANTED: ClusterId = ClusterId(2);
const OTHER: ClusterId = ClusterId(3);

/// The kind of an address with a path and parameters, each by number; paths of the same tens have the same shape.
fn kind(path: u64, parameters: u64) -> UrlKind {
    let with_parameters = |path: u64| PatternId(100 * path + parameters);
    UrlKind { path: PatternId(path), whole: with_parameters(path), view: 0, shape: with_parameters(path / 10) }
}

/// An example of kind (70, 0) in the wanted cluster, where these numbers of pages are known.
fn likeness(pages: &[(usize, ClusterId, UrlKind)]) -> Likeness {
    let mut likeness = Likeness { cluster: Some(WANTED), kind: kind(70, 0), ..Likeness::default() };
    let repeated =
        |(times, cluster, kind): &(usize, ClusterId, UrlKind)| std::iter::repeat_n((*cluster, *kind), *times);
    likeness.count(&pages.iter().flat_map(repeated).collect::<Vec<_>>());
    likeness
}

#[test]
fn a_page_is_like_the_example_by_template_and_kind_of_address_and_more_by_both() {
    let known = likeness(&[(6, WANTED, kind(70, 0)), (14, OTHER, kind(70, 0))]);
    assert_eq!(
        (known.of(WANTED, kind(70, 0)), known.of(OTHER, kind(80, 0)), known.of(OUTLIER, kind(80, 0))),
        (1.0, 0.0, 0.0)
    );
    assert!(0.0 < known.of(WANTED, kind(80, 0)) && known.of(WANTED, kind(80, 0)) < 1.0);
    assert!(0.0 < known.of(OTHER, kind(70, 0)) && known.of(OTHER, kind(70, 0)) < 1.0);
}

#[test]
fn where_most_pages_with_the_address_are_of_the_cluster_the_others_count_as_its_pages() {
    let known = likeness(&[(18, WANTED, kind(70, 0)), (2, OTHER, kind(70, 0))]);
    assert_eq!((known.of(OTHER, kind(70, 0)), known.of(OTHER, kind(80, 0))), (1.0, 0.0));
}

#[test]
fn an_example_of_a_rare_template_of_its_type_stands_for_the_type() {
    // Nearly all pages with such an address have another template, and no other pages have it.
    let known = likeness(&[(1, WANTED, kind(70, 0)), (98, OTHER, kind(70, 0))]);
    assert!(known.of(OTHER, kind(70, 0)) > 0.9);
}

#[test]
fn other_parameters_are_another_view_if_the_template_is_the_same_and_another_type_if_not() {
    let known = likeness(&[(10, WANTED, kind(70, 0)), (10, WANTED, kind(70, 1)), (10, OTHER, kind(70, 2))]);
    let view = known.of(WANTED, kind(70, 1));
    assert!(0.3 < view && view < 1.0);
    assert_eq!(known.of(OTHER, kind(70, 1)), view, "a page with the parameters of views");
    assert_eq!(known.of(OTHER, kind(70, 2)), 0.0, "a page with the parameters of another type");
}

#[test]
fn a_template_of_many_types_identifies_none() {
    let pure = likeness(&[(20, WANTED, kind(70, 0)), (1, WANTED, kind(80, 0))]);
    let mixed = likeness(&[(20, WANTED, kind(70, 0)), (80, WANTED, kind(80, 0))]);
    assert!(pure.of(WANTED, kind(80, 0)) > 3.0 * mixed.of(WANTED, kind(80, 0)));
}

#[test]
fn an_outlier_example_is_represented_by_the_nearest_cluster_and_by_outliers_with_its_address() {
    let known = Likeness { nearest: true, ..likeness(&[(3, WANTED, kind(70, 0)), (7, OTHER, kind(70, 0))]) };
    assert_eq!(
        (known.of(WANTED, kind(70, 0)), known.of(OUTLIER, kind(70, 0)), known.of(OUTLIER, kind(80, 0))),
        (1.0, 1.0, 0.0)
    );
    assert!(0.0 < known.of(OTHER, kind(70, 0)) && known.of(OTHER, kind(70, 0)) < 1.0);
}

#[test]
fn before_there_are_clusters_the_address_decides() {
    let known = Likeness { kind: kind(70, 0), ..Likeness::default() };
    let of = |path, parameters| known.of(ClusterId::UNKNOWN, kind(path, parameters));
    assert_eq!((of(70, 0), of(80, 0)), (1.0, 0.0));
    assert!(0.0 < of(70, 1) && of(70, 1) < 1.0);
}

#[test]
fn sections_with_the_same_template_are_of_one_type() {
    let sections = likeness(&[(2, WANTED, kind(70, 0)), (30, WANTED, kind(71, 0)), (1, OTHER, kind(72, 0))]);
    let elsewhere = sections.of(WANTED, kind(73, 0));
    assert!(0.7 < elsewhere && elsewhere < 1.0, "{elsewhere}");
    assert_eq!(sections.of(OTHER, kind(73, 0)), 0.0);
    assert!(sections.of(WANTED, kind(80, 0)) < elsewhere && sections.of(WANTED, kind(73, 1)) < elsewhere);
    let types = likeness(&[(20, WANTED, kind(70, 0)), (20, OTHER, kind(71, 0))]);
    assert!(types.of(WANTED, kind(73, 0)) < 0.3);
}

#[test]
fn another_view_is_another_type_unless_the_pages_of_the_example_s_view_are_of_many_clusters() {
    let view = |view: u64| UrlKind { view, ..kind(70, 1) };
    let seen = |pages: &[(usize, ClusterId, UrlKind)]| {
        let mut known = Likeness { kind: view(5), ..likeness(&[]) };
        let each = |(times, cluster, kind): &(usize, ClusterId, UrlKind)| vec![(*cluster, *kind); *times];
        known.count(&pages.iter().flat_map(each).collect::<Vec<_>>());
        known
    };
    // Few pages, of one cluster as yet: the word may tell a type.
    let early = seen(&[(1, WANTED, view(5)), (9, WANTED, view(6))]);
    assert_eq!(early.of(WANTED, view(5)), 1.0);
    assert!(early.of(WANTED, view(6)) < 0.3);
    // Tabs with templates of their own.
    let tabs = seen(&[(9, WANTED, view(5)), (9, OTHER, view(6))]);
    assert_eq!((tabs.of(WANTED, view(5)), tabs.of(OTHER, view(6))), (1.0, 0.0));
    // Any view has pages of any cluster: it tells nothing.
    let mixed = seen(&[(4, WANTED, view(5)), (6, OTHER, view(5)), (5, WANTED, view(6)), (5, OTHER, view(6))]);
    assert_eq!(mixed.of(WANTED, view(6)), 1.0);
    assert!(mixed.of(OTHER, view(6)) >= 0.4);
}

#[test]
fn one_template_for_everything_does_not_make_sections_alike() {
    let early = likeness(&[(1, WANTED, kind(70, 0)), (4, WANTED, kind(71, 0)), (15, WANTED, kind(80, 0))]);
    assert!(early.of(WANTED, kind(71, 0)) < 0.3);
}
