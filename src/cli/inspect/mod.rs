//! `harvestman inspect`: shows how Harvestman interprets a single input, for a person or, as JSON lines on standard
//! input, for a program.

pub mod page;
pub mod posts;
pub mod render;
pub mod robots;
pub mod sitemap;
pub mod url;
pub mod warc;

use std::io::{self, BufRead, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::exit::{Exit, Failure};
use super::site;

/// Answers each line of `input` (a JSON object) with one line on `output`, until the input ends. A line that is not a
/// JSON object of the expected form is answered with `{id, error}`.
pub fn answer_lines<Q, A>(input: impl BufRead, mut output: impl Write, answer: impl Fn(Q) -> A) -> io::Result<()>
where
    Q: DeserializeOwned,
    A: Serialize,
{
    for line in input.split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        serde_json::to_writer(&mut output, &answer_line(&line, &answer))?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn answer_line<Q: DeserializeOwned, A: Serialize>(line: &[u8], answer: &impl Fn(Q) -> A) -> Value {
    let parsed: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return json!({"id": null, "error": format!("not JSON: {error}")}),
    };
    let id = parsed.get("id").cloned().unwrap_or(Value::Null);
    let error = |text: String| json!({"id": id, "error": text});
    match serde_json::from_value(parsed) {
        Ok(question) => serde_json::to_value(answer(question)).unwrap_or_else(|e| error(e.to_string())),
        Err(e) => error(e.to_string()),
    }
}

/// Returns text without control characters, which would act on the terminal.
fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// The inputs that can be inspected. Each is documented with its arguments.
#[derive(Debug, clap::Subcommand)]
pub enum Inspect {
    Url(url::UrlArgs),
    Robots(robots::RobotsArgs),
    Sitemap(sitemap::SitemapArgs),
    Page(page::PageArgs),
    Posts(posts::PostsArgs),
    Render(Box<render::RenderArgs>),
    Warc(warc::WarcArgs),
    Site(site::SiteArgs),
}

/// Runs the subcommand.
pub fn run(what: Inspect) -> Result<Exit, Failure> {
    match what {
        Inspect::Url(args) => url::run(&args)?,
        Inspect::Robots(args) => robots::run(args)?,
        Inspect::Sitemap(args) => sitemap::run(args)?,
        Inspect::Page(args) => page::run(&args)?,
        Inspect::Posts(args) => posts::run(&args)?,
        Inspect::Render(args) => return render::run(&args),
        Inspect::Warc(args) => warc::run(&args)?,
        Inspect::Site(args) => site::run(&args)?,
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_is_answered_and_the_next_ones_too() {
        #[derive(serde::Deserialize)]
        struct Question {
            id: u32,
            n: u32,
        }
        let input = b"{\"id\":1,\"n\":2}\n\nnonsense\n{\"id\":2}\n{\"id\":3,\"n\":4}";
        let mut output = Vec::new();
        answer_lines(&input[..], &mut output, |q: Question| json!({"id": q.id, "twice": q.n * 2})).unwrap();
        let lines: Vec<Value> =
            String::from_utf8(output).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0], json!({"id": 1, "twice": 4}));
        assert!(lines[1]["error"].is_string() && lines[1]["id"].is_null());
        assert!(lines[2]["error"].is_string() && lines[2]["id"] == 2);
        assert_eq!(lines[3], json!({"id": 3, "twice": 8}));
    }
}
