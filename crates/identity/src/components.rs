//! The components of a request that a signature can cover (RFC 9421, section 2), and what a request is for.

use http::{HeaderMap, HeaderName, Uri};

use super::base::authority_of;

/// A component of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Component {
    /// `@method`.
    Method,
    /// `@authority`: host and port.
    Authority,
    /// `@scheme`.
    Scheme,
    /// `@target-uri`: the whole URL.
    TargetUri,
    /// `@path`.
    Path,
    /// `@query`, with its question mark.
    Query,
    /// A header field.
    Field(HeaderName),
    /// The member of `Signature-Agent` that has the label of the signature.
    AgentMember,
}

/// The components that are not header fields, with their names.
const DERIVED: &[(Component, &str)] = &[
    (Component::Method, "@method"),
    (Component::Authority, "@authority"),
    (Component::Scheme, "@scheme"),
    (Component::TargetUri, "@target-uri"),
    (Component::Path, "@path"),
    (Component::Query, "@query"),
];

impl Component {
    /// Returns the component without parameters that has this name; `None` if it is not supported.
    pub(super) fn named(name: &str) -> Option<Self> {
        if name.starts_with('@') {
            return DERIVED.iter().find(|(_, known)| *known == name).map(|(component, _)| component.clone());
        }
        // Names of fields are in lower case (section 2.1).
        let is_lower = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        HeaderName::from_bytes(name.as_bytes()).ok().filter(|_| is_lower).map(Self::Field)
    }

    /// Returns the serialised identifier, in a signature with this label.
    pub(super) fn identifier(&self, label: &str) -> String {
        match self {
            Self::AgentMember => format!(r#""signature-agent";key="{label}""#),
            Self::Field(name) => format!(r#""{name}""#),
            derived => {
                let name = DERIVED.iter().find(|(component, _)| component == derived).map(|(_, name)| *name);
                format!(r#""{}""#, name.unwrap_or_default())
            }
        }
    }

    /// Returns the value in a request; `None` if the request does not have the component. `agent` is the member of
    /// `Signature-Agent`.
    pub(super) fn value(&self, request: RequestTarget<'_>, headers: &HeaderMap, agent: Option<&str>) -> Option<String> {
        let uri = request.uri;
        Some(match self {
            Self::Method => request.method.to_owned(),
            Self::Authority => authority_of(uri)?,
            Self::Scheme => uri.scheme_str()?.to_owned(),
            Self::TargetUri => {
                let path = uri.path_and_query().map_or("/", |path| path.as_str());
                format!("{}://{}{path}", uri.scheme_str()?, authority_of(uri)?)
            }
            Self::Path if uri.path().is_empty() => "/".to_owned(),
            Self::Path => uri.path().to_owned(),
            Self::Query => format!("?{}", uri.query().unwrap_or_default()),
            Self::Field(name) => field(headers, name)?,
            Self::AgentMember => agent?.to_owned(),
        })
    }
}

/// Returns the value of a field (section 2.1): its lines, without white space around each, joined by commas.
fn field(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut lines = headers.get_all(name).iter();
    let mut value = lines.next()?.to_str().ok()?.trim().to_owned();
    for line in lines {
        value.push_str(", ");
        value.push_str(line.to_str().ok()?.trim());
    }
    Some(value)
}

/// The method and the URL of a request.
#[derive(Debug, Clone, Copy)]
pub struct RequestTarget<'a> {
    /// The method.
    pub method: &'a str,
    /// The whole URL, as it is requested.
    pub uri: &'a Uri,
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, Uri};

    use super::*;

    fn value(component: &str, uri: &str, headers: &HeaderMap) -> Option<String> {
        let uri: Uri = uri.parse().unwrap();
        Component::named(component)?.value(RequestTarget { method: "HEAD", uri: &uri }, headers, None)
    }

    #[test]
    fn derived_components_have_the_values_of_section_2_2() {
        let none = HeaderMap::new();
        let of = |name, uri| value(name, uri, &none).unwrap();
        assert_eq!(of("@method", "http://a.test/"), "HEAD");
        assert_eq!(of("@scheme", "https://a.test/"), "https");
        assert_eq!(of("@target-uri", "https://a.test:443/p%20q?x=1&y"), "https://a.test/p%20q?x=1&y");
        assert_eq!(of("@path", "http://a.test"), "/");
        assert_eq!(of("@path", "http://a.test/a//b/?q"), "/a//b/");
        assert_eq!(of("@query", "http://a.test/p?param=value&foo=bar"), "?param=value&foo=bar");
        assert_eq!(of("@query", "http://a.test/p"), "?");
        assert_eq!(of("@query", "http://a.test/p?"), "?");
    }

    #[test]
    fn lines_of_a_field_are_trimmed_and_joined() {
        let mut headers = HeaderMap::new();
        headers.append("cache-control", HeaderValue::from_static(" max-age=60"));
        headers.append("cache-control", HeaderValue::from_static("must-revalidate  "));
        headers.append("x-empty", HeaderValue::from_static(""));
        headers.append("x-bytes", HeaderValue::from_bytes(b"stra\xdfe").unwrap());
        assert_eq!(value("cache-control", "/", &headers).unwrap(), "max-age=60, must-revalidate");
        assert_eq!(value("x-empty", "/", &headers).unwrap(), "");
        assert_eq!(value("x-bytes", "/", &headers), None);
        assert_eq!(value("x-none", "/", &headers), None);
    }

    #[test]
    fn components_of_responses_and_names_in_upper_case_are_not_supported() {
        for name in ["@status", "@query-param", "@request-target", "@signature-params", "@", "", "Date", "a b"] {
            assert_eq!(Component::named(name), None, "{name}");
        }
    }

    #[test]
    fn every_named_component_has_its_name_as_identifier() {
        for (component, name) in DERIVED {
            assert_eq!(Component::named(name).as_ref(), Some(component));
            assert_eq!(component.identifier("sig1"), format!("\"{name}\""));
        }
        assert_eq!(Component::named("date").unwrap().identifier("sig1"), "\"date\"");
        assert_eq!(Component::AgentMember.identifier("a"), "\"signature-agent\";key=\"a\"");
    }
}
