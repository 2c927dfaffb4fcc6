//! The log on standard error, beside the progress line.

use std::io::{self, Write};
use std::sync::Arc;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use harvestman_core::config::{LogFormat, LogLevel, LogOptions};
use harvestman_report::progress::Progress;
use harvestman_report::terminal;

/// Starts the log. Further calls have no effect.
pub fn start(options: &LogOptions, progress: Arc<Progress>) {
    let level = options.level.label();
    // The NATS client logs connection events that the fleet logs too.
    let filter = if level == "info" { format!("{level},async_nats=warn") } else { level.to_owned() };
    let filter = EnvFilter::new(filter);
    let has_colours = terminal::has_colours();
    let writer = BesideProgress { progress, has_colours: has_colours && options.format == LogFormat::Text };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(has_colours).with_writer(writer);
    // Only tests start more than one log per process.
    let _ = match options.format {
        LogFormat::Text => log.with_target(false).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}

/// Starts the log of a short command: warnings only, unless another level is set.
pub fn start_brief(options: &LogOptions) {
    let level = if options.level == LogLevel::Info { LogLevel::Warn } else { options.level };
    start(&LogOptions { level, ..options.clone() }, Arc::new(Progress::new(true, false)));
}

/// A writer to standard error that keeps the progress line intact.
struct BesideProgress {
    progress: Arc<Progress>,
    has_colours: bool,
}

impl<'a> MakeWriter<'a> for BesideProgress {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(self)
    }
}

/// Takes one event, whole.
struct Line<'a>(&'a BesideProgress);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(bytes);
        self.0.progress.suspend(|| terminal::log_line(&line, self.0.has_colours))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
