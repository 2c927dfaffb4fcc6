//! Made pages: one for each rule, tag soup, and well-formed documents.

use proptest::prelude::*;

/// Pages that each need one of the rules of tree construction.
pub const PAGES_WITH_RULES: &[&str] = &[
    "",
    "x",
    "<p>a<p>b<div>c",
    "<!doctype html><p>a<table><tr><td>b",
    "<p>a<table><tr><td>b",
    "<table><td>a<td>b<tr><th>c</table>d",
    "<table>lost<tr><a href=x>lost too</a><td>kept</table>",
    "<table><tr><td><table><tr><td>inner</table>outer</table>",
    "<table><caption>a<p>b</caption><col><colgroup><col><tbody>c<tr>d",
    "<table><form><tr><td><input></form>x<form>y</table>",
    "<table><tr><td>a</td></tr></tbody><tr><td>b</table>",
    "<table><thead><tr><th>h<tbody><td>a</tfoot>b</table>",
    "<table><div>a<table>b",
    "<ul><li>a<li>b<ul><li>c</ul>d</ul>e",
    "<dl><dt>a<dd>b<dt>c<div><dd>d</dl>",
    "<select><option>a<option>b<optgroup><option>c</select>d",
    "<select><p>a<select>b<input>c",
    "<a href=1>a<a href=2>b</a>c</a>d",
    "<p><a href=1>a<p>b</a>c",
    "<b><p>a</p>b</b>c",
    "<p><b><i>a</p>b</b>c</i>d",
    "<p><b><b><b><b>x<p>y",
    "<b><table><td>x</table>y",
    "<font color=1><font color=2><p></font></font>x",
    "<form>a<form>b</form>c<form>d",
    "<table><form method=post><tr><td>a<input type=password></table>b<form method=POST>c<a>d<textarea>e</textarea></a>f",
    "<a>a<button>b</button>c</a><select><option>d</select>e<table>f<tr><td>g</table>h",
    "<h1>a<h2>b</h3>c",
    "<button>a<button>b<p>c</button>d</p>e",
    "</p>a</br>b</div>c",
    "a<!-- -->b<!-->c<? ?>d</>e",
    "<title>a<b></title><p>b<title>c</title>d",
    "<script>a</script>b<style>c</style>d<textarea>e<p></textarea>f<xmp><i></xmp>g",
    "<noscript><a href=n><img>a</noscript>b",
    "<head><noscript><link><style></style><img></noscript><title>t</title></head>x",
    "<iframe src=f/><p>a<title>b<p><textarea>c<i>d<!-- e<p>f",
    "<script src=f/><p>a<script><!-- '<script>' </script><p>b<style>c\n<p>d</body>",
    "<iframe src=f><p>a</iframe>b<noembed><p></noembed><noframes>c</noframes>",
    "<frameset><frame src=a><frameset><frame src=b></frameset></frameset>x",
    "<html><head></head><body class=x>a</body>b</html>c<!-- -->d",
    "<head>a<title>b",
    "<template><p>a<a href=b></template>c<template><tr><td>x</template>y",
    "<svg><title>a<p>b</title><a href=s>c</a><desc><b>d</svg>e",
    "<svg><g><p>out</g>x",
    "<svg><style>hidden</style><script>h</script><image><img>",
    "<svg><foreignObject><div>a</div></foreignObject><![CDATA[b]]></svg><![CDATA[c]]>",
    "<math><mi>a<p>b</mi><annotation-xml><svg><a>c</svg></annotation-xml></math>d",
    "<svg/>a<svg><path/>b<circle></svg>c",
    "<ruby>a<rb>b<rt>c<rtc>d<rp>e</ruby>f",
    "<object>a<b>c</object>d<marquee><i>e</marquee>f",
    "<nobr>a<nobr>b</nobr>c",
    "<pre>\na<listing>b<p>c",
    "<image src=x><img>a<image>",
    "<plaintext>a</plaintext><p>b",
    "&nbsp;<p>&nbsp;</p>\u{a0}<p>&#32;&emsp;<p>&nbsp;x",
    "<a class=' x  y\n z ' href=1>t</a><a class=&amp; href='?a=1&amp;b&copy=2'>",
    "<area href=a><map><area class=k href=b>",
    "<body><li>a<p>b<li>c<table><li>d",
    "<p>a<hr>b<p>c<menu>d<main>e<search>f<dialog>g",
    "<em>a<custom-element><em>b</custom-element>c</em>d</em>e",
    "<div><span></div>a</span>b",
    "<a href=1><table><a href=2>x</table>",
    "<a href=1>x<td>y<tr>z",
    "<html class='c1 c2'><body class='c3 c4 c5'>a<div class='c6 c7 c8'><img class='c9 c1'><p class='c2 c3 c2'>b",
    "<title>t</title><html class='c1 c2 c3'>a<table class='c1 c2'><tr class='c3 c4'><td class='c5 c6'>b</table>c",
    "<table><caption class='c1 c2'>a</caption><thead class='c3 c4 c5'><tr><th class='c6 c7'>b</table>",
    "<p><b class='c1 c2'><a class='c3 c4' href=1>a<p>b</a>c</b>d<svg class='c5 c6'><g class='c7 c8'>e",
    "<select class='c1 c2'><option class='c3 c4'>a</select><form class='c5 c6'><textarea class='c7 c8'>b</textarea>",
    "<frameset class='c1 c2 c3'><noframes class='c4 c5'>a</noframes>",
];

