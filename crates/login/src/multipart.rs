//! `multipart/form-data` with text fields only. Source: RFC 7578; the HTML standard, "multipart/form-data encoding
//! algorithm".

/// Returns the media type and the body. The boundary occurs in no field.
pub(crate) fn encode(fields: &[(Vec<u8>, Vec<u8>)]) -> (String, Vec<u8>) {
    let boundary = boundary(fields);
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend_from_slice(format!("--{boundary}\r\nContent-Disposition: form-data; name=\"").as_bytes());
        body.extend(escaped(name));
        body.extend_from_slice(b"\"\r\n\r\n");
        body.extend_from_slice(value);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// Returns the first boundary of a series that no field contains. Each field contains only so many, so there is one.
fn boundary(fields: &[(Vec<u8>, Vec<u8>)]) -> String {
    let is_free = |boundary: &String| {
        let contains = |text: &[u8]| text.windows(boundary.len()).any(|part| part == boundary.as_bytes());
        !fields.iter().any(|(name, value)| contains(name) || contains(value))
    };
    let mut series = (0_u64..).map(|number| format!("----form-boundary-{number:020}"));
    series.find(is_free).unwrap_or_default()
}

/// Escapes what would end a name.
fn escaped(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter().flat_map(|byte| match byte {
        b'"' => b"%22".to_vec(),
        b'\r' => b"%0D".to_vec(),
        b'\n' => b"%0A".to_vec(),
        other => vec![*other],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_parts_and_the_boundary_is_in_none() {
        let fields =
            [(b"a\"\r\n".to_vec(), b"1".to_vec()), (b"p".to_vec(), b"----form-boundary-00000000000000000000".to_vec())];
        let (media_type, body) = encode(&fields);
        let boundary = "----form-boundary-00000000000000000001";
        assert_eq!(media_type, format!("multipart/form-data; boundary={boundary}"));
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a%22%0D%0A\"\r\n\r\n1\r\n--{boundary}\r\n\
             Content-Disposition: form-data; name=\"p\"\r\n\r\n----form-boundary-00000000000000000000\r\n--{boundary}--\r\n"
        );
        assert_eq!(String::from_utf8(body).unwrap(), expected);
    }
}
