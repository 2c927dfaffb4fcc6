//! Tests of the records of pages in each syntax.

use jiff::civil::date;

use super::*;
use crate::records::{PagePost, ParentRef, PostSource};

fn read(source: &str) -> PageRecords {
    let url = "https://e.example/t/lens".parse().unwrap();
    read_markup(&Page::parse(&url, source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap())
}

fn rows(records: &PageRecords) -> Vec<String> {
    let row = |post: &PagePost| {
        let fields = [&post.id, &post.author, &post.author_url, &post.date, &Some(post.text.clone())];
        fields.map(|field| field.as_deref().unwrap_or("-")).join("|")
    };
    records.posts.iter().map(row).collect()
}

fn parents(records: &PageRecords) -> Vec<Option<usize>> {
    let index = |post: &PagePost| match post.parent {
        Some(ParentRef::Index(index)) => Some(index),
        _ => None,
    };
    records.posts.iter().map(index).collect()
}

#[test]
fn a_question_with_answers_in_json_ld() {
    let records = read(
        r##"<title>Clean a lens - Camera Talk</title><p>How do I clean it well? Use a soft brush for that. No, wet it first of all. Why so?</p>
        <script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
            {"@type": "QAPage", "mainEntity": {"@type": "Question", "@id": "https://e.example/t/lens#q70", "name": "Clean a lens",
                "text": "<p>How do I clean it <b>well</b>?</p>", "dateCreated": "2020-04-01T10:00:00+02:00",
                "author": {"@id": "#ann"}, "keywords": "lens, cleaning",
                "acceptedAnswer": {"@type": "Answer", "url": "/t/lens#a75", "text": "Use a soft brush for that.", "datePublished": "2020-04-02",
                    "author": [{"@type": "Person", "name": "bob", "url": "/u/bob"}],
                    "comment": [{"@type": "Comment", "@id": "/t/lens#c99", "text": "Why so?", "author": "ann"}]},
                "suggestedAnswer": [{"@type": "Answer", "url": "/t/lens#a74", "text": "No, wet it first of all.", "author": "cy"}]}},
            {"@type": "Person", "@id": "#ann", "name": "ann", "url": "/u/ann"},
            {"@type": "BreadcrumbList", "itemListElement": [
                {"@type": "ListItem", "position": 2, "name": "Cameras", "item": "https://e.example/f/cameras"},
                {"@type": "ListItem", "position": 1, "name": "Home", "item": "https://e.example/"},
                {"@type": "ListItem", "position": 3, "name": "Clean a lens"}]}]}</script>"##,
    );
    assert_eq!(
        rows(&records),
        [
            "q70|ann|https://e.example/u/ann|2020-04-01T10:00:00+02:00|How do I clean it well?",
            "a75|bob|https://e.example/u/bob|2020-04-02|Use a soft brush for that.",
            "c99|ann|-|-|Why so?",
            "a74|cy|-|-|No, wet it first of all.",
        ]
    );
    assert_eq!(parents(&records), [None, Some(0), Some(1), Some(0)]);
    assert_eq!(records.posts[0].html.as_deref(), Some("<p>How do I clean it <b>well</b>?</p>"));
    assert!(records.posts.iter().all(|post| post.source == PostSource::Markup && post.confidence > 0.6));
    let thread = records.thread.unwrap();
    assert_eq!(
        (thread.title.as_deref(), thread.url.as_deref()),
        (Some("Clean a lens"), Some("https://e.example/t/lens#q70"))
    );
    assert_eq!(
        (thread.forums, thread.tags),
        (vec!["Cameras".to_owned()], vec!["lens".to_owned(), "cleaning".to_owned()])
    );
}

#[test]
fn a_thread_in_microdata() {
    let post = |number: u32, name: &str, text: &str| {
        format!(
            "<article id=post_{number} data-post-id={number}07 itemscope itemtype='http://schema.org/DiscussionForumPosting'>\
             <meta itemprop=headline content='Clean a lens'><link itemprop=mainEntityOfPage href=/t/lens>\
             <span itemprop=author itemscope itemtype='http://schema.org/Person'><a itemprop=url href=/u/{name}><b itemprop=name>{name}</b></a></span>\
             <time itemprop=datePublished datetime='2020-04-0{number}T10:00:00Z'>April</time><div itemprop=articleBody>{text}</div></article>"
        )
    };
    let posts = [post(1, "ann", "How do I?"), post(2, "bob", "Like <i>that</i>."), post(3, "cy", "Or not.")];
    let crumbs = "<ol itemscope itemtype='https://schema.org/BreadcrumbList'><li itemprop=itemListElement itemscope>\
        <a itemprop=item href=/f><span itemprop=name>Cameras</span></a><meta itemprop=position content=1></li></ol>";
    let records = read(&format!("{crumbs}{}", posts.concat()));
    assert_eq!(
        rows(&records),
        [
            "107|ann|https://e.example/u/ann|2020-04-01T10:00:00Z|How do I?",
            "207|bob|https://e.example/u/bob|2020-04-02T10:00:00Z|Like that.",
            "307|cy|https://e.example/u/cy|2020-04-03T10:00:00Z|Or not.",
        ],
        "the position in the thread is no identifier"
    );
    let thread = records.thread.unwrap();
    assert_eq!(
        (thread.title.as_deref(), thread.url.as_deref()),
        (Some("Clean a lens"), Some("https://e.example/t/lens"))
    );
    assert_eq!((thread.forums.as_slice(), records.users.len()), (&["Cameras".to_owned()][..], 0));
}

