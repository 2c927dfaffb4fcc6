//! `harvestman identity directory`: the key directory for the operator's own web server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::read_key;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::print_text;
use harvestman_core::clock::Clock;
use harvestman_core::config::Period;
use harvestman_identity::{DIRECTORY_MEDIA_TYPE, DIRECTORY_PATH, Directory, Lifetime, SigningKey, directory_authority};

/// The shortest and the longest time for which signatures of a directory may be valid.
const VALID: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(366 * 86_400)];
/// The file with the headers, beside the directory.
const HEADERS_FILE: &str = "http-message-signatures-directory.headers";

/// Print or write the key directory for your web server
///
/// Sites look up the public key at https://HOST/.well-known/http-message-signatures-directory. Serve the document there
/// over https, byte for byte, with the headers: its media type, and a signature by each key with the tag
/// `http-message-signatures-directory`, which proves that the server holds the keys. Run the command again before the
/// signatures expire. To replace a key, name both files until sites have noticed the new one.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  The response as it must be served:
    harvestman identity directory bot.pem --agent https://bot.example.org
  Files for the web server, with the current key and the next one:
    harvestman identity directory bot.pem next.pem --agent https://bot.example.org --out site")]
pub struct DirectoryArgs {
    /// The key files
    #[arg(value_name = "FILE", required = true, num_args = 1..=16, value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// The address that requests send (identity.agent)
    #[arg(long, value_name = "URL")]
    pub agent: String,

    /// Write the document to DIR/.well-known/ and the headers to a file in DIR
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub out: Option<PathBuf>,

    /// How long the signatures are valid, from 1m to 366d
    #[arg(long, value_name = "TIME", default_value = "30d")]
    pub valid: Period,
}

/// Runs the command.
pub fn run(args: &DirectoryArgs) -> Result<(), Failure> {
    let authority =
        directory_authority(&args.agent).map_err(|error| Failure::usage(format!("--agent {}: {error}", args.agent)))?;
    if !(VALID[0]..=VALID[1]).contains(&args.valid.0) {
        return Err(Failure::usage(format!("--valid {}: use a time from 1m to 366d, such as 30d", args.valid)));
    }
    let keys = args.files.iter().map(|file| read_key(file)).collect::<Result<Vec<SigningKey>, Failure>>()?;
    let directory = Directory::new(&keys);
    let now = Clock::system().calendar();
    let lifetime = Lifetime { created: seconds(now.as_micros()), expires: seconds((now + args.valid.0).as_micros()) };
    let headers = headers(&directory, &authority, lifetime);
    let body = directory.body();
    let Some(out) = &args.out else {
        let text = format!("HTTP/1.1 200 OK\n{headers}\n{body}");
        return print_text(&text).map_err(|error| Failure::new(Exit::Output, error));
    };
    let document = out.join(DIRECTORY_PATH.trim_start_matches('/'));
    write(&document, &body)?;
    write(&out.join(HEADERS_FILE), &headers)?;
    let text = format!(
        "{}: the document; serve it at https://{authority}{DIRECTORY_PATH}\n{}: the headers to serve with it\n\
         Run this command again before {}, when the signatures expire.\n",
        document.display(),
        out.join(HEADERS_FILE).display(),
        (now + args.valid.0).timestamp().strftime("%Y-%m-%d %H:%M UTC")
    );
    print_text(&text).map_err(|error| Failure::new(Exit::Output, error))
}

const fn seconds(micros: u64) -> u64 {
    micros / 1_000_000
}

/// Returns the headers of the response, one per line.
fn headers(directory: &Directory<'_>, authority: &str, lifetime: Lifetime) -> String {
    let signed = directory.headers(authority, lifetime);
    format!(
        "Content-Type: {DIRECTORY_MEDIA_TYPE}\nCache-Control: max-age=86400\nContent-Digest: {}\nSignature-Input: {}\n\
         Signature: {}\n",
        signed.content_digest, signed.signature_input, signed.signature
    )
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.map_err(|error| Failure::new(Exit::Output, format!("cannot write {}: {error}", path.display())))
}
