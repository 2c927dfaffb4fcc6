//! A site model as text, and as a graph: clusters, with an edge for each link class that leads from one to another.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use harvestman_core::model::{ClusterId, RenderingSummary};
use harvestman_policy::learned::{ClusterFacts, Destination, Facts, KindFacts, LinkFacts};
use harvestman_report::{render_class_facts, rendering_line};

pub use harvestman_report::sections::page_types::{name, standing};

/// Formats the whole site, with at most `classes_max` link classes per cluster.
pub fn of(facts: &Facts, classes_max: usize) -> String {
    let mut text = format!("{}\n{} pages\n", facts.hosts.join("\n"), facts.pages);
    for cluster in &facts.clusters {
        text.push('\n');
        text.push_str(&of_cluster(cluster, classes_max));
    }
    text.extend(facts.kinds.iter().map(of_kind));
    text
}

/// Formats what is known of rendering.
pub fn of_rendering(known: &RenderingSummary) -> String {
    let mut text = format!("rendering: {}\n", rendering_line(known));
    for class in &known.classes {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "\n{}\n  class    {}", class.example, class.class);
        for (name, value) in render_class_facts(class) {
            let _ = writeln!(text, "  {name:<8} {value}");
        }
    }
    match known.known.saturating_sub(known.classes.len() as u64) {
        0 => {}
        1 => text.push_str("\n1 smaller class is not shown\n"),
        more => drop(writeln!(text, "\n{more} smaller classes are not shown")),
    }
    text
}

/// Returns the name of a page type of a cluster graph.
pub fn kind_name(kind: ClusterId) -> String {
    format!("page type {}", kind.0)
}

fn of_kind(kind: &KindFacts) -> String {
    let KindFacts { urls, links_in, .. } = kind;
    let (name, standing) = (kind_name(kind.kind), standing(kind.standing));
    let mut text = format!("\n{name}: {standing}; {urls} addresses, {links_in} links to them\n");
    text.extend(kind.pattern.iter().map(|pattern| format!("  pattern  {pattern}\n")));
    text.extend(kind.example.iter().map(|example| format!("  page     {example}\n")));
    if !kind.leads_to.is_empty() {
        let to: Vec<String> = kind.leads_to.iter().map(|to| to.0.to_string()).collect();
        let _ = writeln!(text, "  leads to {}", to.join(", "));
    }
    text
}

fn of_cluster(cluster: &ClusterFacts, classes_max: usize) -> String {
    let ClusterFacts { pages, worth, links, .. } = cluster;
    let mut text = format!("{}: {pages} pages, worth {worth:.2}, {links} new links\n", name(cluster.cluster));
    let title = cluster.title.iter().map(|title| format!("  title    {title}\n"));
    text.extend(title);
    text.extend(cluster.examples.iter().map(|example| format!("  page     {example}\n")));
    cluster.classes.iter().take(classes_max).for_each(|class| push_class(&mut text, class));
    text
}

fn push_class(text: &mut String, class: &LinkFacts) {
    let place = class.apath_text.clone().unwrap_or_else(|| format!("#{:016x}", class.apath.0));
    let share = 100.0 * class.share;
    let pattern = &class.pattern;
    // Writing to a text cannot fail.
    let _ = writeln!(text, "  {share:4.0} %   {pattern}  at {place}");
    if !class.leads_to.is_empty() {
        let destinations: Vec<String> = class.leads_to.iter().map(destination).collect();
        let _ = writeln!(text, "           to {}", destinations.join(", "));
    }
}

fn destination(destination: &Destination) -> String {
    let name = destination.cluster.map_or_else(|| "no page".to_owned(), name);
    format!("{name} ({})", destination.fetches)
}

struct Edge<'a> {
    from: ClusterId,
    to: ClusterId,
    class: &'a LinkFacts,
    fetches: u64,
}

/// Returns the edges between clusters of the model; some destinations may be missing in it.
fn edges(facts: &Facts) -> impl Iterator<Item = Edge<'_>> {
    let known: BTreeSet<ClusterId> = facts.clusters.iter().map(|cluster| cluster.cluster).collect();
    let classes = facts.clusters.iter().flat_map(|cluster| cluster.classes.iter().map(move |class| (cluster, class)));
    let edges = classes.flat_map(|(cluster, class)| {
        class.leads_to.iter().filter_map(move |destination| {
            let to = destination.cluster?;
            Some(Edge { from: cluster.cluster, to, class, fetches: destination.fetches })
        })
    });
    edges.filter(move |edge| known.contains(&edge.to))
}

/// Returns the edges between page types.
fn kind_edges(facts: &Facts) -> impl Iterator<Item = (ClusterId, ClusterId)> {
    let known: BTreeSet<ClusterId> = facts.kinds.iter().map(|kind| kind.kind).collect();
    let edges = facts.kinds.iter().flat_map(|kind| kind.leads_to.iter().map(|to| (kind.kind, *to)));
    edges.filter(move |(_, to)| known.contains(to))
}

fn label(cluster: &ClusterFacts) -> String {
    let title = cluster.title.as_deref().unwrap_or_default();
    let example = cluster.examples.first().map(String::as_str).unwrap_or_default();
    format!("{}: {} pages\n{title}\n{example}", name(cluster.cluster), cluster.pages)
}

