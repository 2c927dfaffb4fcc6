//! `harvestman export wacz`: a crawl as one file that replay tools open.

mod archives;
mod page_list;
mod write;

use std::path::{Path, PathBuf};

use super::OutputArgs;
use super::output::Output;
use crate::cli::exit::{Exit, Failure};
use harvestman_core::config::ByteSize;
use harvestman_report::figures;

/// File name of the export in a crawl directory.
const FILE: &str = "archive.wacz";
/// The ending that the format prescribes.
const ENDING: &str = "wacz";

/// Export WARC files with index and list of pages as one file for replay (WACZ)
///
/// The file holds copies of the WARC files, an index, a list of the HTML pages with status 200 (URL, time, title), and
/// a manifest with the SHA-256 of each of them; the SHA-256 of the manifest is in datapackage-digest.json. It follows
/// version 1.1.1 of WACZ and is not signed. ReplayWeb.page opens it from disk or from any web server, and loads only
/// what a visitor looks at.
///
/// With --text, the list of pages also has the words that each page shows, which replay tools search. At most 16,000
/// words of a page are taken.
///
/// Files that a crawl is still writing (.open) are skipped: wait for the crawl to end, or run `harvestman resume` after
/// a kill. A torn or broken WARC file is copied up to the damage, so that the copy is whole; the exit code is 1 then.
/// Lines of the index beyond --memory are sorted in unnamed temporary files beside the output. The output is complete
/// or absent, and takes as much space as the WARC files.
#[derive(Debug, Clone, clap::Args)]
#[command(mut_arg("out", |out| out.help("Output file, which ends in .wacz [default: archive.wacz in the crawl directory]")))]
#[command(after_help = "\
Examples:
  harvestman export wacz forum                                  # writes forum/archive.wacz
  harvestman export wacz forum --title 'A forum' --text --out forum.wacz
  harvestman export wacz *.warc.gz --out all.wacz               # any WARC files, of any tool
  harvestman export wacz node-a node-b --out fleet.wacz         # one file of a fleet's archives

With pywb, replay it at http://localhost:8080/forum/ (https://replayweb.page/ reads it in the browser):
  wb-manager init forum && wb-manager add --unpack-wacz forum forum.wacz && wayback")]
pub struct WaczArgs {
    /// Crawl directories, or WARC files: compressed or plain, of any tool
    #[arg(value_name = "DIR|WARC", required = true, value_hint = clap::ValueHint::AnyPath)]
    inputs: Vec<PathBuf>,
    /// Title of the collection
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Also write the words of each page, for searching
    #[arg(long)]
    text: bool,
    #[command(flatten)]
    output: OutputArgs,
    /// Memory for sorting lines of the index
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    memory: ByteSize,
}

/// Runs the command.
pub(super) fn run(args: &WaczArgs) -> Result<Exit, Failure> {
    if let Some(out) = &args.output.out {
        check_ending(out)?;
    }
    let archives = archives::find(&args.inputs)?;
    let output = Output::create(&args.output, || default_path(&args.inputs))?;
    let (name, directory) = (output.name(), output.directory());
    let made = output.write_file(|out| write::write(args, archives, &directory, out))?;
    let counted = |count: u64, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", figures::count(count)),
    };
    let (captures, files) = (counted(made.captures, "capture"), counted(made.files, "WARC file"));
    args.output.say(&format!("{name}: {} and {captures} of {files}", counted(made.pages, "page")));
    if made.damaged == 0 {
        return Ok(Exit::Done);
    }
    let what = "the readable part is exported";
    Err(Failure::new(
        Exit::Failed,
        format!("{} could not be exported completely; {what}", counted(made.damaged, "file")),
    ))
}

/// Fails unless the name ends as the format prescribes, which replay tools rely on.
fn check_ending(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|ending| ending == ENDING) {
        return Ok(());
    }
    Err(Failure::usage(format!("--out {}: name a file that ends in .{ENDING}", path.display())))
}

fn default_path(inputs: &[PathBuf]) -> Result<PathBuf, Failure> {
    match inputs {
        [directory] if directory.is_dir() => Ok(directory.join(FILE)),
        _ => Err(Failure::usage(format!("name the output with --out FILE.{ENDING}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_of_another_ending_is_refused() {
        assert!(check_ending(Path::new("a/b.wacz")).is_ok());
        for path in ["-", "b.zip", "wacz", "b.wacz.gz"] {
            let failure = check_ending(Path::new(path)).unwrap_err();
            assert!(failure.text.contains("ends in .wacz"), "{}", failure.text);
        }
    }
}
