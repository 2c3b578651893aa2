//! Where the service is, who acts there, and how it is reached.

use clap::Args as ClapArgs;
use flagfall_proto::desk::v1::{Act, desk_service_client::DeskServiceClient, event_service_client::EventServiceClient};
use tonic::{
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport,
};

use super::DeskError;

/// Longest answer of the service that is read: a list of a thousand games fits.
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;

/// Where the service is, and how its answers are printed.
#[derive(Clone, Debug, ClapArgs)]
pub struct At {
    /// Where the service listens for desks.
    #[arg(long, global = true, default_value = "http://127.0.0.1:7702", env = "FLAGDESK_URI", value_name = "URI")]
    pub desk: String,
    /// The token of a user, where the service has users: NAME:WORD of `flagfall user add --token`.
    #[arg(long, global = true, env = "FLAGDESK_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// JSON for machines: one object a line.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Who acts, and why.
#[derive(Clone, Debug, ClapArgs)]
pub struct Who {
    /// Who acts, as the journal shall name him; without it arbiter, for events and rounds organiser.
    #[arg(long, global = true, env = "FLAGDESK_ACTOR", value_name = "NAME")]
    pub actor: Option<String>,
    /// Why, or what was seen, in your words: it is kept with the act.
    #[arg(long, global = true, default_value = "", value_name = "WORDS")]
    pub note: String,
}

impl Who {
    /// An act of an id of its own, with the note as its reason.
    pub(in crate::app) fn act(&self, role: &str) -> Option<Act> {
        self.noted(role).map(|act| Act { reason: self.note.clone(), ..act })
    }

    /// An act of an id of its own that has a place of its own for the note.
    pub(in crate::app) fn noted(&self, role: &str) -> Option<Act> {
        let (request, actor) = (uuid::Uuid::now_v7().to_string(), self.actor.as_deref().unwrap_or(role).to_owned());
        Some(Act { request, actor, reason: String::new() })
    }
}

/// A connection that says whose it is.
pub type Channel = InterceptedService<transport::Channel, Bearer>;

/// Both sides of a service, over one connection.
#[derive(Clone)]
pub struct Service {
    /// Games.
    pub desk: DeskServiceClient<Channel>,
    /// Events and rounds.
    pub events: EventServiceClient<Channel>,
}

/// Puts a token into every request.
#[derive(Clone)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: tonic::Request<()>) -> Result<tonic::Request<()>, tonic::Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

impl At {
    /// Reaches the service, in the name of who has the token.
    ///
    /// # Errors
    /// It cannot be reached, or the address or the token cannot be one.
    pub async fn connect(&self) -> Result<Service, DeskError> {
        let header = self.token.as_ref().map(|token| format!("Bearer {token}").parse()).transpose();
        let header = header.map_err(|_| DeskError::Usage("the token has characters that no token has".to_owned()))?;
        let endpoint = transport::Channel::from_shared(self.desk.clone());
        let endpoint = endpoint.map_err(|_| DeskError::Address(self.desk.clone()))?;
        let unreachable = |error| DeskError::Connect(self.desk.clone(), error);
        let channel = InterceptedService::new(endpoint.connect().await.map_err(unreachable)?, Bearer(header));
        Ok(Service {
            desk: DeskServiceClient::new(channel.clone()).max_decoding_message_size(LONGEST_ANSWER),
            events: EventServiceClient::new(channel).max_decoding_message_size(LONGEST_ANSWER),
        })
    }
}
