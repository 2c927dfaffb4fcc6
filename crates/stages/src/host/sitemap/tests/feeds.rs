//! RSS and Atom.

use super::*;

#[test]
fn rss_2_names_the_pages_of_its_items() {
    let document = "<?xml version='1.0'?><rss version='2.0' xmlns:atom='a'><channel><title>t</title><link>http://h/</link>\
        <atom:link href='http://h/feed' rel='self'/><image><link>http://h/image</link></image>\
        <item><title>x</title><link> http://h/1?a=1&amp;b </link><guid>http://h/guid</guid><comments>http://h/c</comments></item>\
        <item><guid isPermaLink='true'>http://h/2</guid><atom:link href='http://h/no'/></item>\
        <item><guid isPermaLink='false'>http://h/no</guid></item><item><guid>tag:h,2020:1</guid></item>\
        <item><guid>http://h/no</guid><link><![CDATA[http://h/3]]></link></item><item><link/><guid>http://h/4</guid></item>\
        </channel></rss>";
    assert_eq!(urls(document), ["http://h/1?a=1&b", "http://h/2", "http://h/3", "http://h/4"]);
}

#[test]
fn rss_1_names_the_pages_of_its_items() {
    let document = "<rdf:RDF xmlns:rdf='r' xmlns='http://purl.org/rss/1.0/'><channel rdf:about='x'><link>http://h/</link>\
        <items><rdf:Seq><rdf:li resource='http://h/1'/></rdf:Seq></items></channel>\
        <item rdf:about='http://h/1'><title>x</title><link>http://h/1</link></item><item><link>/2</link></item></rdf:RDF>";
    assert_eq!(urls(document), ["http://h/1", "https://h.example/2"]);
}

#[test]
fn atom_names_the_pages_of_its_entries() {
    let document = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://b.example/x/'><link href='http://h/'/>\
        <link rel='self' href='http://h/feed'/><entry><link rel='edit' href='http://h/no'/><link href='1'/>\
        <link rel='enclosure' href='http://h/no'/></entry><entry><link rel='alternate' type='text/html' href='http://h/2?a&amp;b'></link>\
        <id>http://h/no</id><content type='html'>&lt;a href='http://h/no'></content></entry>\
        <entry><title>without a link</title></entry></feed>";
    assert_eq!(urls(document), ["http://b.example/x/1", "http://h/2?a&b"]);
    let prefixed =
        "<a:feed xmlns:a='x'><a:entry><a:link href='http://h/1'/><link href='http://h/no'/></a:entry></a:feed>";
    assert_eq!(urls(prefixed), ["http://h/1"]);
}

#[test]
fn a_base_holds_in_the_element_that_states_it() {
    let document = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://b.example/x/'>\
        <entry xml:base='y/'><link href='1'/><link xml:base='z/' href='2'/><link href='3'/></entry>\
        <entry><link href='4'/></entry><entry xml:base='http://[bad/'><link href='5'/></entry></feed>";
    let base = "http://b.example/x/";
    assert_eq!(urls(document), ["y/1", "y/z/2", "y/3", "4", "5"].map(|path| format!("{base}{path}")));
    let rss = "<rss><channel><item xml:base='/i/'><link xml:base='l/'>1</link></item><item><link>2</link></item></channel></rss>";
    assert_eq!(urls(rss), ["https://h.example/i/l/1", "https://h.example/maps/2"]);
}

#[test]
fn a_truncated_feed_yields_the_preceding_items() {
    let items = "<rss><channel><item><link>http://h/1</link></item><item><link>http://h/2</link><title>x";
    assert_eq!(urls(items), ["http://h/1", "http://h/2"]);
    assert_eq!(urls("<rss><channel><item><link>http://h/1</link><item><link>http://h/2"), ["http://h/1"]);
}

#[test]
fn a_feed_without_items_is_accepted() {
    for document in ["<rss/>", "<feed></feed>", "<rdf:RDF></rdf:RDF>"] {
        assert_eq!(read(document).unwrap(), SitemapContents::default(), "{document}");
    }
}
