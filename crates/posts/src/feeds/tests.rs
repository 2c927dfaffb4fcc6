//! Tests of feeds of each kind.

use jiff::civil::date;

use super::*;

fn read(text: &str) -> Option<PageRecords> {
    read_feed(&"https://e.example/feed".parse().unwrap(), text, date(2020, 4, 25).at(12, 0, 0, 0))
}

fn first(text: &str) -> PagePost {
    let records = read(text).unwrap();
    assert!(records.posts.iter().all(|post| post.source == PostSource::Feed && post.confidence > 0.5));
    records.posts.into_iter().next().unwrap()
}

fn fields(post: &PagePost) -> String {
    let fields =
        [&post.id, &post.url, &post.author, &post.author_url, &post.date, &post.title, &Some(post.text.clone())];
    fields.map(|field| field.as_deref().unwrap_or("-")).join("|")
}

#[test]
fn entries_of_rss() {
    let item = "<item><title>Re: Lens</title><link>https://e.example/t/1#p75</link><guid isPermaLink='false'>e.example-75</guid>\
        <dc:creator>ann</dc:creator><pubDate>Wed, 01 Apr 2020 10:00:00 +0200</pubDate>\
        <description><![CDATA[<p>Use a <b>soft</b> brush&#8230;</p>]]></description></item>";
    let feed = |item: &str| {
        format!(
            "<?xml version='1.0' encoding='iso-8859-1'?>\n<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title>T</title><link>/</link><description/>{item}</channel></rss>"
        )
    };
    let post = first(&feed(item));
    assert_eq!(
        fields(&post),
        "e.example-75|https://e.example/t/1#p75|ann|-|2020-04-01T10:00:00+02:00|Re: Lens|Use a soft brush…"
    );
    assert_eq!(post.html.as_deref(), Some("<p>Use a <b>soft</b> brush&#8230;</p>"));
    let post = first(&feed(
        "<item><guid>https://e.example/t/1#p76</guid><author>a@e.example (bob)</author><description>für x</description></item>",
    ));
    assert_eq!(fields(&post), "p76|https://e.example/t/1#p76|bob|-|-|-|für x");
}

#[test]
fn addresses_with_an_entity_that_the_feed_defines_are_left_out() {
    let feed = |declared: &str| {
        format!(
            "<!DOCTYPE rss [{declared}]><rss version='2.0'><channel><title>T</title><link>/</link><description/>\
            <item><link>https://e.example/?a&x;</link><title>a</title></item></channel></rss>"
        )
    };
    let post = |declared: &str| read(&feed(declared)).unwrap().posts.remove(0);
    assert_eq!(post("").url.as_deref(), Some("https://e.example/?a&x;"));
    let post = post("<!ENTITY x 'y'>");
    assert_eq!((post.url, post.id, post.title.as_deref()), (None, None, Some("a")));
}

#[test]
fn addresses_are_relative_to_the_base_of_their_element() {
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/f/'><title>T</title><id>x</id><updated>2020-04-02T00:00:00Z</updated>\
        <entry xml:base='e/'><title>a</title><id>1</id><updated>2020-04-02T00:00:00Z</updated>\
        <link rel='edit' href='no'/><link xml:base='l/' href='1'/><author><name>ann</name><uri>ann</uri></author></entry>\
        <entry><title>b</title><id>2</id><updated>2020-04-02T00:00:00Z</updated><link href='2'/></entry></feed>";
    let posts = read(feed).unwrap().posts;
    let urls: Vec<_> = posts.iter().map(|post| post.url.as_deref().unwrap()).collect();
    assert_eq!(urls, ["https://e.example/f/e/l/1", "https://e.example/f/2"]);
    assert_eq!(posts[0].author_url.as_deref(), Some("https://e.example/f/e/ann"));
}

#[test]
fn entries_of_atom() {
    let post = first(
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:thr='http://purl.org/syndication/thread/1.0'><title>T</title><id>x</id>\
         <updated>2020-04-02T00:00:00Z</updated><entry><title type='html'>R&amp;amp;D</title><id>tag:e.example,2020:75</id>\
         <link href='/t/1#p75'/><thr:in-reply-to ref='tag:e.example,2020:70' href='/t/1#p70'/><author><name>ann</name><uri>/u/ann</uri></author>\
         <published>2020-04-01T10:00:00+02:00</published><updated>2020-04-02T11:00:00Z</updated>\
         <content type='html'>&lt;p&gt;a text&lt;/p&gt;</content></entry></feed>",
    );
    let wanted = "tag:e.example,2020:75|https://e.example/t/1#p75|ann|https://e.example/u/ann|2020-04-01T10:00:00+02:00|R&D|a text";
    assert_eq!((fields(&post).as_str(), post.edited.as_deref()), (wanted, Some("2020-04-02T11:00:00Z")));
    assert_eq!(post.parent, Some(ParentRef::Url("https://e.example/t/1#p70".to_owned())));
}

#[test]
fn entries_of_json_feed() {
    let post = first(
        r#"{"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": [{"id": 75, "url": "/t/1#p75",
            "content_html": "<p>a text</p>", "date_published": "2020-04-01T10:00:00Z", "authors": [{"name": "ann", "url": "/u/ann"}]}]}"#,
    );
    assert_eq!(fields(&post), "75|https://e.example/t/1#p75|ann|https://e.example/u/ann|2020-04-01T10:00:00Z|-|a text");
}

#[test]
fn what_is_no_feed_is_refused() {
    let deep = format!("<rss><channel><item>{}", "<x:a>".repeat(100_000));
    for text in ["", "text", "{}", "<html><p>x</html>", "<rss", "<?xml", "<rss></channel>", "{\"version\": 1}", &deep] {
        assert_eq!(read(text), None, "{text:.40}");
    }
    assert_eq!(read("<rss version='2.0'><channel></channel></rss>").map(|records| records.posts.len()), Some(0));
}

proptest::proptest! {
    /// Any text is read without panic, with the same result each time.
    #[test]
    fn any_feed_is_read(
        text in "(<\\?xml\\?>)?<(rss|feed|rdf:RDF)( version='2.0')?>(<(/?)(channel|item|entry|title|guid|link href='/'|dc:date|updated|pubDate|itunes:duration|content|x:y)(/?)>|[a-z0-9:&;\\-<]{0,12}){0,24}(</rss>|</feed>)?",
        json in "\\{\"version\":\"https://jsonfeed.org/version/1\",\"items\":(\\[|\\{\"(id|authors|url)\":|\\}|\\]|,|1|null){0,9}\\}",
    ) {
        proptest::prop_assert_eq!(read(&text), read(&text));
        proptest::prop_assert_eq!(read(&json), read(&json));
    }
}
