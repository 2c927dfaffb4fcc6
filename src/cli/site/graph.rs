//! A site as a graph: of clusters with an edge for each link class that led to one, as heavy as fetches followed it; of the kinds of a
//! cluster graph with the edges that were kept.

use std::fmt::Write as _;

use super::text::{kind_name, name, standing};
use crate::page::ClusterId;
use crate::policy::learned::{ClusterFacts, Facts, KindFacts};

struct Edge<'a> {
    from: ClusterId,
    to: ClusterId,
    pattern: &'a str,
    fetches: u64,
}

fn edges(facts: &Facts) -> impl Iterator<Item = Edge<'_>> {
    let classes = facts.clusters.iter().flat_map(|cluster| cluster.classes.iter().map(move |class| (cluster, class)));
    classes.flat_map(|(cluster, class)| {
        class.leads_to.iter().filter_map(move |destination| {
            let to = destination.cluster?;
            Some(Edge { from: cluster.cluster, to, pattern: &class.pattern, fetches: destination.fetches })
        })
    })
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

/// For Graphviz.
pub fn dot(facts: &Facts) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let mut dot = String::from("digraph site {\n  node [shape=box];\n");
    // Writing to a text cannot fail.
    for cluster in &facts.clusters {
        let _ = writeln!(dot, "  c{} [label=\"{}\"];", cluster.cluster.0, quoted(&label(cluster)));
    }
    for Edge { from, to, pattern, fetches } in edges(facts) {
        let _ = writeln!(dot, "  c{} -> c{} [label=\"{}\", weight={fetches}];", from.0, to.0, quoted(pattern));
    }
    for kind in &facts.kinds {
        let from = kind.kind.0;
        let _ = writeln!(dot, "  k{from} [label=\"{}\"];", quoted(&kind_label(kind)));
        for to in &kind.leads_to {
            let _ = writeln!(dot, "  k{from} -> k{};", to.0);
        }
    }
    dot + "}\n"
}

/// For graph editors.
pub fn graphml(facts: &Facts) -> String {
    const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="all" attr.name="label" attr.type="string"/>
  <key id="pages" for="node" attr.name="pages" attr.type="long"/>
  <key id="worth" for="node" attr.name="worth" attr.type="double"/>
  <key id="weight" for="edge" attr.name="weight" attr.type="long"/>
  <graph id="site" edgedefault="directed">
"#;
    let mut xml = String::from(HEAD);
    let data = |key: &str, value: &str| format!("<data key=\"{key}\">{}</data>", escaped(value));
    for cluster in &facts.clusters {
        let told = data("label", &label(cluster))
            + &data("pages", &cluster.pages.to_string())
            + &data("worth", &cluster.worth.to_string());
        let _ = writeln!(xml, "    <node id=\"c{}\">{told}</node>", cluster.cluster.0);
    }
    for Edge { from, to, pattern, fetches } in edges(facts) {
        let told = data("label", pattern) + &data("weight", &fetches.to_string());
        let _ = writeln!(xml, "    <edge source=\"c{}\" target=\"c{}\">{told}</edge>", from.0, to.0);
    }
    for kind in &facts.kinds {
        let (from, told) = (kind.kind.0, data("label", &kind_label(kind)));
        let _ = writeln!(xml, "    <node id=\"k{from}\">{told}</node>");
    }
    for (from, to) in facts.kinds.iter().flat_map(|kind| kind.leads_to.iter().map(|to| (kind.kind.0, to.0))) {
        let _ = writeln!(xml, "    <edge source=\"k{from}\" target=\"k{to}\"/>");
    }
    xml + "  </graph>\n</graphml>\n"
}

/// A text in XML. Control characters cannot stand there in any spelling.
fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() || *c == '\n').collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
