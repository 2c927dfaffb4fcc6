//! What a server asks for by `Accept-Signature` (RFC 9421, section 5.1).

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use sfv::{BareItem, Dictionary, InnerList, Item, ListEntry, Parameters, Parser};

use super::agent::AgentForm;
use super::components::Component;
use super::form::SignatureForm;
use super::sign::{ALGORITHM, Identity, SIGNATURE_AGENT, TAG};

const ACCEPT_SIGNATURE: HeaderName = HeaderName::from_static("accept-signature");
/// Maximum length of a label.
const LABEL_MAX: usize = 64;
/// Maximum length of a nonce.
const NONCE_MAX: usize = 256;
/// Maximum number of components.
const COMPONENTS_MAX: usize = 16;
/// Maximum length of the name of a component.
const NAME_MAX: usize = 64;

/// What a response asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedSignature {
    /// No signature.
    Nothing,
    /// Signatures that this identity cannot make; with the reason why it cannot make the last of them.
    Unusable(&'static str),
    /// A signature that it can make.
    Signature(Demand),
}

/// A signature that a server asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// Its form.
    pub form: Arc<SignatureForm>,
    /// The nonce that the next signature must have; it may be used once.
    pub nonce: Option<String>,
}

impl Identity {
    /// Reads `Accept-Signature`. Of several signatures that the server asks for, this is the first that the identity
    /// can make. A header longer than `bytes_max` is not parsed.
    pub fn asked(&self, headers: &HeaderMap, bytes_max: usize) -> RequestedSignature {
        let lines: Vec<&[u8]> = headers.get_all(ACCEPT_SIGNATURE).iter().map(HeaderValue::as_bytes).collect();
        if lines.is_empty() {
            return RequestedSignature::Nothing;
        }
        if lines.iter().map(|line| line.len()).sum::<usize>() > bytes_max {
            return RequestedSignature::Unusable("the header is too long");
        }
        let joined = lines.join(&b", "[..]);
        let Ok(members) = Parser::new(&joined).parse::<Dictionary>() else {
            return RequestedSignature::Unusable("the header is not a dictionary of structured fields");
        };
        let mut reason = "the header names no signature";
        for (label, member) in &members {
            let ListEntry::InnerList(list) = member else {
                reason = "the value is not a list of components";
                continue;
            };
            match self.demand(label.as_str(), list) {
                Ok(demand) => return RequestedSignature::Signature(demand),
                Err(why) => reason = why,
            }
        }
        RequestedSignature::Unusable(reason)
    }

    /// Reads one member of the header.
    fn demand(&self, label: &str, list: &InnerList) -> Result<Demand, &'static str> {
        if label.len() > LABEL_MAX {
            return Err("the label is too long");
        }
        let required = [
            ("alg", ALGORITHM, "it must be of another algorithm"),
            ("keyid", self.key().thumbprint(), "it must be by another key"),
            ("tag", TAG, "it is for another application"),
        ];
        for (name, ours, why) in required {
            if text(&list.params, name).is_some_and(|theirs| theirs != ours) {
                return Err(why);
            }
        }
        let nonce = text(&list.params, "nonce").map(str::to_owned);
        if nonce.as_ref().is_some_and(|nonce| nonce.len() > NONCE_MAX) {
            return Err("the nonce is too long");
        }
        if list.items.len() > COMPONENTS_MAX {
            return Err("it must cover too many components");
        }
        let mut components = Vec::new();
        for item in &list.items {
            let component = self.component(label, item).ok_or("it must cover a component that is not supported")?;
            if components.contains(&component) {
                return Err("it must cover a component twice");
            }
            components.push(component);
        }
        let form = Arc::new(SignatureForm::new(label.to_owned(), components, self.agent()));
        Ok(Demand { form, nonce })
    }

    /// Returns the component that an item names; `None` if it is not supported.
    fn component(&self, label: &str, item: &Item) -> Option<Component> {
        let BareItem::String(name) = &item.bare_item else { return None };
        let name = Some(name.as_str()).filter(|name| name.len() <= NAME_MAX)?;
        if item.params.is_empty() {
            let component = Component::named(name)?;
            let is_agent = component == Component::Field(SIGNATURE_AGENT);
            return (!is_agent || self.agent().is_some()).then_some(component);
        }
        let is_ours = item.params.len() == 1 && text(&item.params, "key") == Some(label);
        let has_members = self.agent().is_some_and(|agent| agent.form == AgentForm::Dictionary);
        (name == SIGNATURE_AGENT.as_str() && is_ours && has_members).then_some(Component::AgentMember)
    }
}

/// Returns the value of a parameter that is a string.
fn text<'a>(params: &'a Parameters, name: &str) -> Option<&'a str> {
    match params.get(name)? {
        BareItem::String(text) => Some(text.as_str()),
        _ => None,
    }
}

#[cfg(test)]
#[path = "asked_tests.rs"]
mod tests;
