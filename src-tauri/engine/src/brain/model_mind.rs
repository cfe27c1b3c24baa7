use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Mind, MindError, MindQuestion};
use crate::model::{self, ModelEvent, ModelProvider};
use crate::protocol::{EngineError, ErrorCode, MAX_STEPS_PER_CORRECTION};

/// A model server as the brain's mind. Where the server can, it is held to the correction's shapes; what it answers is
/// checked all the same.
pub struct ModelMind<P> {
    provider: P,
    schema: Value,
    heard: Box<Heard>,
}

/// The model that the environment names (`PLANWRIGHT_PROVIDER` and its companions), if any; `heard` as in
/// [`ModelMind::heard_by`].
///
/// # Errors
/// `NoModel`, with what to do, when the environment names one that cannot be used.
pub async fn mind_from_environment(
    heard: impl Fn(&ModelEvent) + Send + Sync + 'static,
) -> Result<Option<Arc<dyn Mind>>, EngineError> {
    let provider = model::from_environment()
        .await
        .map_err(|error| EngineError::new(ErrorCode::NoModel, error.to_string()))?;
    Ok(provider.map(|provider| Arc::new(ModelMind::new(provider).heard_by(heard)) as Arc<dyn Mind>))
}

/// Sees what a model says as it comes.
type Heard = dyn Fn(&ModelEvent) + Send + Sync;

impl<P: fmt::Debug> fmt::Debug for ModelMind<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelMind").field("provider", &self.provider).finish_non_exhaustive()
    }
}

impl<P: ModelProvider> ModelMind<P> {
    pub fn new(provider: P) -> Self {
        Self { provider, schema: schema(), heard: Box::new(|_| {}) }
    }

    /// The same, with somebody who is told of every event: to show a wait, or to count tokens.
    #[must_use]
    pub fn heard_by(self, heard: impl Fn(&ModelEvent) + Send + Sync + 'static) -> Self {
        Self { heard: Box::new(heard), ..self }
    }
}

#[async_trait::async_trait]
impl<P: ModelProvider> Mind for ModelMind<P> {
    fn name(&self) -> String {
        self.provider.name()
    }

    async fn ask(&self, question: &MindQuestion) -> Result<String, MindError> {
        self.provider
            .call_raw(&question.system, &question.messages, Some(&self.schema), &*self.heard)
            .await
            .map_err(|error| MindError(error.to_string()))
    }
}

/// One shape per action, as `answer` reads them. No bounds on the texts' lengths: the small servers' grammars explode
/// on them.
fn schema() -> Value {
    let text = json!({ "type": "string" });
    let shape = |action: &str, fields: &[(&str, Value)]| {
        let mut properties = serde_json::Map::new();
        properties.insert("action".to_owned(), json!({ "const": action }));
        properties.insert("reasoning".to_owned(), text.clone());
        for (name, field) in fields {
            properties.insert((*name).to_owned(), field.clone());
        }
        let required: Vec<&String> = properties.keys().collect();
        json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
    };
    let step = json!({
        "type": "object",
        "required": ["title", "command", "why"],
        "properties": { "title": text, "command": text, "why": text },
        "additionalProperties": false,
    });
    let steps =
        json!({ "type": "array", "items": step, "minItems": 1, "maxItems": MAX_STEPS_PER_CORRECTION });
    json!({ "oneOf": [
        shape("retry", &[]),
        shape("modify", &[("modifiedCommand", text.clone())]),
        shape("insert_steps", &[("newSteps", steps)]),
        shape("skip", &[]),
        shape("abort", &[]),
    ] })
}
