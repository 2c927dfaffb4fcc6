//! The server of a search engine over recorded pages.

use std::convert::Infallible;
use std::io::Write as _;
use std::sync::Arc;

use anyhow::Context as _;
use bytes::Bytes;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::service::service_fn;
use tokio::net::TcpListener;

use super::input::Input;
use super::question::Question;
use super::{ServeArgs, answer};
use crate::index::{IndexBuilder, LocalIndex};
use harvestman::cli::exit::Failure;
use harvestman::cli::signals;
use harvestman_admin::{self as admin, Names};
use harvestman_report::{StopFlag, figures, terminal};

/// The pages of results load nothing.
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'");

/// The content of the server.
struct Engine {
    index: LocalIndex,
    /// Its address, without a slash at the end.
    base: String,
    names: Names,
}

/// Indexes the pages and serves them until a signal.
pub(super) fn run(args: &ServeArgs) -> Result<(), Failure> {
    // Before the work, so that an unusable address costs none.
    let listener = std::net::TcpListener::bind(args.listen).map_err(|error| {
        Failure::usage(format!("cannot serve at {}: {error}; choose another --listen", args.listen))
    })?;
    // Removed when dropped.
    let directory = args.on_disk.as_ref().map(|parent| {
        tempfile::Builder::new()
            .prefix("harvestman-index-")
            .tempdir_in(parent)
            .map_err(|error| Failure::usage(format!("cannot create a directory in {}: {error}", parent.display())))
    });
    let directory = directory.transpose()?;
    let builder = match &directory {
        Some(directory) => IndexBuilder::in_directory(directory.path()),
        None => IndexBuilder::new(),
    };
    let index = build(args, builder.context("cannot create the index")?)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start the server")?;
    runtime.block_on(serve(listener, index, &args.names)).context("cannot serve any longer")?;
    Ok(())
}

fn build(args: &ServeArgs, builder: IndexBuilder) -> anyhow::Result<LocalIndex> {
    let mut input = Input::new(builder, args.quiet);
    for path in &args.files {
        if let Some(note) = input.add_warc(path)? {
            tell!("note: {note}");
        }
    }
    if let Some(path) = &args.urls {
        input.add_urls(path)?;
    }
    let index = input.finish().finish()?;
    anyhow::ensure!(!index.is_empty(), "no HTML page with status 200 was found");
    if !args.quiet {
        tell!("indexed {} pages", figures::count(index.len() as u64));
    }
    Ok(index)
}

async fn serve(listener: std::net::TcpListener, index: LocalIndex, names: &[String]) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let stop = StopFlag::new();
    signals::listen(stop.clone())?;
    let address = listener.local_addr()?;
    let base = format!("http://{address}");
    announce(&base)?;
    let names = Names::new(address.ip(), names, "with --name");
    let engine = Arc::new(Engine { index, base, names });
    let service = service_fn(move |request: Request<Full<Bytes>>| {
        let answer = engine.answer(&request);
        async { Ok::<_, Infallible>(answer) }
    });
    admin::serve(listener, service, stop).await;
    Ok(())
}

/// Prints the template of a search first, so that a script can read it.
fn announce(base: &str) -> std::io::Result<()> {
    let mut out = terminal::stdout();
    writeln!(out, "{base}{}", answer::TEMPLATE)?;
    writeln!(out, "\nSearch in a browser:    {base}/\nOpenSearch description: {base}/opensearch.xml")?;
    writeln!(out, "Stop it:                Ctrl-C")?;
    out.flush()
}

impl Engine {
    fn answer(&self, request: &Request<Full<Bytes>>) -> Response<Full<Bytes>> {
        if let Err((status, why)) = self.names.may_open(request.headers()) {
            return response(status, "text/plain; charset=utf-8", why);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return response(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "only GET and HEAD are possible\n".into());
        }
        let uri = request.uri();
        match uri.path() {
            "/search" => self.search(uri.query().unwrap_or_default()),
            "/" => response(StatusCode::OK, "text/html; charset=utf-8", answer::START.into()),
            "/opensearch.xml" => {
                let text = answer::description(&self.base);
                response(StatusCode::OK, "application/opensearchdescription+xml; charset=utf-8", text)
            }
            _ => response(StatusCode::NOT_FOUND, "text/plain", "not found\n".into()),
        }
    }

    fn search(&self, parameters: &str) -> Response<Full<Bytes>> {
        let question = match Question::parse(parameters) {
            Ok(question) => question,
            Err(why) => return response(StatusCode::BAD_REQUEST, "text/plain; charset=utf-8", format!("{why}\n")),
        };
        match self.index.search(&question.query, question.offset(), question.count) {
            Ok(found) => {
                let (media_type, text) = answer::of(&question, &found, &self.base);
                response(StatusCode::OK, media_type, text)
            }
            Err(error) => response(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", format!("{error}\n")),
        }
    }
}

fn response(status: StatusCode, media_type: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}
