//! Loads what the holder of the policy publishes.

use std::sync::Arc;

use crate::bus::BusError;
use crate::node::shared::Shared;
use crate::policy::{Newest, PolicyPost};
use crate::wire::{Packer, open_publication};

pub(in crate::node) async fn follow(shared: Arc<Shared>, post: Arc<PolicyPost>) {
    let mut seen = 0;
    loop {
        let newest = shared.view.lock().policy.as_ref().and_then(|(record, _)| record.newest.clone());
        if let Some(newest) = newest
            && newest.version > post.followed().await
        {
            load(&shared, &post, &newest).await;
        }
        seen = shared.look(&shared.seen, seen).await;
    }
}

/// Loads a publication. Where that fails it is tried again at the next look, if it is still the newest one by then.
async fn load(shared: &Shared, post: &PolicyPost, newest: &Newest) {
    match shared.calls.once(shared.calls.bus.object(&newest.object)).await {
        Ok(Some(object)) => match open_publication(&object, &mut Packer::new()) {
            Ok(publication) => post.follow(newest.version, publication.into()).await,
            Err(error) => post.pass_over(newest.version, &error.to_string()).await,
        },
        // A newer one has come.
        Ok(None) | Err(BusError::Unreachable(_)) => {}
        Err(error) => tracing::warn!("version {} of the fleet's policy cannot be loaded: {error}", newest.version),
    }
}
