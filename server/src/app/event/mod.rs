//! `flagfall event …`: events from a shell. A client of `flagfall.desk.v1.EventService` like any other.

mod plan;
mod print;

use std::io::Write;

use clap::{Args as ClapArgs, Subcommand};
use flagfall_proto::desk::v1::{
    CreateEventRequest, GetEventRequest, ListEventsRequest, ReviseEventRequest,
    event_service_client::EventServiceClient,
};

pub use plan::PlanArgs;

use super::desk::{At, Channel, DeskError, Who};

/// Who acts where nobody is named.
pub(super) const ORGANISER: &str = "organiser";

/// Arguments of `flagfall event`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Who acts.
    #[command(flatten)]
    pub who: Who,
    /// Where the service is.
    #[command(flatten)]
    pub at: At,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be done with events.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Create an event.
    #[command(
        after_help = "Example: flagfall event create open --preset 'fide-2023 90/40+30+30' --title 'Harbour Open' --sector 'Stage=1-4'"
    )]
    Create(PlanArgs),
    /// Give an event other settings; all of them are stated anew.
    #[command(after_help = "Example: flagfall event revise open --preset 'fide-2023 90/40+30+30' --delay-minutes 15")]
    Revise(PlanArgs),
    /// An event with its players and rounds.
    #[command(after_help = "Example: flagfall event show open --json")]
    Show {
        /// Its name.
        event: String,
    },
    /// Every event.
    #[command(after_help = "Example: flagfall event list")]
    List,
}

/// A client of the organiser's service.
pub(super) type Client = EventServiceClient<Channel>;

/// Carries out one command and prints its answer.
///
/// # Errors
/// The service cannot be reached or refuses.
pub async fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<(), DeskError> {
    let mut client = args.at.connect().await?.events;
    let json = args.at.json;
    match &args.command {
        Command::Create(plan) => {
            let request = CreateEventRequest { act: args.who.act(ORGANISER), plan: Some(plan.plan()) };
            let settings = client.create_event(request).await?.into_inner().settings.unwrap_or_default();
            writeln!(out, "{}", print::settings(&settings, json))?;
        }
        Command::Revise(plan) => {
            let request = ReviseEventRequest { act: args.who.act(ORGANISER), plan: Some(plan.plan()) };
            let settings = client.revise_event(request).await?.into_inner().settings.unwrap_or_default();
            writeln!(out, "{}", print::settings(&settings, json))?;
        }
        Command::Show { event } => {
            let event = client.get_event(GetEventRequest { event: event.clone() }).await?.into_inner();
            writeln!(out, "{}", print::event(&event, json))?;
        }
        Command::List => {
            let events = client.list_events(ListEventsRequest {}).await?.into_inner().events;
            events.iter().try_for_each(|settings| writeln!(out, "{}", print::settings(settings, json)))?;
        }
    }
    Ok(out.flush()?)
}
