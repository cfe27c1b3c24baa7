use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::sync::watch;

use super::capabilities::refuses_tools;
use super::{
    Envelope, ModelError, ModelEvent, ModelProvider, ModelRequest, ModelStream, Provider, ProviderKind,
};
use crate::protocol::{ModelInfo, ToolSupport};

impl Provider {
    /// The model as a conversation wants it: tools work, natively or in an [`Envelope`]. Sends nothing. A local server is
    /// asked what it can before it is first asked something with tools; where it does not say, native calls are tried, and
    /// the envelope takes over when they are refused.
    pub fn fitted(self) -> Arc<dyn ModelProvider> {
        match self.kind() {
            ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Moonshot => Arc::new(self),
            ProviderKind::Local => {
                Arc::new(Fitted { envelope: Envelope::new(Arc::new(self.clone())), provider: self })
            }
        }
    }
}

/// A local model, driven in the way that it can be.
#[derive(Debug, Clone)]
struct Fitted {
    provider: Provider,
    envelope: Envelope,
}

impl Fitted {
    fn stream_by(
        &self,
        tools: ToolSupport,
        request: ModelRequest,
        cancel: watch::Receiver<bool>,
    ) -> ModelStream {
        match tools {
            ToolSupport::Native => self.provider.stream(request, cancel),
            ToolSupport::Envelope => self.envelope.stream(request, cancel),
            ToolSupport::Unknown => Tried::new(self.clone(), request, cancel).into_stream(),
        }
    }
}

/// Native calls that are tried: what comes of them is remembered.
struct Tried {
    model: Fitted,
    request: ModelRequest,
    cancel: watch::Receiver<bool>,
    stream: ModelStream,
    /// Whether anything of an answer came; then it is not asked for again.
    answered: bool,
    /// Whether the envelope has taken over.
    enveloped: bool,
}

impl Tried {
    fn new(model: Fitted, request: ModelRequest, cancel: watch::Receiver<bool>) -> Self {
        let stream = model.provider.stream(request.clone(), cancel.clone());
        Self { model, request, cancel, stream, answered: false, enveloped: false }
    }

    fn into_stream(self) -> ModelStream {
        futures_util::stream::unfold(self, async |mut tried| {
            let event = tried.next().await?;
            Some((event, tried))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        let event = self.stream.next().await?;
        match &event {
            Ok(ModelEvent::ToolCallEnd { .. }) if !self.enveloped => self.model.provider.keep_tools(true),
            Ok(ModelEvent::Retrying { .. }) | Err(_) => {}
            Ok(_) => self.answered = true,
        }
        match event {
            Err(error) if !self.enveloped && !self.answered && refuses_tools(&error) => {
                self.enveloped = true;
                self.model.provider.keep_tools(false);
                self.stream = self.model.envelope.stream(self.request.clone(), self.cancel.clone());
                self.stream.next().await
            }
            event => Some(event),
        }
    }
}

#[async_trait::async_trait]
impl ModelProvider for Fitted {
    fn name(&self) -> String {
        self.provider.name()
    }

    fn info(&self) -> ModelInfo {
        self.provider.info()
    }

    async fn prepare(&self) {
        self.provider.hear_of_tools().await;
    }

    fn stream(&self, request: ModelRequest, cancel: watch::Receiver<bool>) -> ModelStream {
        let known = self.provider.tools();
        if request.tools.is_empty() || known != ToolSupport::Unknown {
            return self.stream_by(known, request, cancel);
        }
        let this = self.clone();
        let mut stopped = cancel.clone();
        futures_util::stream::once(async move {
            let tools = tokio::select! {
                biased;
                // A sender that is gone can cancel nothing.
                Ok(_) = stopped.wait_for(|cancelled| *cancelled) => ToolSupport::Unknown,
                tools = this.provider.hear_of_tools() => tools,
            };
            this.stream_by(tools, request, cancel)
        })
        .flatten()
        .boxed()
    }

    async fn call_raw(
        &self,
        system: &str,
        messages: &[String],
        schema: Option<&Value>,
        heard: &(dyn for<'e> Fn(&'e ModelEvent) + Send + Sync),
    ) -> Result<String, ModelError> {
        self.provider.call_raw(system, messages, schema, heard).await
    }
}