#[test]
fn nested_comments_in_microdata_have_their_own_texts() {
    let comment = |id: &str, inner: &str| {
        format!(
            "<div itemprop=comment itemscope itemtype='https://schema.org/Comment' id={id}><div itemprop=text><p>text of {id}</p>{inner}</div></div>"
        )
    };
    let source = format!(
        "<div itemscope itemtype='https://schema.org/BlogPosting'><h1 itemprop=headline>Lens</h1><p itemprop=articleBody>an article</p>{}{}</div>",
        comment("c40", &comment("c41", "")),
        comment("c38", "")
    );
    let records = read(&source);
    assert_eq!(
        rows(&records),
        ["-|-|-|-|an article", "c40|-|-|-|text of c40", "c41|-|-|-|text of c41", "c38|-|-|-|text of c38"]
    );
    assert_eq!(parents(&records), [None, None, Some(1), None]);
}

#[test]
fn comments_in_rdfa_name_what_they_answer() {
    let records = read(
        "<div vocab='https://schema.org/'><div typeof=Comment resource='/t/lens#c5'><p property=text>the first</p></div>\
         <div typeof=Comment resource='/t/lens#c8'><link property=parentItem href='/t/lens#c5'><p property=text>the second</p>\
         <span property=author typeof=Person><i property=name>bob</i></span></div></div>",
    );
    assert_eq!(rows(&records), ["c5|-|-|-|the first", "c8|bob|-|-|the second"]);
    assert_eq!(records.posts[1].parent, Some(ParentRef::Url("https://e.example/t/lens#c5".to_owned())));
}

#[test]
fn entries_of_microformats() {
    let records = read(
        "<div class=h-entry><h1 class=p-name>Lens</h1><a class='p-author h-card' href=/ann>ann</a><div class=e-content>an article</div>\
         <time class=dt-published datetime='2020-04-01 10:00:00+0200'>April</time>\
         <div class='u-comment h-cite' id=c77><a class='p-author h-card' href=/bob>bob</a><a class=u-url href='/t/lens#c77'>#</a>\
         <p class=p-content>a comment</p></div></div>",
    );
    assert_eq!(
        rows(&records),
        [
            "-|ann|https://e.example/ann|2020-04-01T10:00:00+02:00|an article",
            "c77|bob|https://e.example/bob|-|a comment",
        ]
    );
    assert_eq!(records.thread.and_then(|thread| thread.title).as_deref(), Some("Lens"));
}

#[test]
fn persons_of_profiles() {
    let records = read(
        r##"<script type="application/ld+json">{"@context": "https://schema.org", "@type": "ProfilePage", "dateCreated": "2015-02-03T04:05:06Z",
            "mainEntity": {"@type": "Person", "name": "ann", "url": "/u/ann", "agentInteractionStatistic":
                {"@type": "InteractionCounter", "interactionType": "https://schema.org/WriteAction", "userInteractionCount": 1234},
                "interactionStatistic": [{"@type": "InteractionCounter", "interactionType": {"@type": "FollowAction"}, "userInteractionCount": 5}]}}
        </script>"##,
    );
    let user = &records.users[0];
    assert_eq!(
        (user.name.as_str(), user.url.as_deref(), user.posts),
        ("ann", Some("https://e.example/u/ann"), Some(1234))
    );
    assert_eq!(
        (user.joined.as_deref(), records.users.len(), records.posts.len()),
        (Some("2015-02-03T04:05:06Z"), 1, 0)
    );
    let records = read("<a class='h-card' href=/u/ann><img alt=Ann></a>");
    assert_eq!(
        (records.users[0].name.as_str(), records.users[0].url.as_deref()),
        ("Ann", Some("https://e.example/u/ann"))
    );
    let records = read("<meta property=og:type content=profile><meta property=profile:username content=ann>");
    assert_eq!(records.users[0].name, "ann");
}

