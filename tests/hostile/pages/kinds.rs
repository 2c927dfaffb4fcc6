//! The kinds of hostile pages.

use super::make::Kind;

/// A kind: its name, and its four parts.
const fn kind(name: &'static str, [head, first, second, tail]: [&'static str; 4]) -> Kind {
    Kind { name, head, first, second, tail }
}

/// All kinds.
pub const KINDS: [&[Kind]; 4] = [&TAGS, &NESTING, &TEXTS, &RECORDS];

/// Attributes and tags.
const TAGS: [Kind; 20] = [
    kind("attributes", ["<title>t</title><p>x<div ", "a$n ", "", ">x</div>"]),
    kind("attributes with values", ["<p>x<div ", "a$n='$w' ", "", ">x</div>"]),
    kind("repeated attributes", ["<p>x<div ", "a=1 ", "", ">x</div>"]),
    kind("many attributes of many tags", ["", "<p $Az='$d'>$w</p>", "", ""]),
    kind("attributes of an end tag", ["<p>x</p ", "a$n ", "", ">y"]),
    kind("a tag without end", ["<p>x<a href=/1>y</a><p ", "a$n=\"$w\" ", "", ""]),
    kind("quotes without end", ["", "<p title='$w>$w</p><a href=\"/$n>", "", ""]),
    kind("attributes of the root", ["<html>", "<html a$n><body b$n>", "", "<p>x"]),
    kind("classes of one element", ["<div class='", "c$l ", "", "'><p>x</div>"]),
    kind("classes of many elements", ["", "<div class='a$l b$l c$l d$l e'>$w</div>", "", ""]),
    kind("identifiers", ["", "<p id=p$n><a name=n$n href=#p$n>$w</a>", "", ""]),
    kind("a long address", ["<p><a href='/", "$w/../", "", "'>x</a><p>y"]),
    kind("a long value", ["<p title='", "$w &amp; ", "", "'>x"]),
    kind("styles", ["<style>", "p.c$n > a:hover { color: red }", "", "</style><p>x"]),
    kind("styles of elements", ["", "<p style='display: none; margin-left: $npx; $w: $w'>$w</p>", "", ""]),
    kind("sets of sources", ["<img srcset='", "/i$n.png $nw, ", "", "'>"]),
    kind("a long name", ["<p>x<", "$w-", "", ">y"]),
    kind("end tags", ["<p>x", "</p></b></div></td>", "", ""]),
    kind("self-closing tags", ["", "<div/><b/><p/>$w<br/>", "", ""]),
    kind("opening brackets", ["<p>", "<", "", "p>x"]),
];

/// Nesting, right and wrong.
const NESTING: [Kind; 20] = [
    kind("blocks", ["", "<div>", "</div>", "x"]),
    kind("blocks without end", ["", "<div class=c$n>$w", "", ""]),
    kind("paragraphs in blocks", ["", "<div><p>$w", "</div>", ""]),
    kind("inline elements", ["", "<span>", "</span>", "x"]),
    kind("formatting without end", ["", "<b><i c=$n><p>$w", "", ""]),
    kind("formatting in paragraphs", ["", "<p><b a=$n>$w</p>", "", ""]),
    kind("formatting with many attributes", ["", "<b $Ac=$n><p>$w", "", ""]),
    kind("misnested formatting", ["", "<b><i><u><p>$w</b></i></u>", "", ""]),
    kind("misnested links", ["", "<a href=/$n><div>$w<a href=/x$n>", "</div></a>", ""]),
    kind("tables", ["", "<table><tr><td>", "</table>", "x"]),
    kind("what may not be in tables", ["<table>", "$w<b>x<tr><p>$w", "", "</table>"]),
    kind("spans of cells", ["<table>", "<tr><td rowspan=99999 colspan=99999>$w<th>$w", "", "</table>"]),
    kind("lists", ["", "<ul><li>$w", "</ul>", ""]),
    kind("quotes", ["", "<blockquote>$w", "</blockquote>", "x"]),
    kind("drawings", ["", "<svg><g><foreignObject>", "</foreignObject></g></svg>", "x"]),
    kind("formulas", ["", "<math><mi><p>", "</math>", "x"]),
    kind("templates", ["", "<template><p>$w", "</template>", ""]),
    kind("fields of forms", ["<form action=/s><input name=q>", "<select><option>$w<optgroup><button>", "", "</form>"]),
    kind("framesets", ["<frameset>", "<frame src=/$n><frameset>", "</frameset>", ""]),
    kind("no scripts", ["", "<noscript><p>$s", "</noscript>", ""]),
];

