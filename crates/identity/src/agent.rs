//! `Signature-Agent`: the address at which sites find the public key.

use http::Uri;

use super::base::authority_of;

/// Maximum length of the address.
const URL_BYTES_MAX: usize = 1_024;

/// How `Signature-Agent` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentForm {
    /// As a dictionary, `sig1="https://bot.example.org"`: since draft-meunier-web-bot-auth-architecture-04.
    #[default]
    Dictionary,
    /// As a string, `"https://bot.example.org"`: the form of earlier drafts, which many verifiers still expect.
    String,
}

/// The address at which sites find the public key, in the form in which it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureAgent {
    /// A structured-field item: the address as a string.
    pub(super) item: String,
    pub(super) form: AgentForm,
}

impl SignatureAgent {
    /// Parses an address: an origin (`https://bot.example.org`), which stands for the directory at its well-known path
    /// in all drafts up to draft-ietf-webbotauth-httpsig-protocol-00, or the address of the key set itself, which -01
    /// requires.
    ///
    /// # Errors
    ///
    /// What is wrong with the address, and what to do.
    pub fn parse(url: &str, form: AgentForm) -> Result<Self, &'static str> {
        const WRONG: &str = "not a usable address; write an https origin such as https://bot.example.org, without user name and fragment";
        let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b'#' | b'@');
        if url.len() > URL_BYTES_MAX || !url.bytes().all(plain) {
            return Err(WRONG);
        }
        let uri: Uri = url.parse().map_err(|_| WRONG)?;
        let authority = authority_of(&uri).filter(|_| uri.scheme_str() == Some("https")).ok_or(WRONG)?;
        // An origin is sent as such. Its members have no parameters (draft -01): verifiers would ignore them.
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let path = if path == "/" { "" } else { path };
        let item = format!(r#""https://{authority}{path}""#);
        Ok(Self { item, form })
    }

    /// Returns the value of the header for a signature with this label.
    pub(super) fn header(&self, label: &str) -> String {
        match self.form {
            AgentForm::Dictionary => format!("{label}={}", self.item),
            AgentForm::String => self.item.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(url: &str, form: AgentForm) -> Option<String> {
        Some(SignatureAgent::parse(url, form).ok()?.header("sig1"))
    }

    #[test]
    fn an_origin_is_sent_as_its_serialisation() {
        for url in ["https://bot.example.org", "https://BOT.example.org:443/"] {
            assert_eq!(header(url, AgentForm::Dictionary).unwrap(), r#"sig1="https://bot.example.org""#);
            assert_eq!(header(url, AgentForm::String).unwrap(), r#""https://bot.example.org""#);
        }
        let port = header("https://bot.example.org:8443", AgentForm::Dictionary);
        assert_eq!(port.unwrap(), r#"sig1="https://bot.example.org:8443""#);
    }

    #[test]
    fn an_address_with_a_path_is_that_of_the_key_set() {
        let url = "https://a.test/keys?of=Me";
        assert_eq!(header(url, AgentForm::Dictionary).unwrap(), r#"sig1="https://a.test/keys?of=Me""#);
        assert_eq!(header(url, AgentForm::String).unwrap(), r#""https://a.test/keys?of=Me""#);
    }

    #[test]
    fn an_address_that_no_verifier_may_fetch_is_refused() {
        let long = format!("https://a.test/{}", "x".repeat(URL_BYTES_MAX));
        for url in ["http://a.test", "a.test", "", "https://", "https://me@a.test", "https://a.test/#x", &long] {
            assert!(SignatureAgent::parse(url, AgentForm::Dictionary).is_err(), "{url}");
        }
        for url in ["https://a.test/\"", "https://a.test/\n", "https://ä.test", "https://a.test/ b"] {
            assert!(SignatureAgent::parse(url, AgentForm::Dictionary).is_err(), "{url}");
        }
    }
}
