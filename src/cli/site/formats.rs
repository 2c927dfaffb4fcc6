//! A site model as text, and as a graph: clusters, with an edge for each link class that leads from one to another.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use harvestman_core::model::{ClusterId, RenderingSummary};
use harvestman_policy::learned::{ClusterFacts, Destination, Facts, LinkFacts};
use harvestman_report::{render_class_facts, rendering_line};

pub use harvestman_report::sections::page_types::name;

/// Formats the whole site, with at most `classes_max` link classes per cluster.
pub fn of(facts: &Facts, classes_max: usize) -> String {
    let mut text = format!("{}\n{} pages\n", facts.hosts.join("\n"), facts.pages);
    for cluster in &facts.clusters {
        text.push('\n');
        text.push_str(&of_cluster(cluster, classes_max));
    }
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
    let refused = if class.refused { "  refused" } else { "" };
    let _ = writeln!(text, "  {share:4.0} %   {pattern}  at {place}{refused}");
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

fn label(cluster: &ClusterFacts) -> String {
    let title = cluster.title.as_deref().unwrap_or_default();
    let example = cluster.examples.first().map(String::as_str).unwrap_or_default();
    format!("{}: {} pages\n{title}\n{example}", name(cluster.cluster), cluster.pages)
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
    dot + "}\n"
}

/// The attributes of nodes and edges: key, element, type.
const KEYS: [(&str, &str, &str); 13] = [
    ("label", "all", "string"),
    ("cluster", "node", "long"),
    ("pages", "node", "long"),
    ("worth", "node", "double"),
    ("title", "node", "string"),
    ("example", "node", "string"),
    ("links", "node", "long"),
    ("pattern", "edge", "string"),
    ("refused", "edge", "boolean"),
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
    for (number, edge) in edges(facts).enumerate() {
        let (from, to, attributes) = (edge.from.0, edge.to.0, of_edge(&edge));
        let _ = writeln!(xml, "    <edge id=\"e{number}\" source=\"c{from}\" target=\"c{to}\">{attributes}</edge>");
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

fn of_edge(edge: &Edge<'_>) -> String {
    let LinkFacts { apath, apath_text, pattern, share, refused, .. } = edge.class;
    let place = format!("{:016x}", apath.0);
    let known = [
        data("label", pattern),
        data("pattern", pattern),
        data("weight", edge.fetches),
        data("share", share),
        data("place", place),
        data("refused", refused),
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
