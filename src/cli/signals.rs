//! SIGINT and SIGTERM: the first asks the crawl to finish what is in flight, the second ends the process at once.

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::exit::Exit;
use harvestman_report::StopFlag;

/// Listens for signals from now on, in a task of its own on the current runtime.
pub fn listen(stop: StopFlag) -> std::io::Result<()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        either(&mut interrupt, &mut terminate).await;
        tracing::warn!("stopping: finishing what is in flight; once more to stop at once");
        stop.request();
        either(&mut interrupt, &mut terminate).await;
        std::process::exit(i32::from(Exit::Interrupted as u8));
    });
    Ok(())
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
