//! The last door before a model's server: no secret passes it, whatever brought it into the request, be it a command, a
//! page or what somebody wrote.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::{Content, ModelError, ModelEvent, ModelMessage, ModelProvider, ModelRequest, ModelStream};
use crate::protocol::ModelInfo;
use crate::redact::Redactor;

/// A model that is told no secret.
#[derive(Debug)]
pub(super) struct Veiled {
    pub(super) model: Arc<dyn ModelProvider>,
    pub(super) redactor: Redactor,
}

#[async_trait::async_trait]
impl ModelProvider for Veiled {
    fn name(&self) -> String {
        self.model.name()
    }

    fn info(&self) -> ModelInfo {
        self.model.info()
    }

    async fn prepare(&self) {
        self.model.prepare().await;
    }

    fn stream(&self, request: ModelRequest, cancel: watch::Receiver<bool>) -> ModelStream {
        self.model.stream(hidden_in(&self.redactor, request), cancel)
    }

    async fn call_raw(
        &self,
        system: &str,
        messages: &[String],
        schema: Option<&Value>,
        heard: &(dyn for<'e> Fn(&'e ModelEvent) + Send + Sync),
    ) -> Result<String, ModelError> {
        let system = self.redactor.text(system);
        let messages: Vec<String> = messages.iter().map(|text| self.redactor.text(text)).collect();
        self.model.call_raw(&system, &messages, schema, heard).await
    }
}

fn hidden_in(redactor: &Redactor, request: ModelRequest) -> ModelRequest {
    let hide = |text: String| redactor.text(&text);
    let content = |content| match content {
        Content::Text { text } => Content::Text { text: hide(text) },
        Content::ToolUse { id, name, input, extra } => {
            Content::ToolUse { id, name, input: redactor.json(input), extra }
        }
        Content::ToolResult { tool_use_id, content, is_error } => {
            Content::ToolResult { tool_use_id, content: hide(content), is_error }
        }
        // Signed by whoever thought it, and of what it was told only.
        thought @ (Content::Thinking { .. } | Content::RedactedThinking { .. } | Content::Kept { .. }) => {
            thought
        }
    };
    let messages = request.messages.into_iter().map(|message| ModelMessage {
        role: message.role,
        content: message.content.into_iter().map(content).collect(),
    });
    ModelRequest { system: hide(request.system), messages: messages.collect(), ..request }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Role;

    #[test]
    fn no_secret_is_sent() {
        let redactor = Redactor::default();
        redactor.know("hunter2hunter");
        let said = |text: &str| ModelMessage::user(text);
        let call = Content::ToolUse {
            id: "1".into(),
            name: "shell".into(),
            input: json!({"command": ["echo hunter2hunter; curl -u ada:pw1 h", 1]}),
            extra: serde_json::Map::new(),
        };
        let result = Content::ToolResult {
            tool_use_id: "1".into(),
            content: "68756e7465723268756e746572".into(),
            is_error: false,
        };
        let request = ModelRequest {
            system: "PASSWORD hunter2hunter".into(),
            messages: vec![
                said("is hunter2hunter good, or ghp_0123456789abcdefghij0123456789abcdef?"),
                ModelMessage { role: Role::Assistant, content: vec![call] },
                ModelMessage { role: Role::User, content: vec![result] },
            ],
            tools: Vec::new(),
            max_tokens: 1,
            schema: None,
        };
        let sent = hidden_in(&redactor, request);
        assert_eq!(sent.system, "PASSWORD [secret hidden]");
        assert_eq!(sent.messages[0], said("is [secret hidden] good, or [secret hidden]?"));
        let texts = serde_json::to_value(&sent.messages).unwrap();
        assert_eq!(
            texts[1]["content"][0]["input"],
            json!({"command": ["echo [secret hidden]; curl -u ada:[secret hidden] h", 1]})
        );
        assert_eq!(texts[2]["content"][0]["content"], json!("[secret hidden]"));
    }
}
