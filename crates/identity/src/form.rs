//! The form of a signature: its label and the components that it covers.

use http::HeaderName;

use super::agent::{AgentForm, SignatureAgent};
use super::components::Component;

/// The label of a signature for which the server names none.
const USUAL_LABEL: &str = "sig1";

/// The form of a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureForm {
    pub(super) label: String,
    pub(super) components: Vec<Component>,
}

impl SignatureForm {
    /// Returns the form of a signature that the server has not specified.
    pub(super) fn usual(agent: Option<&SignatureAgent>) -> Self {
        Self::new(USUAL_LABEL.to_owned(), Vec::new(), agent)
    }

    /// Creates a form with these components, and with those that Web Bot Auth requires of any signature: the authority
    /// (or the whole URL) and the agent that is sent.
    pub(super) fn new(label: String, mut components: Vec<Component>, agent: Option<&SignatureAgent>) -> Self {
        if !components.iter().any(|it| matches!(it, Component::Authority | Component::TargetUri)) {
            components.push(Component::Authority);
        }
        let whole = Component::Field(HeaderName::from_static("signature-agent"));
        if let Some(agent) = agent
            && !components.iter().any(|it| *it == Component::AgentMember || *it == whole)
        {
            components.push(match agent.form {
                AgentForm::Dictionary => Component::AgentMember,
                AgentForm::String => whole,
            });
        }
        Self { label, components }
    }

    /// Returns whether a signature of this form covers nothing but the host and the agent, so that it holds for every
    /// request to the host.
    pub fn is_for_any_request(&self) -> bool {
        let agent = HeaderName::from_static("signature-agent");
        self.components.iter().all(|component| match component {
            Component::Authority | Component::Scheme | Component::AgentMember => true,
            Component::Field(name) => *name == agent,
            Component::Method | Component::TargetUri | Component::Path | Component::Query => false,
        })
    }

    /// Returns whether a signature of this form has what `asked` requires: its label and its components.
    pub fn covers(&self, asked: &Self) -> bool {
        self.label == asked.label && asked.components.iter().all(|component| self.components.contains(component))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(form: AgentForm) -> SignatureAgent {
        SignatureAgent::parse("https://bot.test", form).unwrap()
    }

    #[test]
    fn the_usual_form_covers_the_authority_and_the_agent_that_is_sent() {
        assert_eq!(SignatureForm::usual(None).components, [Component::Authority]);
        let member = SignatureForm::usual(Some(&agent(AgentForm::Dictionary)));
        assert_eq!(member.components, [Component::Authority, Component::AgentMember]);
        let whole = SignatureForm::usual(Some(&agent(AgentForm::String)));
        assert_eq!(whole.components[1].identifier("sig1"), "\"signature-agent\"");
    }

    #[test]
    fn what_a_server_asks_for_comes_first_and_nothing_twice() {
        let agent = agent(AgentForm::Dictionary);
        let form = |components| SignatureForm::new("a".to_owned(), components, Some(&agent)).components;
        let asked = vec![Component::TargetUri, Component::AgentMember];
        assert_eq!(form(asked.clone()), asked);
        assert_eq!(form(vec![Component::Method]), [Component::Method, Component::Authority, Component::AgentMember]);
    }

    #[test]
    fn a_form_without_parts_of_the_request_is_for_any_request() {
        let form = |components| SignatureForm::new("a".to_owned(), components, Some(&agent(AgentForm::String)));
        assert!(form(vec![]).is_for_any_request() && form(vec![Component::Scheme]).is_for_any_request());
        for component in [Component::Method, Component::TargetUri, Component::Path, Component::Query] {
            assert!(!form(vec![component]).is_for_any_request());
        }
        assert!(!form(vec![Component::Field(HeaderName::from_static("cookie"))]).is_for_any_request());
    }

    #[test]
    fn a_form_covers_another_one_with_its_label_and_no_more_components() {
        let form = |label: &str, components| SignatureForm::new(label.to_owned(), components, None);
        let wide = form("a", vec![Component::Method]);
        assert!(wide.covers(&wide) && wide.covers(&form("a", vec![])));
        assert!(!wide.covers(&form("b", vec![])) && !wide.covers(&form("a", vec![Component::Path])));
    }
}
