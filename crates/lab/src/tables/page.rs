//! One self-contained HTML page: plots, then tables.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Chart, Table};
use harvestman_report::plot::Look;

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2rem auto;max-width:1100px;padding:0 1rem;color:#222}\
table{border-collapse:collapse;margin:.5rem 0 2rem;font-size:13px}th,td{padding:.2rem .6rem;border-bottom:1px solid #ddd;\
text-align:left}td.n{text-align:right;font-variant-numeric:tabular-nums}figure{margin:1rem 0}\
div.w,figure{overflow-x:auto}";

/// Renders the page. Names of types and files are untrusted and escaped.
pub(super) fn html(title: &str, notes: &[String], charts: &[Chart], tables: &[Table]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { (title) } style { (PreEscaped(STYLE)) } }
            body {
                h1 { (title) }
                @for note in notes { p { (note) } }
                @for chart in charts { figure { (drawn(chart)) } }
                @for table in tables { (written(table)) }
            }
        }
    };
    page.into_string()
}

fn drawn(chart: &Chart) -> Markup {
    match harvestman_report::plot::svg(chart, Look::default()) {
        Ok(svg) => PreEscaped(svg),
        Err(error) => html! { p { "This plot could not be drawn: " (error) } },
    }
}

fn written(table: &Table) -> Markup {
    let class = |column| table.is_numeric(column).then_some("n");
    html! {
        h2 { (table.title) }
        div class="w" {
            table {
                tr { @for name in &table.header { th { (name) } } }
                @for row in &table.rows {
                    tr { @for (at, cell) in row.iter().enumerate() { td class=[class(at)] { (cell) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_self_contained_and_escapes_untrusted_text() {
        let table = Table {
            title: "<b>".to_owned(),
            header: vec!["name".to_owned(), "n".to_owned()],
            rows: vec![vec!["<script>".to_owned(), "1.5".to_owned()]],
        };
        let page = html("A & B", &["note <i>".to_owned()], &[], &[table]);
        assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("href="), "{page}");
        for part in ["<title>A &amp; B</title>", "note &lt;i&gt;", "&lt;script&gt;", "<td class=\"n\">1.5</td>"] {
            assert!(page.contains(part), "{part}");
        }
    }

    #[test]
    fn every_chart_has_its_figure() {
        let chart = Chart::Bars { title: "Bars".to_owned(), y: String::new(), groups: vec![] };
        let page = html("t", &[], &[chart.clone(), chart], &[]);
        assert_eq!(page.matches("<figure>").count(), 2);
        assert!(page.contains("Bars"));
    }
}
