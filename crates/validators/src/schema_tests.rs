use super::{DEPTH_MAX, ITEMS_MAX, *};

fn accepts(name: &str, page: &str) -> Option<bool> {
    Schema::new(name).unwrap().accepts(&PageView::new("http://a/", page.as_bytes()))
}

fn script(json: &str) -> String {
    format!("<!doctype html><head><script type='application/ld+json'>{json}</script></head><p>Text")
}

#[test]
fn json_ld_is_read_in_objects_arrays_and_graphs() {
    let shop = script(
        r#"{"@context": "https://schema.org", "@graph": [
            {"@type": "WebSite", "name": "Shop </b>", "publisher": {"@type": "Organization"}},
            {"@type": ["Thing", "http://schema.org/Product"], "offers": {"@type": "Offer", "price": "1.50"}}
        ]}"#,
    );
    for name in ["Product", "product", "https://schema.org/Product", "http://schema.org/PRODUCT/", "schema:WebSite"] {
        assert_eq!(accepts(name, &shop), Some(true), "{name}");
    }
    for name in ["Offer", "Organization", "Prod", "ProductGroup"] {
        assert_eq!(accepts(name, &shop), Some(false), "{name}");
    }
    let list =
        script(r#"[{"@type": "BreadcrumbList"}, [{"@type": "schema:QAPage", "mainEntity": {"@type": "Question"}}]]"#);
    assert_eq!(["BreadcrumbList", "QAPage", "Question"].map(|name| accepts(name, &list)), [Some(true); 3]);
    let typed = "<body><SCRIPT TYPE=' Application/LD+JSON; charset=utf-8'>{\"@type\":\"Event\"}</SCRIPT>";
    assert_eq!(accepts("Event", typed), Some(true));
    assert_eq!(accepts("Event", "<script type=application/json>{\"@type\":\"Event\"}</script>"), Some(false));
}

#[test]
fn items_that_are_properties_do_not_count() {
    let microdata = "<div itemscope itemtype='https://schema.org/DiscussionForumPosting https://schema.org/Article'>\
        <span itemprop=author itemscope itemtype='https://schema.org/Person'>A</span></div>";
    assert_eq!(accepts("DiscussionForumPosting", microdata), Some(true));
    assert_eq!(accepts("article", microdata), Some(true));
    assert_eq!(accepts("Person", microdata), Some(false));
    let rdfa = "<div vocab='https://schema.org/' typeof='Recipe schema:HowTo'><div property=author typeof=Person>A</div>\
        <p rel='schema:author' typeof=Organization></div>";
    assert_eq!(["Recipe", "HowTo"].map(|name| accepts(name, rdfa)), [Some(true); 2]);
    assert_eq!(["Person", "Organization"].map(|name| accepts(name, rdfa)), [Some(false); 2]);
    let main = "<div itemscope itemtype=https://schema.org/WebPage><p itemprop='x mainEntity' itemscope \
        itemtype=https://schema.org/Book></div><main property=schema:mainEntity typeof=Movie>";
    assert_eq!(["WebPage", "Book", "Movie"].map(|name| accepts(name, main)), [Some(true); 3]);
}

#[test]
fn a_type_is_not_ruled_out_where_json_ld_is_malformed() {
    let broken = script(r#"{"@type": "Product","#);
    assert_eq!(accepts("Product", &broken), None);
    assert_eq!(accepts("Event", &format!("{broken}<p itemscope itemtype=//schema.org/Event>")), Some(true));
    assert_eq!(accepts("Event", &format!("{broken}{}", script(r#"{"@type": "Event"}"#))), Some(true));
}

#[test]
fn items_and_depth_are_bounded() {
    let items = |count: usize| script(&format!("[{}{{\"@type\":\"B\"}}]", "{\"@type\":\"A\"},".repeat(count)));
    assert_eq!(accepts("C", &items(ITEMS_MAX - 1)), Some(false));
    assert_eq!(accepts("C", &items(ITEMS_MAX)), None);
    let nested = |depth: usize| script(&format!("{}{{\"@type\":\"A\"}}{}", "[".repeat(depth), "]".repeat(depth)));
    assert_eq!(accepts("A", &nested(DEPTH_MAX)), Some(true));
    assert_eq!(accepts("A", &nested(DEPTH_MAX + 1)), None);
    assert_eq!(accepts("A", &nested(100_000)), None);
}

#[test]
fn types_are_names() {
    for text in ["", "https://schema.org/ /", "a b", "Größe", "Product?x"] {
        assert_eq!(Schema::new(text), Err(InvalidWant::Schema(text.to_owned())), "{text}");
    }
    assert_eq!(Schema::new("https://schema.org/Product").unwrap().to_string(), "schema:https://schema.org/Product");
    assert!(Schema::new(&"a".repeat(NAME_BYTES_MAX)).is_ok() && Schema::new(&"a".repeat(NAME_BYTES_MAX + 1)).is_err());
}
