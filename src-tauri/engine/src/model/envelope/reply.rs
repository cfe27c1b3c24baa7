use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::decode::read_json;

/// What a model answers in the envelope. JSON objects are written with their names in alphabetical order, and servers that
/// hold a model to a schema keep that order: so the names are such that what is said comes before the calls, and a tool's
/// name before what it is given.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    pub(super) say: String,
    #[serde(default, rename = "tools")]
    pub(super) calls: Vec<Call>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) name: String,
    #[serde(rename = "parameters")]
    pub(super) arguments: Map<String, Value>,
}

impl Reply {
    /// Accepts the object bare, fenced, or with prose around it; what is in it has to be exact.
    ///
    /// # Errors
    /// What is wrong, in words for the model.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else {
            return Err("there is no JSON object in it".to_owned());
        };
        let object = text.get(start..=end).ok_or("its JSON object does not end")?;
        let value = read_json(object).map_err(|error| error.to_string())?;
        let reply: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if reply.calls.iter().any(|call| call.name.trim().is_empty()) {
            return Err("a call has no name".to_owned());
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_bare_fenced_and_in_prose_and_read_strictly() {
        let object = r#"{"say":"hi","tools":[{"name":"ls","parameters":{"p":"."}}]}"#;
        for text in [object.to_owned(), format!("```json\n{object}\n```"), format!("Sure: {object} Done.")] {
            let reply = Reply::read(&text).unwrap();
            assert_eq!((reply.say.as_str(), reply.calls[0].name.as_str()), ("hi", "ls"));
            assert_eq!(reply.calls[0].arguments["p"], ".");
        }
        assert_eq!(Reply::read(r#"{"say":"x"}"#).unwrap().calls, []);
        for text in [
            "",
            "hello",
            "} {",
            r#"{"say":1,"tools":[]}"#,
            r#"{"tools":[]}"#,
            r#"{"say":"","tools":{}}"#,
            r#"{"say":"","tools":[{"name":"ls"}]}"#,
            r#"{"say":"","tools":[{"name":" ","parameters":{}}]}"#,
            r#"{"say":"","tools":[{"name":"ls","parameters":"{}"}]}"#,
            r#"{"say":"","tools":[],"more":1}"#,
            r#"{"say":"half"#,
        ] {
            assert!(Reply::read(text).is_err(), "{text}");
        }
    }
}