/// Any tags in any order.
pub fn tag_soup() -> impl Strategy<Value = String> {
    let names = [
        "a",
        "b",
        "p",
        "div",
        "span",
        "table",
        "tr",
        "td",
        "tbody",
        "ul",
        "li",
        "dl",
        "dd",
        "form",
        "select",
        "option",
        "h1",
        "i",
        "img",
        "br",
        "svg",
        "title",
        "button",
        "object",
        "x-y",
        "caption",
        "template",
        "noscript",
        "foreignobject",
    ];
    let tag = (proptest::sample::select(names.to_vec()), any::<bool>(), 0..4_u8);
    let piece = prop_oneof![
        4 => tag.prop_map(|(name, end, attributes)| match (end, attributes) {
            (true, _) => format!("</{name}>"),
            (_, 0) => format!("<{name} class='k l' href=/1 src=2>"),
            (_, 1) => format!("<{name} href=\"?a&amp;b\">"),
            _ => format!("<{name}>"),
        }),
        2 => proptest::sample::select(vec!["t", " ", "&nbsp;", "<!-- c -->", "< "]).prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Documents in which every element is closed and stands where it may stand.
pub fn well_formed() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z &;<]{1,6}".prop_map(|text| text.replace('&', "&amp;").replace('<', "&lt;")),
        // Long enough to be cut into units.
        proptest::collection::vec("[a-zé]{1,10}", 1..60).prop_map(|words| words.join(" ")),
        "[a-z/?=#&\"' é.:-]{0,12}".prop_map(|url| {
            let url = url.replace('&', "&amp;").replace('"', "&quot;");
            format!("<a class=\"c  {}\" href=\"{url}\">x</a>", url.len() % 3)
        }),
        Just("<img src='i'>".to_owned()),
        Just("<!-- <a href=no> -->".to_owned()),
        Just("<script>'<a href=no>'</script>".to_owned()),
    ];
    let body = leaf.prop_recursive(6, 60, 6, |inner| {
        let names = vec!["div", "section", "ul", "blockquote", "nav", "article"];
        (proptest::sample::select(names), proptest::collection::vec(inner, 0..6)).prop_map(|(name, children)| {
            format!("<{name} class='c{0} c{1}'>{2}</{name}>", children.len(), children.len() % 3, children.concat())
        })
    });
    body.prop_map(|body| format!("<!doctype html><html><head><title>t</title></head><body>{body}</body></html>"))
}