#[test]
fn an_article_of_open_graph_is_a_thread() {
    let records = read(
        "<meta property=og:type content=article><meta property=og:title content=Lens><meta property=og:url content='/t/lens'>\
         <meta property=article:tag content=a><meta property=article:tag content=b><p>x",
    );
    let thread = records.thread.unwrap();
    assert_eq!((thread.title.as_deref(), thread.tags.len(), records.posts.len()), (Some("Lens"), 2, 0));
    assert_eq!(
        read("<meta property=og:type content=website><meta property=og:title content=Lens>"),
        PageRecords::default()
    );
}

#[test]
fn lists_of_posts_are_no_thread_and_lists_of_threads_no_posts() {
    let entry = |number: u32, text: &str| {
        format!(
            "<div class=hentry><h2 class=entry-title><a rel=bookmark href=/p/{number}>Post {number}</a></h2><div class=entry-content>{text}</div></div>"
        )
    };
    let list = read(&format!("<div class=hfeed>{}{}</div>", entry(1, "first text"), entry(2, "second text")));
    assert_eq!(rows(&list), ["/p/1|-|-|-|first text", "/p/2|-|-|-|second text"]);
    assert_eq!((list.thread, list.posts[1].title.as_deref()), (None, Some("Post 2")));
    let thread = list.posts[1].thread.as_ref().unwrap();
    assert_eq!((thread.url.as_deref(), thread.title.as_deref()), (Some("https://e.example/p/2"), Some("Post 2")));
    let threads = read(&format!("{}{}", entry(1, ""), entry(2, "")));
    assert_eq!(threads.posts, []);
}

#[test]
fn two_syntaxes_of_one_page_make_one_post_each() {
    let records = read(
        r##"<div itemscope itemtype="https://schema.org/Question"><h1 itemprop=name>Lens</h1><p itemprop=text>How do I clean a lens?</p>
        <div itemprop=suggestedAnswer itemscope itemtype="https://schema.org/Answer" id=a55><p itemprop=text>Use a soft brush.</p></div></div>
        <script type="application/ld+json">{"@context": "https://schema.org", "@type": "Question", "text": "How do I clean a lens?",
            "author": "ann", "dateCreated": "2020-04-01T10:00:00Z"}</script>"##,
    );
    assert_eq!(rows(&records), ["-|ann|-|2020-04-01T10:00:00Z|How do I clean a lens?", "a55|-|-|-|Use a soft brush."]);
    assert_eq!(parents(&records), [None, Some(0)]);
}

#[test]
fn a_post_that_is_described_as_its_own_first_comment_is_one() {
    let text = "How do I clean the lens of an old camera?";
    let script = |kind: &str| {
        format!(
            r#"<p>{text} Thanks</p><script type="application/ld+json">{{"@context": "https://schema.org", "@type": "{kind}", "text": "{text}",
            "url": "/t/lens", "author": {{"url": "/u/ann"}}, "comment": [{{"@type": "Comment", "url": "/t/lens#c70", "text": "{text}",
            "author": {{"name": "ann", "url": "/u/ann"}}}}, {{"@type": "Comment", "url": "/t/lens#c71", "text": "Thanks"}}]}}</script>"#
        )
    };
    let wanted = format!("c70|ann|https://e.example/u/ann|-|{text}");
    assert_eq!(rows(&read(&script("DiscussionForumPosting"))), [wanted.as_str(), "c71|-|-|-|Thanks"]);
    assert_eq!(read(&script("Comment")).posts.len(), 3);
}

proptest::proptest! {
    /// Whatever markup a page has, it is read in bounded time, without panic, and parents are other posts of the page.
    #[test]
    fn any_markup_is_read(source in "(<(div|a href=/u|time datetime=2020-04-01|meta content=x|p)( (itemscope|itemtype=//schema.org/(Comment|Question|Person)|itemprop=(text|author|comment|url|isPartOf)|itemref='i j'|id=[ij]|typeof=(Comment|Person)|property=(text|comment)|class='(h-entry|hentry|h-card|e-content|p-author|u-url) (h-cite|p-comment)?'))*>|</(div|a|p)>|[a-z ]{0,9}|<script type=application/ld\\+json>(\\[|\\{\"@type\":\"Comment\",\"@id\":\"a\",\"text\":\"t\",\"(comment|parentItem|isPartOf)\":|\\{\"@id\":\"a\"\\}|\\}|\\]|,){0,7}</script>){0,30}") {
        let records = read(&source);
        proptest::prop_assert_eq!(&records, &read(&source));
        for (number, post) in records.posts.iter().enumerate() {
            proptest::prop_assert!((0.0..=1.0).contains(&post.confidence));
            if let Some(ParentRef::Index(index)) = post.parent {
                proptest::prop_assert!(index < records.posts.len() && index != number);
            }
        }
    }
}