fn kind_label(kind: &KindFacts) -> String {
    let (name, standing) = (kind_name(kind.kind), standing(kind.standing));
    let pattern = kind.pattern.as_deref().unwrap_or_default();
    format!("{name}: {standing}\n{pattern}\n{}", kind.example.as_deref().unwrap_or_default())
}

/// Formats the graph for Graphviz.
pub fn dot(facts: &Facts) -> String {
    let quoted = |text: &str| without_control(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let mut dot = String::from("digraph site {\n  node [shape=box];\n");
    // Writing to a string cannot fail.
    for cluster in &facts.clusters {
        let (number, pages, worth) = (cluster.cluster.0, cluster.pages, cluster.worth);
        let label = quoted(&label(cluster));
        let _ = writeln!(dot, "  c{number} [label=\"{label}\", pages={pages}, worth={worth}];");
    }
    for Edge { from, to, class, fetches } in edges(facts) {
        let (label, share) = (quoted(&class.pattern), class.share);
        let _ = writeln!(dot, "  c{} -> c{} [label=\"{label}\", weight={fetches}, share={share}];", from.0, to.0);
    }
    for kind in &facts.kinds {
        let label = quoted(&kind_label(kind));
        let _ =
            writeln!(dot, "  k{} [label=\"{label}\", urls={}, links_in={}];", kind.kind.0, kind.urls, kind.links_in);
    }
    for (from, to) in kind_edges(facts) {
        let _ = writeln!(dot, "  k{} -> k{};", from.0, to.0);
    }
    dot + "}\n"
}

/// The attributes of nodes and edges: key, element, type.
const KEYS: [(&str, &str, &str); 15] = [
    ("label", "all", "string"),
    ("cluster", "node", "long"),
    ("pages", "node", "long"),
    ("worth", "node", "double"),
    ("title", "node", "string"),
    ("example", "node", "string"),
    ("links", "node", "long"),
    ("standing", "node", "string"),
    ("pattern", "all", "string"),
    ("urls", "node", "long"),
    ("links_in", "node", "long"),
    ("weight", "edge", "long"),
    ("share", "edge", "double"),
    ("place", "edge", "string"),
    ("place_text", "edge", "string"),
];

/// Formats the graph as GraphML, for graph editors and libraries: directed, every value with its type. Link classes
/// between the same clusters are separate edges.
pub fn graphml(facts: &Facts) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (key, of, kind) in KEYS {
        let _ = writeln!(xml, "  <key id=\"{key}\" for=\"{of}\" attr.name=\"{key}\" attr.type=\"{kind}\"/>");
    }
    xml.push_str("  <graph id=\"site\" edgedefault=\"directed\">\n");
    for cluster in &facts.clusters {
        let _ = writeln!(xml, "    <node id=\"c{}\">{}</node>", cluster.cluster.0, cluster_data(cluster));
    }
    for kind in &facts.kinds {
        let _ = writeln!(xml, "    <node id=\"k{}\">{}</node>", kind.kind.0, kind_data(kind));
    }
    let clusters = edges(facts).map(|edge| (('c', edge.from, edge.to), of_edge(&edge)));
    let kinds = kind_edges(facts).map(|(from, to)| (('k', from, to), String::new()));
    for (number, ((of, from, to), attributes)) in clusters.chain(kinds).enumerate() {
        let (from, to) = (from.0, to.0);
        let _ =
            writeln!(xml, "    <edge id=\"e{number}\" source=\"{of}{from}\" target=\"{of}{to}\">{attributes}</edge>");
    }
    xml + "  </graph>\n</graphml>\n"
}

fn cluster_data(cluster: &ClusterFacts) -> String {
    let known = [
        data("label", label(cluster)),
        data("cluster", cluster.cluster.0),
        data("pages", cluster.pages),
        data("worth", cluster.worth),
        data("links", cluster.links),
    ];
    let title = cluster.title.as_ref().map(|title| data("title", title));
    let example = cluster.examples.first().map(|example| data("example", example));
    known.into_iter().chain(title).chain(example).collect()
}

fn kind_data(kind: &KindFacts) -> String {
    let known = [
        data("label", kind_label(kind)),
        data("cluster", kind.kind.0),
        data("standing", standing(kind.standing)),
        data("urls", kind.urls),
        data("links_in", kind.links_in),
    ];
    let pattern = kind.pattern.as_ref().map(|pattern| data("pattern", pattern));
    let example = kind.example.as_ref().map(|example| data("example", example));
    known.into_iter().chain(pattern).chain(example).collect()
}

fn of_edge(edge: &Edge<'_>) -> String {
    let LinkFacts { apath, apath_text, pattern, share, .. } = edge.class;
    let place = format!("{:016x}", apath.0);
    let known = [
        data("label", pattern),
        data("pattern", pattern),
        data("weight", edge.fetches),
        data("share", share),
        data("place", place),
    ];
    known.into_iter().chain(apath_text.as_ref().map(|text| data("place_text", text))).collect()
}

fn data(key: &str, value: impl std::fmt::Display) -> String {
    format!("<data key=\"{key}\">{}</data>", escaped(&value.to_string()))
}

fn without_control(text: &str) -> String {
    text.chars().filter(|c| (!c.is_control() || *c == '\n') && !matches!(c, '\u{fffe}' | '\u{ffff}')).collect()
}

/// Escapes text for XML. Control characters, U+FFFE and U+FFFF cannot be represented and are removed.
pub fn escaped(text: &str) -> String {
    without_control(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
