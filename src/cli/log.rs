//! The log on standard error, beside the progress line.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use harvestman_core::config::{LogFormat, LogLevel, LogOptions};
use harvestman_report::progress::Progress;

/// Starts the log. Further calls have no effect.
pub fn start(options: &LogOptions, progress: Arc<Progress>) {
    let level = options.level.label();
    // The NATS client logs connection events that the fleet logs too.
    let filter = if level == "info" { format!("{level},async_nats=warn") } else { level.to_owned() };
    let filter = EnvFilter::new(filter);
    let colours = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let log =
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(BesideProgress(progress));
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
struct BesideProgress(Arc<Progress>);

impl<'a> MakeWriter<'a> for BesideProgress {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(&self.0)
    }
}

struct Line<'a>(&'a Progress);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
