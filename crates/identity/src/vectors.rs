//! The examples of the standards: RFC 9421, appendix B.2.6, and draft-ietf-webbotauth-httpsig-protocol-00 and -01,
//! appendix *Test Vectors*, with the JSON files that they name.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Uri};

use super::agent::{AgentForm, SignatureAgent};
use super::asked::RequestedSignature;
use super::base::{Covered, Lifetime, SignatureParams};
use super::components::{Component, RequestTarget};
use super::directory::Directory;
use super::form::SignatureForm;
use super::key::SigningKey;
use super::sign::{Identity, SIGNATURE, SIGNATURE_AGENT, SIGNATURE_INPUT};

/// `test-key-ed25519` of RFC 9421, appendix B.1.4.
pub(super) const ED25519_PEM: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";
/// Its thumbprint.
pub(super) const ED25519_THUMBPRINT: &str = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";

/// The lifetime of the drafts' examples.
const LIFETIME: Lifetime = Lifetime { created: 1_735_689_600, expires: 4_889_289_600 };

fn key() -> SigningKey {
    SigningKey::from_pem(ED25519_PEM.as_bytes()).unwrap()
}

/// The headers of a signature of a GET request for the drafts' URL.
fn signed(agent: Option<AgentForm>, form: Option<SignatureForm>, lifetime: Lifetime, nonce: &str) -> [String; 3] {
    let agent = agent.map(|form| SignatureAgent::parse("https://signature-agent.test", form).unwrap());
    let identity = Identity::new(key(), agent);
    let uri: Uri = "https://example.com/path/to/resource".parse().unwrap();
    let target = RequestTarget { method: "GET", uri: &uri };
    let mut headers = HeaderMap::new();
    let form = form.map_or_else(|| Arc::clone(identity.usual()), Arc::new);
    identity.sign(target, &mut headers, &form, lifetime, Some(nonce)).unwrap();
    [SIGNATURE_AGENT, SIGNATURE_INPUT, SIGNATURE]
        .map(|name| headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default())
}

#[test]
fn rfc_9421_appendix_b_2_6() {
    let mut headers = HeaderMap::new();
    headers.insert("date", HeaderValue::from_static("Tue, 20 Apr 2021 02:07:55 GMT"));
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert("content-length", HeaderValue::from_static("18"));
    let uri: Uri = "https://example.com/foo?param=Value&Pet=dog".parse().unwrap();
    let request = RequestTarget { method: "POST", uri: &uri };
    let mut covered = Covered::default();
    for name in ["date", "@method", "@path", "@authority", "content-type", "content-length"] {
        let component = Component::named(name).unwrap();
        covered.add(&component.identifier(""), &component.value(request, &headers, None).unwrap());
    }
    let params = SignatureParams {
        created: 1_618_884_473,
        keyid: "test-key-ed25519",
        alg: None,
        expires: None,
        nonce: None,
        tag: None,
    };
    let base = covered.with(&params);
    let expected = "\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n\"@method\": POST\n\"@path\": /foo\n\
        \"@authority\": example.com\n\"content-type\": application/json\n\"content-length\": 18\n\
        \"@signature-params\": (\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \"content-length\")\
        ;created=1618884473;keyid=\"test-key-ed25519\"";
    assert_eq!(base.text, expected);
    let signature = key().sign(base.text.as_bytes());
    assert_eq!(signature, "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==");
}

#[test]
fn a_signature_without_agent_is_that_of_the_drafts() {
    let nonce = "zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==";
    let [agent, input, signature] = signed(None, None, LIFETIME, nonce);
    assert_eq!(agent, "");
    let params = format!(
        ";created=1735689600;keyid=\"{ED25519_THUMBPRINT}\";alg=\"ed25519\";expires=4889289600;nonce=\"{nonce}\";tag=\"web-bot-auth\""
    );
    assert_eq!(input, format!("sig1=(\"@authority\"){params}"));
    let expected = "sig1=:QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==:";
    assert_eq!(signature, expected);
}

#[test]
fn a_signature_with_an_agent_is_that_of_the_drafts() {
    // In this example the label of the signature (`sig2`) is not the key of the agent (`agent2`), which the text of the
    // draft requires since. Labels of signatures are not signed, so a form with the label `agent2` signs the same text.
    let form =
        SignatureForm { label: "agent2".to_owned(), components: vec![Component::Authority, Component::AgentMember] };
    let nonce = "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";
    let [agent, input, signature] = signed(Some(AgentForm::Dictionary), Some(form), LIFETIME, nonce);
    assert_eq!(agent, "agent2=\"https://signature-agent.test\"");
    assert!(input.starts_with("agent2=(\"@authority\" \"signature-agent\";key=\"agent2\");created=1735689600;keyid="));
    let expected = "agent2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:";
    assert_eq!(signature, expected);
}

#[test]
fn a_signature_whose_label_is_the_key_of_the_agent_is_that_of_the_latest_draft() {
    let form =
        SignatureForm { label: "sig2".to_owned(), components: vec![Component::Authority, Component::AgentMember] };
    let nonce = "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";
    let [agent, _, signature] = signed(Some(AgentForm::Dictionary), Some(form), LIFETIME, nonce);
    assert_eq!(agent, "sig2=\"https://signature-agent.test\"");
    let expected = "sig2=:CGokAoY/FrPpyuzTe1Fb2kLTAH9Idw6qSFd1+D77r1firsMRCxeuLu5e6O+ek3zQgDMAzjiXtLVfqE00xnABCQ==:";
    assert_eq!(signature, expected);
}

#[test]
fn a_signature_with_an_agent_in_the_form_of_a_string_is_that_of_the_drafts() {
    let lifetime = Lifetime { expires: 1_735_693_200, ..LIFETIME };
    let nonce = "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";
    let [agent, input, signature] = signed(Some(AgentForm::String), None, lifetime, nonce);
    assert_eq!(agent, "\"https://signature-agent.test\"");
    assert!(input.starts_with("sig1=(\"@authority\" \"signature-agent\");created="));
    let expected = "sig1=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:";
    assert_eq!(signature, expected);
}

#[test]
fn a_signed_directory_is_that_of_the_drafts() {
    let keys = [key()];
    let directory = Directory::new(&keys);
    let body = concat!(
        r#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U","#,
        r#""x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}]}"#
    );
    assert_eq!(directory.body(), body);
    let headers = directory.headers("signature-agent.test", LIFETIME);
    assert_eq!(headers.content_digest, "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:");
    let input = "binding0=(\"@authority\";req \"content-digest\");created=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\"\
        ;alg=\"ed25519\";expires=4889289600;tag=\"http-message-signatures-directory\"";
    assert_eq!(headers.signature_input, input);
    let signature =
        "binding0=:yiHq0TXrbpzbmlttAQMpYoAufitFJUWuNsakB7QQMoN0EHbo5o51bZRVR8az/ptTWCwllix9clrKXfGKwdPzBg==:";
    assert_eq!(headers.signature, signature);
}

#[test]
fn the_request_for_a_signature_of_rfc_9421_section_5_1_is_understood_but_is_for_another_key() {
    let mut headers = HeaderMap::new();
    let example = "sig1=(\"@method\" \"@target-uri\" \"@authority\" \"content-digest\" \"cache-control\");keyid=\"test-key-rsa-pss\";created;tag=\"app-123\"";
    headers.insert("accept-signature", HeaderValue::from_static(example));
    assert!(matches!(Identity::new(key(), None).asked(&headers, 8_192), RequestedSignature::Unusable(_)));
}
