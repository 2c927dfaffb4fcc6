//! `harvestman identity sign`: the headers of a signed request, for tests with other clients.

use std::path::PathBuf;

use data_encoding::BASE64;
use http::{HeaderMap, HeaderValue, Method, Uri};
use ring::rand::{SecureRandom, SystemRandom};

use super::read_key;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::print_text;
use harvestman_core::clock::Clock;
use harvestman_identity::{
    AgentForm, Identity, Lifetime, RequestTarget, RequestedSignature, SIGNATURE, SIGNATURE_AGENT, SIGNATURE_INPUT,
    SignatureAgent,
};

/// How long the signature is valid, in seconds: long enough to paste it into another command.
const VALID_SECONDS: u64 = 60;
/// Maximum length of what a server asks for.
const ACCEPT_MAX: usize = 8_192;

/// Print the headers of a signed request
///
/// Signs one request as a crawl does, and prints its three headers, valid for a minute: for a test of a server with
/// curl or another client.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman identity sign bot.pem https://forum.example.org/ \\
      --agent https://bot.example.org > headers.txt
  curl -H @headers.txt https://forum.example.org/")]
pub struct SignArgs {
    /// The key file
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    /// The URL that is requested
    #[arg(value_name = "URL")]
    pub url: String,

    /// The address at which sites find the public key (identity.agent)
    #[arg(long, value_name = "URL")]
    pub agent: Option<String>,

    /// The method of the request
    #[arg(long, value_name = "NAME", default_value = "GET")]
    pub method: Method,

    /// The `Accept-Signature` header of the server
    #[arg(long, value_name = "HEADER")]
    pub accept: Option<HeaderValue>,
}

/// Runs the command.
pub fn run(args: &SignArgs) -> Result<(), Failure> {
    let uri = args.url.parse::<Uri>().ok().filter(|uri| uri.scheme().is_some() && uri.host().is_some());
    let uri = uri.ok_or_else(|| Failure::usage(format!("{}: not a whole URL", args.url)))?;
    let agent = args.agent.as_deref().map(|url| SignatureAgent::parse(url, AgentForm::Dictionary)).transpose();
    let identity =
        Identity::new(read_key(&args.file)?, agent.map_err(|error| Failure::usage(format!("--agent: {error}")))?);
    let mut headers = HeaderMap::new();
    let (form, nonce) = match &args.accept {
        None => (identity.usual().clone(), None),
        Some(value) => {
            headers.insert("accept-signature", value.clone());
            match identity.asked(&headers, ACCEPT_MAX) {
                RequestedSignature::Signature(demand) => (demand.form, demand.nonce),
                RequestedSignature::Unusable(why) => {
                    return Err(Failure::new(Exit::Failed, format!("cannot sign as asked: {why}")));
                }
                RequestedSignature::Nothing => (identity.usual().clone(), None),
            }
        }
    };
    let created = Clock::system().calendar().as_micros() / 1_000_000;
    let lifetime = Lifetime { created, expires: created + VALID_SECONDS };
    let target = RequestTarget { method: args.method.as_str(), uri: &uri };
    let nonce = nonce.map_or_else(random_nonce, Ok)?;
    identity
        .sign(target, &mut headers, &form, lifetime, Some(&nonce))
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot sign as asked: {error}")))?;
    let lines = [("Signature-Agent", SIGNATURE_AGENT), ("Signature-Input", SIGNATURE_INPUT), ("Signature", SIGNATURE)];
    let line = |(shown, name)| Some(format!("{shown}: {}\n", headers.get(name)?.to_str().ok()?));
    let text: String = lines.into_iter().filter_map(line).collect();
    print_text(&text).map_err(|error| Failure::new(Exit::Output, error))
}

fn random_nonce() -> Result<String, Failure> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Failure::new(Exit::Internal, "the system has no random numbers"))?;
    Ok(BASE64.encode(&bytes))
}
