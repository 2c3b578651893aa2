//! A page of a running service's ops port, for the commands that show it.

use std::{future::poll_fn, time::Duration};

use tonic::{
    body::Body,
    codegen::{Service, http::Request},
    transport::{Channel, Endpoint},
};

/// The longest page.
const PAGE_MAX: usize = 16 << 20;

/// How long a running service may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a page did not come.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Nobody answers there.
    #[error("{address}: {reason}: is the service running, and is this the address under listen.ops?")]
    Unreachable {
        /// Where.
        address: String,
        /// What the network says.
        reason: String,
    },
    /// There is no such page.
    #[error("{0}")]
    Missing(String),
}

/// Gets a page of the service whose ops port is at this address, such as `http://127.0.0.1:7703`.
///
/// # Errors
/// Nobody answers, or there is no such page.
pub async fn fetch(address: &str, path: &str) -> Result<String, FetchError> {
    let failed = |reason: String| FetchError::Unreachable { address: address.to_owned(), reason };
    let endpoint = Endpoint::from_shared(address.to_owned()).map_err(|error| failed(error.to_string()))?;
    let mut channel: Channel = endpoint
        .timeout(PATIENCE)
        .connect_timeout(PATIENCE)
        .connect()
        .await
        .map_err(|error| failed(error.to_string()))?;
    let request = Request::get(path).body(Body::empty()).map_err(|error| failed(error.to_string()))?;
    poll_fn(|cx| channel.poll_ready(cx)).await.map_err(|error| failed(error.to_string()))?;
    let response = channel.call(request).await.map_err(|error| failed(error.to_string()))?;
    let found = response.status().is_success();
    let bytes = axum::body::to_bytes(axum::body::Body::new(response.into_body()), PAGE_MAX).await;
    let text = String::from_utf8_lossy(&bytes.map_err(|error| failed(error.to_string()))?).into_owned();
    if found { Ok(text) } else { Err(FetchError::Missing(text.trim_end().to_owned())) }
}
