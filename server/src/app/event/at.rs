//! Where the service is, and who acts there.

use clap::Args as ClapArgs;
use flagfall_pairings::Faults;
use flagfall_proto::desk::v1::{Act, event_service_client::EventServiceClient};
use tonic::{service::interceptor::InterceptedService, transport};

use super::Client;
use crate::app::desk::Bearer;

/// The longest answer that is read: a round of a thousand boards fits.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;

/// What requests go through.
pub type Channel = InterceptedService<transport::Channel, Bearer>;

/// Where the service is, and who acts.
#[derive(Clone, Debug, ClapArgs)]
pub struct At {
    /// Where the service listens for desks.
    #[arg(long, global = true, default_value = "http://127.0.0.1:7702", env = "FLAGDESK_URI", value_name = "URI")]
    pub desk: String,
    /// Who acts, as the journal shall name him.
    #[arg(long, global = true, default_value = "organiser", env = "FLAGDESK_ACTOR", value_name = "NAME")]
    pub actor: String,
    /// The token of a user, where the service has users: NAME:WORD of `flagfall user add --token`.
    #[arg(long, global = true, env = "FLAGDESK_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// JSON for machines: one object a line.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Why a command came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum OrganiseError {
    /// The service cannot be reached.
    #[error("the desk at {0} cannot be reached; is `flagfall serve` running there? ({1})")]
    Connect(String, transport::Error),
    /// The service refuses; the message begins with the named reason.
    #[error("{}", .0.message())]
    Refused(#[from] tonic::Status),
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// A file is not as it should be.
    #[error("{}", faults(.0, .1))]
    Faulty(String, Faults),
    /// The command needs something more, or less.
    #[error("{0}")]
    Usage(String),
    /// Nobody reads what is printed.
    #[error("the answer cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

/// Every fault with the name of the file.
fn faults(file: &str, faults: &Faults) -> String {
    faults.to_string().lines().map(|line| format!("{file}: {line}")).collect::<Vec<_>>().join("\n")
}

impl At {
    /// A client of the organiser's service.
    pub(in super::super) async fn events(&self) -> Result<Client, OrganiseError> {
        Ok(EventServiceClient::new(self.channel().await?).max_decoding_message_size(LONGEST_ANSWER))
    }

    /// A connection to the desk.
    pub(in super::super) async fn channel(&self) -> Result<Channel, OrganiseError> {
        let unreachable = |error| OrganiseError::Connect(self.desk.clone(), error);
        let bearer = Bearer::new(self.token.as_deref()).map_err(|why| OrganiseError::Usage(why.to_owned()))?;
        let endpoint = transport::Endpoint::from_shared(self.desk.clone()).map_err(unreachable)?;
        Ok(InterceptedService::new(endpoint.connect().await.map_err(unreachable)?, bearer))
    }

    /// An act of an id of its own.
    pub(in super::super) fn act(&self) -> Option<Act> {
        Some(Act { request: uuid::Uuid::now_v7().to_string(), actor: self.actor.clone(), ..Act::default() })
    }
}
