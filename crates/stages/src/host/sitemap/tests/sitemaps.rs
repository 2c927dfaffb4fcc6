//! The sitemap protocol (sitemaps.org) and common deviations from it.

use super::*;

#[test]
fn a_url_set_yields_its_pages_in_order_without_duplicates() {
    let entries = "<url><loc>http://h/1</loc><lastmod>2005-01-01</lastmod><changefreq>monthly</changefreq></url>\
                   <url>\n  <loc>\n\thttp://h/2 </loc></url><url><priority>0.5</priority><loc>http://h/1</loc></url>\
                   <url><loc>http://h/3</loc></url>";
    let contents = read(set(entries)).unwrap();
    assert_eq!(contents.urls, ["http://h/1", "http://h/2", "http://h/3"]);
    assert_eq!(contents.lastmods, [Some(1_104_623_999), None, None]);
    assert_eq!((contents.sitemaps.len(), contents.dropped, contents.cut), (0, 0, false));
}

#[test]
fn an_index_yields_further_sitemaps() {
    let document = "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>http://h/1.xml.gz</loc>\
                    <lastmod>2004-10-01T18:23:17+00:00</lastmod></sitemap><sitemap><loc>2.xml</loc></sitemap></sitemapindex>";
    let contents = read(document).unwrap();
    assert_eq!(contents.sitemaps, ["http://h/1.xml.gz", "https://h.example/maps/2.xml"]);
    assert!(contents.urls.is_empty());
}

#[test]
fn an_empty_set_is_a_sitemap_without_pages() {
    for document in [set(""), "<urlset/>".to_owned(), "<sitemapindex></sitemapindex>".to_owned(), "<urlset>".to_owned()]
    {
        assert_eq!(read(&document).unwrap(), SitemapContents::default(), "{document}");
    }
}

#[test]
fn any_prefix_and_case_is_accepted() {
    let document = "<sm:urlset xmlns:sm='x'><sm:url><sm:loc>http://h/1</sm:loc></sm:url></sm:urlset>";
    assert_eq!(urls(document), ["http://h/1"]);
    assert_eq!(urls("<urlSet><URL><Loc>http://h/1</LOC></url></urlSet>"), ["http://h/1"]);
}

#[test]
fn entities_and_character_data_are_decoded() {
    let entries = "<url><loc>http://h/?a=1&amp;b=2&#38;c&#x3D;3</loc></url><url><loc><![CDATA[ http://h/?a&b ]]></loc></url>\
                   <url><loc>http://h/<!-- here -->x<![CDATA[y]]>&apos;</loc></url>";
    assert_eq!(urls(set(entries)), ["http://h/?a=1&b=2&c=3", "http://h/?a&b", "http://h/xy'"]);
}

#[test]
fn an_unescaped_ampersand_is_literal() {
    let entries = "<url><loc>http://h/?a=1&b=2&c=3</loc></url><url><loc>http://h/?x&lang;y&</loc></url><url><loc>http://h/z</loc></url>";
    assert_eq!(urls(set(entries)), ["http://h/?a=1&b=2&c=3", "http://h/?x&lang;y&", "http://h/z"]);
}

#[test]
fn alternates_in_other_languages_are_pages() {
    let entries = "<url><loc>http://h/en</loc><xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"http://h/de?a&amp;b\"/>\
                   <xhtml:link href='/fr' hreflang='fr' rel='Alternate'></xhtml:link>\
                   <xhtml:link rel='canonical' href='http://h/no'/><xhtml:link href='http://h/no'/><xhtml:link rel='alternate'/></url>";
    assert_eq!(urls(set(entries)), ["http://h/en", "http://h/de?a&b", "https://h.example/fr"]);
}

#[test]
fn urls_in_extensions_are_not_pages() {
    let entries = "<url><loc>http://h/1</loc><image:image><image:loc>http://h/i.jpg</image:loc><loc>http://h/j.jpg</loc></image:image>\
                   <image:loc>http://h/k.jpg</image:loc><video:video><video:player_loc>http://h/p</video:player_loc>\
                   <video:thumbnail_loc>http://h/t</video:thumbnail_loc></video:video><news:news><news:title>loc</news:title></news:news>\
                   <image xmlns='i'><loc>http://h/l.jpg</loc></image></url>";
    assert_eq!(urls(set(entries)), ["http://h/1"]);
}

#[test]
fn relative_urls_are_resolved_and_absolute_ones_left_as_written() {
    let entries = ["/a", "b?c", "//o/d", "HTTP://H.example:80/%7e/../ü", "?q", "http://h/a b", "http://h/a\n  b"]
        .map(|loc| format!("<url><loc>{loc}</loc></url>"));
    let expected = [
        "https://h.example/a",
        "https://h.example/maps/b?c",
        "https://o/d",
        "HTTP://H.example:80/%7e/../ü",
        "https://h.example/maps/sitemap.xml?q",
        "http://h/a%20b",
        "http://h/a%20%20b",
    ];
    assert_eq!(urls(set(&entries.concat())), expected);
}

