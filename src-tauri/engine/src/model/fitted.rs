use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::sync::watch;

use super::{
    Envelope, ModelError, ModelEvent, ModelProvider, ModelRequest, ModelStream, Provider, ProviderKind,
};
use crate::protocol::{ModelInfo, ToolSupport};

impl Provider {
    /// The model as a conversation wants it: tools work, natively or in an [`Envelope`]. Sends nothing; a local server is
    /// probed when it is first asked something with tools.
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
            ToolSupport::Envelope => self.envelope.stream(request, cancel),
            // A server that could not be probed says best itself what is wrong.
            ToolSupport::Native | ToolSupport::Unknown => self.provider.stream(request, cancel),
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
                tools = this.provider.find_tools() => tools,
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
