//! The parameters of a search over HTTP.

/// Results per page, unless asked otherwise.
const COUNT: usize = 10;
/// Maximum number of results per page.
const COUNT_MAX: usize = 100;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerFormat {
    /// JSON in the form of SearXNG.
    Json,
    /// RSS 2.0 with OpenSearch elements.
    Rss,
    /// A page.
    Html,
}

impl AnswerFormat {
    /// Returns the value of the parameter `format`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Rss => "rss",
            Self::Html => "html",
        }
    }
}

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    /// The words.
    pub query: String,
    /// Results per page, from 1.
    pub count: usize,
    /// The page of results, from 1.
    pub page: usize,
    /// The form of the answer.
    pub format: AnswerFormat,
}

impl Question {
    /// Reads the query component of a URL. Empty parameters are as missing ones, because programs leave optional ones
    /// empty; unknown ones are ignored. Of several with one name the last one counts.
    ///
    /// # Errors
    /// A parameter has an impossible value, or `q` is missing.
    pub fn parse(component: &str) -> Result<Self, String> {
        let mut question = Self { query: String::new(), count: COUNT, page: 1, format: AnswerFormat::Json };
        for (name, value) in url::form_urlencoded::parse(component.as_bytes()).filter(|(_, value)| !value.is_empty()) {
            match &*name {
                "q" => question.query = value.into_owned(),
                "count" => question.count = number(&name, &value)?.min(COUNT_MAX),
                "page" | "pageno" => question.page = number(&name, &value)?,
                "format" => question.format = format(&value)?,
                _ => {}
            }
        }
        if question.query.is_empty() {
            return Err("the parameter q, the words to search for, is missing".to_owned());
        }
        Ok(question)
    }

    /// Returns the number of results before this page.
    pub const fn offset(&self) -> usize {
        (self.page - 1).saturating_mul(self.count)
    }

    /// Returns the path of another page of the same results.
    pub fn path_of(&self, page: usize) -> String {
        let mut parameters = url::form_urlencoded::Serializer::for_suffix("/search?".to_owned(), "/search?".len());
        let (count, page) = (self.count.to_string(), page.to_string());
        parameters.append_pair("q", &self.query).append_pair("count", &count).append_pair("page", &page);
        parameters.append_pair("format", self.format.name()).finish()
    }
}

fn number(name: &str, value: &str) -> Result<usize, String> {
    value.parse().ok().filter(|number| *number > 0).ok_or_else(|| format!("{name} is not a number from 1: {value}"))
}

fn format(value: &str) -> Result<AnswerFormat, String> {
    let known = [AnswerFormat::Json, AnswerFormat::Rss, AnswerFormat::Html];
    let found = known.into_iter().find(|format| format.name() == value);
    found.ok_or_else(|| format!("format is none of json, rss and html: {value}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn empty_and_unknown_parameters_are_ignored() {
        let question = Question::parse("q=hot-shoe+%22a%26b%22&count=&page=&language=all").unwrap();
        let expected =
            Question { query: "hot-shoe \"a&b\"".to_owned(), count: COUNT, page: 1, format: AnswerFormat::Json };
        assert_eq!((question.offset(), question), (0, expected));
    }

    #[test]
    fn impossible_values_are_refused() {
        for wrong in ["", "q=", "q=x&page=0", "q=x&count=-1", "q=x&page=one", "q=x&format=xml"] {
            assert!(Question::parse(wrong).is_err(), "{wrong}");
        }
        let question = Question::parse("q=x&count=1000&pageno=3&format=rss").unwrap();
        assert_eq!((question.count, question.offset(), question.format), (COUNT_MAX, 2 * COUNT_MAX, AnswerFormat::Rss));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_path_of_a_page_is_read_as_written(query in "\\PC{1,30}", count in 1..=COUNT_MAX, page in 1_usize..) {
            let question = Question { query, count, page: 1, format: AnswerFormat::Html };
            let path = question.path_of(page);
            let read = Question::parse(path.strip_prefix("/search?").unwrap());
            prop_assert_eq!(read, Ok(Question { page, ..question }));
        }
    }
}
