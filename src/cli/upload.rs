//! `harvestman upload`, and uploads beside a crawl.

use std::path::PathBuf;

use super::exit::{Exit, Failure};
use harvestman_core::config::Config;
use harvestman_metrics::Metrics;
use harvestman_pipeline as pipeline;
use harvestman_report::Report;

/// Arguments of `harvestman upload`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct UploadArgs {
    /// Directories of crawls
    #[arg(value_name = "DIR", required = true, value_hint = clap::ValueHint::DirPath)]
    directories: Vec<PathBuf>,

    /// Where to, as s3://BUCKET/PREFIX [default: what archive.upload said when the crawl began]
    #[arg(long, value_name = "PLACE")]
    to: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  To Amazon's S3:
    export AWS_REGION=eu-central-1 AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…
    harvestman upload forum --to s3://archives/forum-2026
  To storage that speaks the same protocol (MinIO, Ceph, Garage and others):
    export AWS_ENDPOINT_URL=https://storage.example.org
    harvestman upload forum --to s3://archives/forum-2026
  While it is crawled, each WARC file as soon as it is closed:
    harvestman crawl https://forum.example.org/ --out forum \\
        --set archive.upload=s3://archives/forum-2026

Closed WARC files are uploaded that are not there yet, and stay here too; so it can be repeated, and goes on where it was interrupted.
A file is there as a whole or not at all. One that has the name of another one there is left out, and the exit code is 1 then, as where
an upload fails.

It needs a harvestman that was built with it: cargo build --release --features upload";

/// Uploads what the user named.
#[cfg(feature = "upload")]
pub fn run(args: &UploadArgs) -> Result<Exit, Failure> {
    use super::log;
    use harvestman_report::progress::Progress;
    use harvestman_storage::archive::upload::{Place, upload};

    log::start(&Config::default().log, std::sync::Arc::new(Progress::new(true, false)));
    let mut exit = Exit::Done;
    for directory in &args.directories {
        let place: Place = place(args, directory)?.parse().map_err(Failure::usage)?;
        let uploaded = upload(&place, directory).map_err(|error| Failure::new(Exit::Failed, error))?;
        tell(&uploaded, &place, directory);
        if !uploaded.missing.is_empty() {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// Says that it cannot.
#[cfg(not(feature = "upload"))]
pub fn run(_: &UploadArgs) -> Result<Exit, Failure> {
    let without =
        "this harvestman was built without uploads; `cargo build --release --features upload` builds one with them";
    Err(Failure::usage(without))
}

/// Where a crawl's files go.
#[cfg(feature = "upload")]
fn place(args: &UploadArgs, directory: &std::path::Path) -> Result<String, Failure> {
    if !directory.is_dir() {
        return Err(Failure::usage(format!("there is no directory {}", directory.display())));
    }
    if let Some(place) = &args.to {
        return Ok(place.clone());
    }
    let text = std::fs::read_to_string(directory.join("config.toml")).unwrap_or_default();
    let config: toml::Table = text.parse().unwrap_or_default();
    let said = config.get("archive").and_then(|archive| archive.get("upload")).and_then(toml::Value::as_str);
    match said {
        Some(place) if !place.is_empty() => Ok(place.to_owned()),
        _ => {
            let directory = directory.display();
            Err(Failure::usage(format!("the crawl in {directory} does not say where to: add --to s3://BUCKET/PREFIX")))
        }
    }
}

/// Crawls, and uploads beside it what `archive.upload` asks for.
#[cfg(feature = "upload")]
pub(super) fn uploaded_beside(
    config: &Config,
    crawl: impl FnOnce(Metrics) -> Result<Report, Failure>,
) -> Result<Report, Failure> {
    use harvestman_storage::archive::upload::{Place, Uploading};

    let metrics = pipeline::metrics(config);
    // What is written wrong is told by the crawl, with all else that is.
    let Ok(place) = config.archive.upload.parse::<Place>() else { return crawl(metrics) };
    let directory = PathBuf::from(&config.crawl.out);
    let uploading = Uploading::begin(&place, &directory, metrics.archive.clone());
    let uploading = uploading.map_err(|error| Failure::usage(format!("archive.upload: {error}")))?;
    let report = crawl(metrics)?;
    tell(&uploading.finish(), &place, &directory);
    Ok(report)
}

#[cfg(not(feature = "upload"))]
pub(super) fn uploaded_beside(
    config: &Config,
    crawl: impl FnOnce(Metrics) -> Result<Report, Failure>,
) -> Result<Report, Failure> {
    crawl(pipeline::metrics(config))
}

#[cfg(feature = "upload")]
fn tell(
    uploaded: &harvestman_storage::archive::upload::Uploaded,
    place: &harvestman_storage::archive::upload::Place,
    directory: &std::path::Path,
) {
    use harvestman_report::figures;

    let (files, bytes) = (uploaded.files, figures::bytes(uploaded.bytes));
    let before = match uploaded.were_there {
        0 => String::new(),
        were_there => format!("; {were_there} were there before"),
    };
    tracing::info!("{files} WARC files ({bytes}) were uploaded to {place}{before}");
    let Some(first) = uploaded.missing.first() else { return };
    let (missing, directory) = (uploaded.missing.len(), directory.display());
    tracing::error!(
        "{missing} WARC files are not uploaded, the first: {} ({}). They are in {directory}; try again with: harvestman upload {directory}",
        first.name,
        first.why
    );
}
