//! What local model servers tell of a model beside the dialect, each in its own way.

use std::time::Duration;

use serde_json::{Value, json};

use super::http::About;
use super::{ModelError, ModelProvider as _, Provider};

/// They answer from memory, or not at all. For one question, and for all of them.
const LIMIT: Duration = Duration::from_secs(3);
/// Room that Ollama gives a model unless it is told otherwise, in tokens.
const OLLAMA_ROOM: u32 = 4096;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Whether the model's template knows tools.
    pub(super) tools: Option<bool>,
    /// The room that the server gives the model, which is often less than the model could have.
    pub(super) context_tokens: Option<u32>,
}

/// Asks in one way after the other until both are known: nothing tells beforehand which server it is, and a small one may
/// take one connection at a time. Nothing asked here makes a model speak. `None`: it could not be reached.
pub(super) async fn say(provider: &Provider) -> Option<Said> {
    let asking = async {
        let mut said = Said::default();
        let mut reached = false;
        for way in [Way::LlamaCpp, Way::Ollama, Way::LmStudio, Way::Dialect] {
            let more = way.ask(provider).await;
            reached |= !matches!(more, Err(ModelError::Network { .. }));
            let more = more.unwrap_or_default();
            said.tools = said.tools.or(more.tools);
            said.context_tokens = said.context_tokens.or(more.context_tokens);
            if !reached || (said.tools.is_some() && said.context_tokens.is_some()) {
                break;
            }
        }
        reached.then_some(said)
    };
    tokio::time::timeout(LIMIT, asking).await.ok().flatten()
}

/// One family of servers.
#[derive(Debug, Clone, Copy)]
enum Way {
    LlamaCpp,
    Ollama,
    LmStudio,
    Dialect,
}

impl Way {
    async fn ask(self, provider: &Provider) -> Result<Said, ModelError> {
        let name = provider.name();
        match self {
            Self::LlamaCpp => Ok(llama_cpp(&provider.about(&About::Own("props"), LIMIT).await?)),
            Self::Ollama => {
                // Only where this is answered is the other asked: elsewhere it may be taken for a completion.
                let loaded = provider.about(&About::Own("api/ps"), LIMIT).await?;
                if !loaded["models"].is_array() {
                    return Ok(Said::default());
                }
                let question = About::Asked("api/show", json!({ "model": name }));
                Ok(ollama(&provider.about(&question, LIMIT).await?, &loaded, &name))
            }
            Self::LmStudio => {
                Ok(lm_studio(&provider.about(&About::Own("api/v0/models"), LIMIT).await?, &name))
            }
            Self::Dialect => Ok(dialect(&provider.about(&About::Dialect("models"), LIMIT).await?, &name)),
        }
    }
}

fn llama_cpp(props: &Value) -> Said {
    let can = |name: &str| props.pointer(&format!("/chat_template_caps/{name}")).and_then(Value::as_bool);
    Said {
        tools: can("supports_tool_calls").or_else(|| can("supports_tools")),
        context_tokens: tokens(props.pointer("/default_generation_settings/n_ctx")),
    }
}

fn ollama(shown: &Value, loaded: &Value, name: &str) -> Said {
    let abilities = shown.get("capabilities").and_then(Value::as_array);
    let model = named(loaded, "models", &["model", "name"], name);
    let set = shown.get("parameters").and_then(Value::as_str).and_then(|parameters| {
        parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok())
    });
    let largest = shown.get("model_info").and_then(Value::as_object).and_then(|info| {
        info.iter()
            .find(|(key, _)| key.ends_with(".context_length"))
            .and_then(|(_, value)| tokens(Some(value)))
    });
    Said {
        tools: abilities.map(|list| list.iter().any(|ability| ability == "tools")),
        context_tokens: model
            .and_then(|model| tokens(model.get("context_length")))
            .or(set)
            .or_else(|| largest.map(|largest| largest.min(OLLAMA_ROOM))),
    }
}

fn lm_studio(list: &Value, name: &str) -> Said {
    let Some(model) = named(list, "data", &["id"], name) else { return Said::default() };
    let abilities = model.get("capabilities").and_then(Value::as_array);
    Said {
        // It lists those that were trained for tools; others it drives in a way of its own, which has to be tried.
        tools: abilities.filter(|list| list.iter().any(|ability| ability == "tool_use")).map(|_| true),
        context_tokens: tokens(model.get("loaded_context_length")),
    }
}

/// vLLM, llama.cpp and others beside the model's name.
fn dialect(list: &Value, name: &str) -> Said {
    let model = named(list, "data", &["id"], name);
    let paths = ["/max_model_len", "/meta/n_ctx", "/context_length", "/context_window"];
    Said {
        tools: None,
        context_tokens: model.and_then(|model| paths.iter().find_map(|path| tokens(model.pointer(path)))),
    }
}

/// The model of this name in a list.
fn named<'l>(list: &'l Value, of: &str, fields: &[&str], name: &str) -> Option<&'l Value> {
    let models = list.get(of)?.as_array()?;
    let is = |model: &&Value| fields.iter().any(|field| model.get(field).is_some_and(|text| text == name));
    models.iter().find(is)
}

fn tokens(count: Option<&Value>) -> Option<u32> {
    count?.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_is_understood() {
        let caps = |tools: bool| {
            json!({
                "default_generation_settings": { "n_ctx": 4096 },
                "chat_template_caps": { "supports_tools": tools, "supports_tool_calls": tools },
            })
        };
        assert_eq!(llama_cpp(&caps(true)), Said { tools: Some(true), context_tokens: Some(4096) });
        assert_eq!(llama_cpp(&caps(false)).tools, Some(false));
        assert_eq!(llama_cpp(&json!({})), Said::default());

        let shown = json!({
            "capabilities": ["completion", "tools"],
            "parameters": "stop \"x\"\nnum_ctx      8192",
            "model_info": { "qwen3.context_length": 40960, "qwen3.block_count": 36 },
        });
        let loaded = json!({ "models": [{ "model": "qwen3:8b", "context_length": 16384 }] });
        assert_eq!(
            ollama(&shown, &loaded, "qwen3:8b"),
            Said { tools: Some(true), context_tokens: Some(16384) }
        );
        assert_eq!(ollama(&shown, &loaded, "other").context_tokens, Some(8192));
        let plain =
            json!({ "capabilities": ["completion"], "model_info": { "llama.context_length": 131072 } });
        assert_eq!(ollama(&plain, &loaded, "x"), Said { tools: Some(false), context_tokens: Some(4096) });

        let list = json!({ "data": [
            { "id": "a", "capabilities": ["tool_use"], "loaded_context_length": 5000, "max_context_length": 9000 },
            { "id": "b", "capabilities": [], "max_context_length": 9000 },
        ]});
        assert_eq!(lm_studio(&list, "a"), Said { tools: Some(true), context_tokens: Some(5000) });
        assert_eq!(lm_studio(&list, "b"), Said::default());

        let list = json!({ "data": [{ "id": "m", "max_model_len": 32768 }, { "id": "n", "meta": { "n_ctx": 2048 } }] });
        assert_eq!(dialect(&list, "m").context_tokens, Some(32768));
        assert_eq!(dialect(&list, "n").context_tokens, Some(2048));
        assert_eq!(dialect(&list, "o"), Said::default());
    }
}