#[test]
fn entries_without_a_usable_url_are_counted() {
    let entries = ["", " ", "mailto:a@b", "javascript:x", "http://", "ftp://h/x", "http://h/ok"];
    let contents = read(set(&entries.map(|loc| format!("<url><loc>{loc}</loc></url>")).concat())).unwrap();
    assert_eq!((contents.urls.as_slice(), contents.dropped), (&["http://h/ok".to_owned()][..], 6));
    let without_base = parse(set("<url><loc>/x</loc></url>").as_bytes(), "", None, limits()).unwrap();
    assert_eq!((without_base.urls.len(), without_base.dropped), (0, 1));
}

#[test]
fn a_list_has_one_url_per_line() {
    let contents =
        read("\u{feff}http://h/1\r\nhttps://h/2?a&b  \n\n# comment\nhttp://h/1\rnot a url\n/relative\nhttp://h/3")
            .unwrap();
    assert_eq!(contents.urls, ["http://h/1", "https://h/2?a&b", "http://h/3"]);
    assert_eq!(contents.dropped, 3);
}

#[test]
fn other_documents_are_an_error() {
    for page in [
        "<!DOCTYPE html><title>x</title>",
        "<!doctype HTML PUBLIC 'x'>",
        " \n<html><urlset>",
        "<!-- x --><HTML lang=de>",
        "<?xml version='1.0'?><html xmlns='x'>",
    ] {
        assert_eq!(read(page), Err(SitemapError::Html), "{page}");
    }
    for other in [
        "",
        " \n",
        "Not found",
        "<",
        "<p>text",
        "<svg><url/></svg>",
        "{\"urls\": [\"http://h/\"]}",
        "\0\u{1}",
        "<?xml version='1.0'?>",
    ] {
        assert_eq!(read(other), Err(SitemapError::NotASitemap), "{other}");
    }
}

#[test]
fn text_before_the_markup_is_skipped() {
    for first in ["\n\n", "\u{feff}\u{feff} ", "Warning: x in y on line 3\n"] {
        assert_eq!(urls(format!("{first}{}", set("<url><loc>http://h/1</loc></url>"))), ["http://h/1"], "{first:?}");
    }
}

#[test]
fn a_truncated_document_yields_what_precedes() {
    let whole = set("<url><loc>http://h/1</loc></url><url><loc>http://h/2</loc></url>");
    let second = whole.find("http://h/2").unwrap();
    for end in [second - 3, second + 3, second + "http://h/2".len(), second + "http://h/2</lo".len()] {
        let contents = read(&whole[..end]).unwrap();
        assert_eq!(contents.urls, ["http://h/1"], "truncated URLs are not returned: {}", &whole[..end]);
    }
    assert!(read(&whole[..second - 3]).unwrap().cut, "in the middle of a tag");
    assert_eq!(urls(&whole[..second + "http://h/2</loc>".len()]).len(), 2);
}

#[test]
fn missing_and_unmatched_end_tags_lose_no_page() {
    for entries in [
        "<url><loc>http://h/1</url><url><loc>http://h/2</loc></url>",
        "<url><loc>http://h/1</loc><url><loc>http://h/2</loc>",
        "<url><loc>http://h/1</loc></b></url></c><url><b><loc>no</loc></b><loc>http://h/2</loc></url>",
        "<url><loc>http://h/1</loc></url></url><url a=1 b><loc c>http://h/2</loc></url>",
    ] {
        assert_eq!(urls(set(entries)), ["http://h/1", "http://h/2"], "{entries}");
    }
}

#[test]
fn a_set_within_another_element_and_bare_entries_are_accepted() {
    assert_eq!(urls("<response><urlset><url><loc>http://h/1</loc></url></urlset></response>"), ["http://h/1"]);
    assert_eq!(urls("<url><loc>http://h/1</loc></url><url><loc>http://h/2</loc></url>"), ["http://h/1", "http://h/2"]);
}

#[test]
fn the_lastmod_of_an_entry_belongs_to_all_its_pages_wherever_it_stands() {
    let entries = "<url><lastmod>1970-01-01T00:00:07Z</lastmod><loc>http://h/1</loc>\
                   <xhtml:link rel='alternate' href='http://h/1/de'/></url>\
                   <url><loc>http://h/2</loc><news:lastmod>1970-01-01T00:00:08Z</news:lastmod><lastmod>today</lastmod></url>\
                   <url><loc>http://h/1</loc><lastmod>1970-01-01T00:00:09Z</lastmod>\
                   <url><loc>http://h/3</loc><lastmod>1970-01-01T00:00:10Z</lastmod>";
    let contents = read(set(entries)).unwrap();
    assert_eq!(contents.urls, ["http://h/1", "http://h/1/de", "http://h/2", "http://h/3"]);
    assert_eq!(contents.lastmods, [Some(7), Some(7), None, Some(10)]);
}
