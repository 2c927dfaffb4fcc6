//! SIGINT and SIGTERM: the first finishes the requests in flight and ends the crawl, the second exits at once.

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::exit::Exit;
use harvestman_report::StopFlag;

/// Starts listening for signals, in a task on the current runtime.
pub fn listen(stop: StopFlag) -> std::io::Result<()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        either(&mut interrupt, &mut terminate).await;
        tracing::warn!("stopping: finishing requests in flight; repeat the signal to exit immediately");
        stop.request();
        either(&mut interrupt, &mut terminate).await;
        std::process::exit(i32::from(Exit::Interrupted as u8));
    });
    Ok(())
}

/// Waits for the next signal.
///
/// # Errors
///
/// Signals cannot be listened for.
pub async fn next() -> std::io::Result<()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    either(&mut interrupt, &mut terminate).await;
    Ok(())
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
