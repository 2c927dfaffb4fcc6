//! Loads what the holder of the policy publishes.

use std::sync::Arc;

use crate::bus::BusError;
use crate::node::context::NodeContext;
use crate::policy::{LatestPublication, PolicySession};
use crate::wire::{WireCodec, open_publication};

pub(in crate::node) async fn follow(context: Arc<NodeContext>, session_policy: Arc<PolicySession>) {
    let mut seen = 0;
    loop {
        let newest = context.view.lock().policy.as_ref().and_then(|(record, _)| record.newest.clone());
        if let Some(newest) = newest
            && newest.version > session_policy.followed().await
        {
            load(&context, &session_policy, &newest).await;
        }
        seen = context.changed_or_timeout(&context.view_changed, seen).await;
    }
}

/// Loads a publication. Where that fails it is tried again at the next look, if it is still the newest one by then.
async fn load(context: &NodeContext, session_policy: &PolicySession, newest: &LatestPublication) {
    match context.client.once(context.client.bus.object(&newest.object)).await {
        Ok(Some(object)) => match open_publication(&object, &mut WireCodec::new()) {
            Ok(publication) => session_policy.follow(newest.version, publication.into()).await,
            Err(error) => session_policy.pass_over(newest.version, &error.to_string()).await,
        },
        // A newer one has come.
        Ok(None) | Err(BusError::Unreachable(_)) => {}
        Err(error) => tracing::warn!("version {} of the fleet's policy cannot be loaded: {error}", newest.version),
    }
}
