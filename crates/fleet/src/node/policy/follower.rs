//! Loads the publications of the policy's holder.

use std::sync::Arc;

use crate::bus::BusError;
use crate::node::context::NodeContext;
use crate::policy::{LatestPublication, PolicySession};
use crate::wire::{WireCodec, decode_publication};

pub(in crate::node) async fn follow(context: Arc<NodeContext>, policy: Arc<PolicySession>) {
    let mut seen = 0;
    loop {
        let newest = context.view.lock().policy.as_ref().and_then(|(record, _)| record.newest.clone());
        if let Some(newest) = newest
            && newest.version > policy.followed().await
        {
            load(&context, &policy, &newest).await;
        }
        seen = context.changed_or_timeout(&context.view_changed, seen).await;
    }
}

/// Loads a publication. On failure the next poll retries, if the publication is still the latest.
async fn load(context: &NodeContext, policy: &PolicySession, newest: &LatestPublication) {
    match context.client.once(context.client.bus.object(&newest.object)).await {
        Ok(Some(object)) => match decode_publication(&object, &mut WireCodec::new()) {
            Ok(publication) => policy.follow(newest.version, publication.into()).await,
            Err(error) => policy.skip(newest.version, &error.to_string()).await,
        },
        // A newer publication has replaced it.
        Ok(None) | Err(BusError::Unreachable(_)) => {}
        Err(error) => tracing::warn!("cannot load version {} of the fleet's policy: {error}", newest.version),
    }
}
