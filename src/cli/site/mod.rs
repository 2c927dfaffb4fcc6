//! `harvestman inspect site MODEL`: prints a site model.

pub mod formats;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;

use harvestman_core::model::{RENDER_CLASSES_SHOWN, RenderingSummary};
use harvestman_pipeline::{MODEL_FILE, read_rendering};
use harvestman_policy::learned::{Facts, SiteModel};
use harvestman_report::terminal;

/// Show what a crawl learned about a site: its page templates, the links between them, and which pages need a browser.
#[derive(Debug, clap::Args)]
pub struct SiteArgs {
    /// Crawl directory, or site model written by a crawl
    #[arg(value_name = "DIR|MODEL", value_hint = clap::ValueHint::AnyPath)]
    model: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The output format of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Text tables
    Text,
    /// Everything, as JSON
    Json,
    /// Graph of clusters, for Graphviz
    Dot,
    /// Graph of clusters, for graph editors
    Graphml,
}

impl Format {
    /// Returns whether the output is no graph.
    const fn is_list(self) -> bool {
        matches!(self, Self::Text | Self::Json)
    }
}

/// What a crawl learned about a site.
#[derive(Debug, Default, Serialize)]
struct Learned {
    /// The site model.
    #[serde(flatten)]
    facts: Option<Facts>,
    /// Which pages need a browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    rendering: Option<RenderingSummary>,
}

/// Runs the command.
pub fn run(args: &SiteArgs) -> anyhow::Result<()> {
    let rendering = rendering_of(&args.model);
    let facts = match facts_of(&args.model) {
        // Graphs have nothing of rendering.
        Err(_) if rendering.is_some() && !model_file(&args.model).exists() && args.format.is_list() => None,
        facts => Some(facts?),
    };
    // A closed pipe (`| head`) is not an error.
    let _ = terminal::stdout().write_all(Learned { facts, rendering }.shown(args.format)?.as_bytes());
    Ok(())
}

/// Returns what a crawl learned of rendering. If that cannot be read, the rest is shown with a warning.
fn rendering_of(path: &Path) -> Option<RenderingSummary> {
    let read = if path.is_dir() { read_rendering(path, RENDER_CLASSES_SHOWN) } else { Ok(None) };
    read.unwrap_or_else(|why| {
        tell!("warning: {why}");
        None
    })
}

/// Returns the path of the site model: `path` itself or, for a crawl directory, the model in it.
pub(super) fn model_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(MODEL_FILE) } else { path.to_owned() }
}

/// Reads the facts of the site model at `path`, or in that crawl directory.
pub(super) fn facts_of(path: &Path) -> anyhow::Result<Facts> {
    let file = model_file(path);
    let name = file.display();
    let bytes = match std::fs::read(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_dir() => bail!(
            "{} has no site model ({MODEL_FILE}): a crawl writes one at its end if its policy learns (--policy ucc, target or \
             cluster-graph) and has enough pages to learn from",
            path.display()
        ),
        read => read.with_context(|| format!("cannot read {name}"))?,
    };
    Ok(SiteModel::from_bytes(&bytes).with_context(|| name.to_string())?.facts)
}

/// Formats the facts.
pub(super) fn shown(facts: &Facts, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Text => formats::of(facts, usize::MAX),
        Format::Json => serde_json::to_string_pretty(facts)? + "\n",
        Format::Dot => formats::dot(facts),
        Format::Graphml => formats::graphml(facts),
    })
}

