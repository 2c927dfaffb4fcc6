//! What stands around links: the lessons of the classifier, and the predictions of waiting links.

use super::LearnedPolicy;
use crate::{NewLink, Outcome};
use harvestman_core::url::CanonicalUrl;

impl LearnedPolicy {
    /// Takes in the contexts of a page's new links, and returns that of the link by which the page was found.
    pub(super) fn take_contexts(
        &mut self,
        url: &CanonicalUrl,
        outcome: &Outcome,
        new: &mut [NewLink],
    ) -> Option<Box<[u32]>> {
        let links = self.links.as_mut()?;
        let context = links.take(url.fingerprint());
        let inherited = context.as_deref().filter(|_| matches!(outcome, Outcome::Redirected));
        links.add(new, url.as_str(), inherited);
        if let Some(topic) = &mut self.topic {
            topic.see(new);
            if let Outcome::Page(facts) = outcome {
                links.meet(url.as_str(), &facts.links);
            }
        }
        context
    }

    /// Learns whether a page was wanted to which a link with this context led.
    pub(super) fn learn_context(&mut self, context: Option<Box<[u32]>>, wanted: bool) {
        if let (Some(links), Some(context)) = (&mut self.links, context) {
            links.learn(&context, wanted);
        }
    }

    /// Predicts the waiting links again, if that is due. Their classes change, and nothing else.
    pub(super) fn predict_again(&mut self) {
        if let Some(links) = self.links.as_mut().filter(|links| links.is_due()) {
            links.publish();
            self.generation += 1;
        }
    }
}
