use std::sync::Arc;

use crate::model::{self, ModelProvider};
use crate::protocol::{EngineError, ErrorCode};

/// The model that the environment names (`PLANWRIGHT_PROVIDER` and its companions), if any.
///
/// # Errors
/// `NoModel`, with what to do, when the environment names one that cannot be used.
pub async fn model_from_environment() -> Result<Option<Arc<dyn ModelProvider>>, EngineError> {
    let provider = model::from_environment()
        .await
        .map_err(|error| EngineError::new(ErrorCode::NoModel, error.to_string()))?;
    Ok(provider.map(|provider| Arc::new(provider) as Arc<dyn ModelProvider>))
}