/// Texts, links, heads, forms, scripts.
const TEXTS: [Kind; 29] = [
    kind("a text without blanks", ["<p>", "$w", "", ""]),
    kind("a long text", ["<p>", "$s", "", ""]),
    kind("short texts", ["", "$w<br>", "", ""]),
    kind("entities", ["<p>", "&am&notit;&#x1F600;&#99999999;&lt", "", ""]),
    kind("comments", ["<p>x", "<!-- $w --!><!---><!-- -- -->", "", "y"]),
    kind("comments without end", ["<p>x", "<!-- $w<!-- -", "", ""]),
    kind("document types", ["", "<!doctype html PUBLIC '$w'>", "", "<p>x"]),
    kind("sections of characters", ["<svg>", "<![CDATA[$w]]><![CDATA[ ]", "", "</svg>"]),
    kind("a text area without end", ["<p>x<textarea>", "$w</textare><p>", "", ""]),
    kind("titles without end", ["", "<title>$w", "", ""]),
    kind("scripts", ["<p>x", "<script>var a$n = '<!--<script>$w';</script>", "", ""]),
    kind("a script without end", ["<p>x<script>", "<!-- <script> $w '/api/$n' ", "", ""]),
    kind("addresses in scripts", ["<p>x<script>", "fetch('/api/$w/$n?a=\"$w\"');", "", "</script>"]),
    kind("bases", ["<base href=/a/b/c/>", "<base href=/$w/><a href=../../$w?$n#x>$w</a>", "", ""]),
    kind("links", ["", "<a href=/topic/$n?page=$m>$w $w</a> ", "", ""]),
    kind("links of one class", ["", "<div class=r><a class=l rel='next author' href=/u/$m/$n>$w</a></div>", "", ""]),
    kind("elements of the head", ["<head>", "<meta name=author content='$w'><link rel=next href=/$n>", "", "<p>x"]),
    kind("statements for robots", ["<head>", "<meta name=robots content='noai, $w: $n, noindex'>", "", "<p>x"]),
    kind("a long statement for robots", ["<head><meta name=robots content='", "$w: $d, ", "", "'><p>x"]),
    kind("graphs", ["<head>", "<meta property=og:$w content='$s'><meta property=article:author content=$n>", "", ""]),
    kind("forms", ["", "<form id=f$n action=/s$n><input name=q type=search><input type=password></form>", "", ""]),
    kind("a form", ["<form action=/login method=post>", "<input name=i$n value=$w><label for=i$n>", "", "</form>"]),
    kind("fields elsewhere", ["<form id=f></form>", "<input form=f$n name=$w><table><form><tr><td><input>", "", ""]),
    kind("options", ["<form><select name=s>", "<option value=$n>$w", "", "</select></form>"]),
    kind("frames", ["<p>x", "<iframe src=/f$n></iframe><object data=/o$n></object>", "", ""]),
    kind("feeds", ["<head>", "<link rel=alternate type=application/rss+xml href=/f$n title='$w'>", "", "<p>x"]),
    kind("lines of quotes", ["<pre>", "> $s\n", "", "</pre>"]),
    kind("blank lines", ["<p>x", " \n\t&nbsp;<p> </p>", "", "y"]),
    kind(
        "words of log-ins",
        ["", "<a href=/logout?token=a1b2c3d4e5f$n>Log out</a><input type=hidden value=t0ken$n12345>", "", ""],
    ),
];

