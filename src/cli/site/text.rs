//! A site model as text.

use std::fmt::Write as _;

use harvestman_core::model::{ClusterId, RenderingSummary};
use harvestman_policy::learned::{ClusterFacts, Destination, Facts, KindFacts, LinkFacts};
pub use harvestman_report::document::site::{name, standing};
use harvestman_report::{render_class_facts, rendering_line};

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