impl Learned {
    /// Formats it. Graphs have the facts alone.
    fn shown(&self, format: Format) -> anyhow::Result<String> {
        if format == Format::Json {
            return Ok(serde_json::to_string_pretty(self)? + "\n");
        }
        let facts = self.facts.as_ref().map(|facts| shown(facts, format)).transpose()?;
        let rendering = self.rendering.as_ref().filter(|_| format == Format::Text).map(formats::of_rendering);
        Ok(facts.into_iter().chain(rendering).collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, ClusterId, RenderClassSummary};
    use harvestman_policy::learned::{ClusterFacts, Destination, LinkFacts};

    fn facts() -> Facts {
        let link = LinkFacts {
            apath: Apath(7),
            apath_text: None,
            pattern: "/t/N?a=*&b=<\"x\">".to_owned(),
            share: 0.75,
            leads_to: vec![
                Destination { cluster: Some(ClusterId(3)), fetches: 5 },
                Destination { cluster: None, fetches: 2 },
            ],
            refused: false,
        };
        let cluster = |cluster, title: Option<&str>, classes| ClusterFacts {
            cluster: ClusterId(cluster),
            pages: 8,
            worth: 0.5,
            examples: vec!["http://h.test/l/1".to_owned()],
            title: title.map(str::to_owned),
            links: 4,
            classes,
        };
        let clusters =
            vec![cluster(1, None, vec![]), cluster(2, Some("List & N"), vec![link]), cluster(3, None, vec![])];
        Facts { hosts: vec!["http://h.test".to_owned()], pages: 24, clusters }
    }

    #[test]
    fn the_text_has_each_cluster_with_its_links() {
        let text = shown(&facts(), Format::Text).unwrap();
        for part in [
            "24 pages",
            "http://h.test/l/1",
            "outliers",
            "List & N",
            "75 %",
            "cluster 3 (5), no page (2)",
            "#0000000000000007",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn json_holds_all_facts() {
        let json = shown(&facts(), Format::Json).unwrap();
        assert_eq!(serde_json::from_str::<Facts>(&json).unwrap(), facts());
    }

    #[test]
    fn classes_of_rendered_pages_follow_the_clusters_or_stand_alone() {
        let class = RenderClassSummary {
            class: "00000000000000ff".to_owned(),
            example: "http://h.test/t/1".to_owned(),
            pages: 3_000,
            rendered: 9,
            replayed: 2_991,
            need: "needed".into(),
            gain: 12.5,
            replay: Some("ready".into()),
            requests: Some("{page}/replies".to_owned()),
        };
        let rendering = RenderingSummary { rendered: 9, replayed: 2_991, known: 61, classes: vec![class] };
        let learned = |facts| Learned { facts, rendering: Some(rendering.clone()) };
        let alone = learned(None).shown(Format::Text).unwrap();
        let expected = "\
rendering: 9 pages by a browser, 2,991 by plain requests; 61 classes of pages

http://h.test/t/1
  class    00000000000000ff
  pages    3,000, 9 rendered, 2,991 replayed
  need     needed: rendering adds 12.5 links (ten words count as one) to a page on average
  replay   ready: plain requests bring what a browser shows
  request  {page}/replies

60 smaller classes are not shown
";
        assert_eq!(alone, expected);
        let both = learned(Some(facts())).shown(Format::Text).unwrap();
        assert_eq!(both, format!("{}\n{expected}", shown(&facts(), Format::Text).unwrap()));
        let json: serde_json::Value =
            serde_json::from_str(&learned(Some(facts())).shown(Format::Json).unwrap()).unwrap();
        assert_eq!((&json["pages"], &json["rendering"]["classes"][0]["pages"]), (&24.into(), &3_000.into()));
        assert!(learned(None).shown(Format::Json).unwrap().starts_with("{\n  \"rendering\""));
    }

    #[test]
    fn graphs_have_an_edge_per_link_class_and_destination_and_quote_labels() {
        let dot = shown(&facts(), Format::Dot).unwrap();
        assert_eq!(dot.matches("->").count(), 1);
        assert!(dot.contains("c2 -> c3 [label=\"/t/N?a=*&b=<\\\"x\\\">\", weight=5, share=0.75]"), "{dot}");
        let graphml = shown(&facts(), Format::Graphml).unwrap();
        assert_eq!((graphml.matches("<node ").count(), graphml.matches("<edge ").count()), (3, 1));
        assert!(graphml.contains("/t/N?a=*&amp;b=&lt;&quot;x&quot;&gt;"), "{graphml}");
        for part in [
            "<data key=\"pages\">8</data>",
            "<data key=\"worth\">0.5</data>",
            "<data key=\"example\">http://h.test/l/1</data>",
            "<data key=\"title\">List &amp; N</data>",
            "<data key=\"weight\">5</data>",
            "<data key=\"share\">0.75</data>",
            "<data key=\"place\">0000000000000007</data>",
        ] {
            assert!(graphml.contains(part), "{part} is not in\n{graphml}");
        }
    }

    #[test]
    fn every_attribute_of_the_graph_has_a_declared_key() {
        let mut facts = facts();
        facts.clusters[1].classes[0].pattern = "/a\u{1}\u{fffe}/*".to_owned();
        facts.clusters[1].classes[0].refused = true;
        facts.clusters[1].classes[0].leads_to.push(Destination { cluster: Some(ClusterId(99)), fetches: 1 });
        let xml = shown(&facts, Format::Graphml).unwrap();
        assert!(xml.contains("<data key=\"pattern\">/a/*</data>"), "invalid XML characters are removed");
        assert!(xml.contains("<data key=\"refused\">true</data>"), "{xml}");
        assert_eq!((xml.matches("<node ").count(), xml.matches("<edge ").count()), (3, 1), "edges lead to nodes");
        for line in
            xml.lines().map(str::trim_start).filter(|line| line.starts_with("<node") || line.starts_with("<edge"))
        {
            let element = &line[1..5];
            for key in line.split("<data key=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let declared = xml.lines().any(|line| {
                    line.contains(&format!("id=\"{key}\" for=\"{element}\""))
                        || line.contains(&format!("id=\"{key}\" for=\"all\""))
                });
                assert!(declared, "{key} of {element}");
            }
        }
        let dot = shown(&facts, Format::Dot).unwrap();
        assert_eq!(dot.matches(" -> ").count(), 1);
    }
}
