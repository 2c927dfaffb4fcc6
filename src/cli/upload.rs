//! `harvestman upload`, and uploads during a crawl.

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
    /// Crawl directories
    #[arg(value_name = "DIR", required = true, value_hint = clap::ValueHint::DirPath)]
    directories: Vec<PathBuf>,

    /// Destination, as s3://BUCKET/PREFIX [default: HARVESTMAN_ARCHIVE_UPLOAD]
    #[arg(long, value_name = "PLACE")]
    to: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  To Amazon S3:
    export AWS_REGION=eu-central-1 AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…
    harvestman upload forum --to s3://archives/forum-2026
  To other S3-compatible storage (MinIO, Ceph, Garage and others):
    export AWS_ENDPOINT_URL=https://storage.example.org
    harvestman upload forum --to s3://archives/forum-2026
  During the crawl, each WARC file as soon as it is closed:
    harvestman crawl https://forum.example.org/ --out forum \\
        --set archive.upload=s3://archives/forum-2026

Uploads the closed WARC files that are missing at the destination and keeps the local copies, so the
command can be repeated and continues after an interruption. Uploads are atomic. A file is skipped
if a different file of the same name exists at the destination; then, or if an upload fails, the
exit code is 1.

Needs the cargo feature `upload`: packages have it, a build from source needs `--features full`.";

/// Uploads the WARC files of the given directories.
#[cfg(feature = "upload")]
pub fn run(args: &UploadArgs) -> Result<Exit, Failure> {
    use super::log;
    use harvestman_report::progress::Progress;
    use harvestman_storage::archive::upload::{UploadTarget, upload};

    log::start(&Config::default().log, std::sync::Arc::new(Progress::new(true, false)));
    let mut exit = Exit::Done;
    for directory in &args.directories {
        let place: UploadTarget = place(args, directory)?.parse().map_err(Failure::usage)?;
        let uploaded = upload(&place, directory).map_err(|error| Failure::new(Exit::Failed, error))?;
        log_result(&uploaded, &place, directory);
        if !uploaded.missing.is_empty() {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// Fails: this build has no uploads.
#[cfg(not(feature = "upload"))]
pub fn run(_: &UploadArgs) -> Result<Exit, Failure> {
    let without = "this build of harvestman has no uploads; enable them with `cargo build --release --features upload`";
    Err(Failure::usage(without))
}

/// Returns the destination of a crawl's files.
#[cfg(feature = "upload")]
fn place(args: &UploadArgs, directory: &std::path::Path) -> Result<String, Failure> {
    if !directory.is_dir() {
        return Err(Failure::usage(format!("directory {} does not exist", directory.display())));
    }
    if let Some(place) = &args.to {
        return Ok(place.clone());
    }
    // Not that of the crawl's config.toml: the directory may come from somebody else.
    match std::env::var("HARVESTMAN_ARCHIVE_UPLOAD") {
        Ok(place) if !place.is_empty() => Ok(place),
        _ => Err(Failure::usage(
            "no destination is given: add --to s3://BUCKET/PREFIX, or set HARVESTMAN_ARCHIVE_UPLOAD",
        )),
    }
}

/// Crawls, and uploads to `archive.upload` meanwhile.
#[cfg(feature = "upload")]
pub(super) fn with_uploads(
    config: &Config,
    crawl: impl FnOnce(Metrics) -> Result<Report, Failure>,
) -> Result<Report, Failure> {
    use harvestman_storage::archive::upload::{BackgroundUpload, UploadTarget};

    let metrics = pipeline::metrics(config);
    // The crawl reports an invalid value, together with all other mistakes.
    let Ok(place) = config.archive.upload.parse::<UploadTarget>() else { return crawl(metrics) };
    let directory = PathBuf::from(&config.crawl.out);
    let uploading = BackgroundUpload::begin(&place, &directory, metrics.archive.clone());
    let uploading = uploading.map_err(|error| Failure::usage(format!("archive.upload: {error}")))?;
    let report = crawl(metrics)?;
    log_result(&uploading.finish(), &place, &directory);
    Ok(report)
}

#[cfg(not(feature = "upload"))]
pub(super) fn with_uploads(
    config: &Config,
    crawl: impl FnOnce(Metrics) -> Result<Report, Failure>,
) -> Result<Report, Failure> {
    crawl(pipeline::metrics(config))
}

#[cfg(feature = "upload")]
fn log_result(
    uploaded: &harvestman_storage::archive::upload::UploadReport,
    place: &harvestman_storage::archive::upload::UploadTarget,
    directory: &std::path::Path,
) {
    use harvestman_report::figures;

    let (files, bytes) = (uploaded.files, figures::bytes(uploaded.bytes));
    let before = match uploaded.were_there {
        0 => String::new(),
        were_there => format!("; {were_there} had been uploaded before"),
    };
    tracing::info!("uploaded {files} WARC files ({bytes}) to {place}{before}");
    let Some(first) = uploaded.missing.first() else { return };
    let (missing, directory) = (uploaded.missing.len(), directory.display());
    tracing::error!(
        "{missing} WARC files were not uploaded, the first: {} ({}). They remain in {directory}; retry with: harvestman upload {directory} --to {place}",
        first.name,
        first.why
    );
}
