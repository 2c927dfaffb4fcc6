//! `harvestman site MODEL`: what is known of a site.

mod graph;
pub(super) mod text;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;

use crate::policy::learned::{Facts, SiteModel};

/// Shows what a crawl learnt of a site: its page templates, and which links lead from one to which.
#[derive(Debug, clap::Args)]
pub struct SiteArgs {
    /// The site model, as a crawl or `harvestman learn` wrote it
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// How it is shown
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How a site is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables to read
    Text,
    /// Everything, for programs
    Json,
    /// The graph of clusters, for Graphviz
    Dot,
    /// The graph of clusters, for graph editors
    Graphml,
}

/// Runs the command.
pub fn run(args: &SiteArgs) -> anyhow::Result<()> {
    let name = args.model.display();
    let bytes = std::fs::read(&args.model).with_context(|| format!("cannot read {name}"))?;
    let model = SiteModel::from_bytes(&bytes).with_context(|| name.to_string())?;
    // A reader that has seen enough (`| head`) is no failure.
    let _ = io::stdout().write_all(shown(&model.facts, args.format)?.as_bytes());
    Ok(())
}

fn shown(facts: &Facts, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Text => text::of(facts, usize::MAX),
        Format::Json => serde_json::to_string_pretty(facts)? + "\n",
        Format::Dot => graph::dot(facts),
        Format::Graphml => graph::graphml(facts),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Apath, ClusterId};
    use crate::policy::learned::{ClusterFacts, Destination, LinkFacts};

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
        Facts { hosts: vec!["http://h.test".to_owned()], pages: 24, clusters, ..Facts::default() }
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
    fn graphs_have_an_edge_for_each_link_class_that_leads_to_a_cluster_and_quote_what_needs_it() {
        let dot = shown(&facts(), Format::Dot).unwrap();
        assert_eq!(dot.matches("->").count(), 1);
        assert!(dot.contains("c2 -> c3 [label=\"/t/N?a=*&b=<\\\"x\\\">\", weight=5]"), "{dot}");
        let graphml = shown(&facts(), Format::Graphml).unwrap();
        assert_eq!((graphml.matches("<node ").count(), graphml.matches("<edge ").count()), (3, 1));
        assert!(graphml.contains("/t/N?a=*&amp;b=&lt;&quot;x&quot;&gt;"), "{graphml}");
    }
}
