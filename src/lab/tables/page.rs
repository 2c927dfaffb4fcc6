//! One self-contained HTML page: plots, then tables.

use std::fmt::Write as _;

use super::{Chart, Table};

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2rem auto;max-width:1100px;padding:0 1rem;color:#222}\
table{border-collapse:collapse;margin:.5rem 0 2rem;font-size:13px}th,td{padding:.2rem .6rem;border-bottom:1px solid #ddd;\
text-align:left}td.n{text-align:right;font-variant-numeric:tabular-nums}figure{margin:1rem 0}\
div.w,figure{overflow-x:auto}";

/// The page.
pub(super) fn html(title: &str, notes: &[String], charts: &[Chart], tables: &[Table]) -> String {
    let title = escaped(title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head>\n\
        <body><h1>{title}</h1>\n"
    );
    for note in notes {
        let _ = writeln!(out, "<p>{}</p>", escaped(note));
    }
    for chart in charts {
        let _ = writeln!(out, "<figure>{}</figure>", drawn(chart));
    }
    for table in tables {
        write_table(table, &mut out);
    }
    out.push_str("</body></html>\n");
    out
}

#[cfg(feature = "plots")]
fn drawn(chart: &Chart) -> String {
    super::plot::svg(chart).unwrap_or_else(|error| format!("<p>This plot could not be drawn: {}</p>", escaped(&error)))
}

#[cfg(not(feature = "plots"))]
fn drawn(chart: &Chart) -> String {
    let (Chart::Lines { title, .. } | Chart::Bars { title, .. }) = chart;
    format!("<p>{}: built without the feature <code>plots</code>; the figures are in the tables.</p>", escaped(title))
}

fn write_table(table: &Table, out: &mut String) {
    let _ = write!(out, "<h2>{}</h2><div class=\"w\"><table><tr>", escaped(&table.title));
    for name in &table.header {
        let _ = write!(out, "<th>{}</th>", escaped(name));
    }
    out.push_str("</tr>\n");
    let numeric: Vec<_> = (0..table.header.len()).map(|column| table.is_numeric(column)).collect();
    for row in &table.rows {
        out.push_str("<tr>");
        for (cell, numeric) in row.iter().zip(&numeric) {
            let class = if *numeric { " class=\"n\"" } else { "" };
            let _ = write!(out, "<td{class}>{}</td>", escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

/// `text` as it may stand in HTML. Names of types and files come from outside.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_holds_everything_itself_and_escapes_what_comes_from_outside() {
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