/// What posts are found by: dates, repeated elements, markup for machines.
const RECORDS: [Kind; 30] = [
    kind(
        "posts",
        [
            "<div id=list>",
            "<div class=post id=p$n><a class=author href=/u/$m>u$m</a> <time>$d</time><p>$s</div>",
            "",
            "</div>",
        ],
    ),
    kind(
        "posts of one class each",
        ["", "<div class=c$l><b class=b$l>$w</b> <time class=t$l>$d</time><p>$s</div>", "", ""],
    ),
    kind(
        "dates of one class each, twice",
        ["", "<div class=a><i class=c$l>$d</i><p>$w</div>", "<div class=a><i class=c$l>$d</i><p>$w</div>", ""],
    ),
    kind("nested replies", ["", "<div class=reply><b>u$m</b> <time>$d</time><p>$w", "</div>", ""]),
    kind(
        "nested replies, some deep",
        [
            "",
            "<div class=reply><b>u$m</b> <time>$d</time><p>$w<ul><li>$d</ul></div><div class='r$m reply'>",
            "</div>",
            "",
        ],
    ),
    kind(
        "replies with depths",
        ["", "<div class='depth-$m' style='margin-left:$mpx'><b>u$m</b> $d<p>$s</div>", "", ""],
    ),
    kind("replies to links", ["", "<div id=p$n><a href=/u/$m>u$m</a> $d <a href=#p$m>reply</a><p>$s</div>", "", ""]),
    kind(
        "quotes of posts",
        ["", "<div><b>u$m</b> $d<blockquote><cite>u$n wrote:</cite>$w</blockquote><p>$s</div>", "", ""],
    ),
    kind(
        "comments on answers",
        [
            "",
            "<div class=answer><b>u$m</b> <i>$d</i><p>$s<ul><li class=c><b>u$n</b> <u>$d</u> $s<li class=c><b>u$m</b> <u>$d</u> $s</ul></div>",
            "",
            "",
        ],
    ),
    kind("authors", ["", "<div><span class=author>$w $w</span><span class=user>u$n</span> $d</div>", "", ""]),
    kind("links to authors", ["", "<p>$d <a rel=author href=/u/$n>All posts of u$n</a> By u$n, $d</p>", "", ""]),
    kind("dates", ["", "<i>$d</i> ", "", ""]),
    kind("dates in attributes", ["", "<time datetime=$dT10:00 title='$d' data-time=12345$n>$w</time>", "", ""]),
    kind("dates in a line", ["<p>", "$d ", "", ""]),
    kind("dates that were changed", ["", "<p><b>$d</b> edited <b>$d</b> updated <b>$d</b>", "", ""]),
    kind("numbers that may be dates", ["", "<p>$m/$m/20$m $m:$m ago $n days yesterday", "", ""]),
    kind("tables of posts", ["<table>", "<tr><td>Author: u$m<td>Date: $d<td>$s", "", "</table>"]),
    kind("labels", ["", "<dl><dt>From:<dd>u$m<dt>Date:<dd>$d</dl><p><b>Subject:</b> $s", "", ""]),
    kind(
        "links to more",
        ["", "<div><h3><a href=/t/$n>$w</a></h3> $d <p>$s… <a href=/t/$n>read more</a></div>", "", ""],
    ),
    kind(
        "microdata",
        [
            "",
            "<div itemscope itemtype=https://schema.org/Comment><b itemprop=author>u$m</b><time itemprop=datePublished>$d</time><p itemprop=text>$s</div>",
            "",
            "",
        ],
    ),
    kind(
        "deep microdata",
        ["", "<div itemprop='text comment' itemscope itemtype=https://schema.org/Comment>$w", "</div>", ""],
    ),
    kind(
        "properties of one item",
        [
            "<div itemscope itemtype=https://schema.org/Question>",
            "<b itemprop=text>$w</b><i itemprop='author keywords'>u$n</i>",
            "",
            "</div>",
        ],
    ),
    kind(
        "references of items",
        [
            "",
            "<div itemscope itemref='r$n r$m r0 r1 r2' itemtype=https://schema.org/Answer></div><p id=r$n itemprop=text>$w",
            "",
            "",
        ],
    ),
    kind(
        "linked data",
        [
            "<script type=application/ld+json>[",
            "{\"@type\":\"Comment\",\"@id\":\"#c$n\",\"parentItem\":\"#c$m\",\"text\":\"$s\",\"author\":{\"name\":\"u$m\"}},",
            "",
            "{}]</script><p>x",
        ],
    ),
    kind(
        "deep linked data",
        ["<script type=application/ld+json>", "{\"@type\":\"Comment\",\"comment\":[", "]}", "</script><p>x"],
    ),
    kind(
        "scripts of linked data",
        [
            "",
            "<script type=application/ld+json>{\"@type\":\"Article\",\"@id\":\"#$n\",\"articleBody\":\"<p>$s\"}</script>",
            "",
            "<p>x",
        ],
    ),
    kind(
        "entries of microformats",
        [
            "",
            "<div class='h-entry e-content'><a class='p-author h-card' href=/$m>u$m</a><b class=dt-published>$d</b>",
            "</div>",
            "",
        ],
    ),
    kind(
        "resources",
        [
            "<div vocab=https://schema.org/>",
            "<div typeof=Comment resource=#r$n property=comment><b property=author>u$m</b><p property=text>$s",
            "</div>",
            "</div>",
        ],
    ),
    kind(
        "replies of one class each",
        ["", "<div class=c$l><i class=t$l>$d</i> <b>u$m</b> $s<div class=r$l><i>$d</i> $s</div></div>", "", ""],
    ),
    kind("headings", ["", "<h1>$w</h1><h2><a href=/$n>$s</a></h2>$d", "", ""]),
];
