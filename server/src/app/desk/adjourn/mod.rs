//! `flagfall adjourn …`: an adjournment from a shell.
//!
//! Moves are sealed and opened here and never by the service: it gets a commitment and a ciphertext, and the text only when the
//! envelope is opened.

mod args;
mod deed;
mod sealed;

use std::path::Path;

use flagfall_proto::{
    desk::v1::{
        AdjournRequest, AdjournmentSnapshot, GameSnapshot, GetGameRequest, desk_service_client::DeskServiceClient,
    },
    journal::v1::{AdjournmentDeed, adjournment_deed::Deed},
};

pub use args::{AdjournArgs, DeedArgs};

use super::{
    At, Channel, DeskError, Service, Who,
    act::{ARBITER, Answer},
    print,
};

type Client = DeskServiceClient<Channel>;

/// Shown with `--help`.
pub(super) const EXAMPLES: &str = "\
Examples, from the end of a session to the sealed move on the board:
  flagfall adjourn keygen --out identity.txt
  flagfall adjourn r1.b07 announce --start 2026-05-01T10:00 --end 2026-05-01T16:00
  flagfall adjourn r1.b07 end-session --white Player-One --black Player-Two
  flagfall adjourn r1.b07 seal --by white          (the move is read from standard input)
  flagfall adjourn r1.b07 sheet white; flagfall adjourn r1.b07 sheet black
  flagfall adjourn r1.b07 close; flagfall adjourn r1.b07 stop-clock
  flagfall adjourn r1.b07 appoint --start 2026-05-02T10:00 --end 2026-05-02T14:00 --venue 'the club'
  flagfall adjourn r1.b07 check; flagfall adjourn r1.b07 set-up
  flagfall adjourn r1.b07 came white; flagfall adjourn r1.b07 came black; flagfall adjourn r1.b07 begin
  flagfall adjourn r1.b07 open --identity identity.txt";

/// Carries out a deed and says how the adjournment stands.
///
/// # Errors
/// The service refuses, or a move can be neither sealed nor opened here.
pub(super) async fn run(args: &AdjournArgs, who: &Who, at: &At) -> Result<String, DeskError> {
    if let DeedArgs::Keygen { out } = &args.deed {
        return Ok(print::recipient(&sealed::keygen(out)?, out, at.json));
    }
    let which = || DeskError::Usage("which game? `flagfall adjourn GAME …`; `flagfall boards` names them".to_owned());
    let game = args.game.clone().ok_or_else(which)?;
    if let Some(carried) = sealed::carried(&game, &args.deed)? {
        return Ok(carried);
    }
    let mut service = at.connect().await?;
    let deed = Some(deed::of(&mut service.desk, &game, &args.deed).await?);
    let act = who.act(ARBITER);
    let rev = service.desk.adjourn(AdjournRequest { act, game: game.clone(), deed }).await?.into_inner().rev;
    let stands = snapshot(&mut service.desk, &game).await?;
    Ok(print::adjourned(&Answer::new(&game, 0, rev), &stands, at.json))
}

/// Decides what is asked.
///
/// # Errors
/// The service refuses.
pub(in crate::app) async fn choose(
    service: &mut Service,
    who: &Who,
    game: &str,
    key: &str,
) -> Result<Answer, DeskError> {
    let deed = Some(AdjournmentDeed { deed: Some(Deed::Choose(key.to_owned())) });
    let request = AdjournRequest { act: who.act(ARBITER), game: game.to_owned(), deed };
    let rev = service.desk.adjourn(request).await?.into_inner().rev;
    Ok(Answer::new(game, 0, rev))
}

/// A game as it stands.
async fn snapshot(client: &mut Client, game: &str) -> Result<GameSnapshot, DeskError> {
    let asked = GetGameRequest { game: game.to_owned() };
    Ok(client.get_game(asked).await?.into_inner().game.unwrap_or_default())
}

/// The adjournment of a game, with the game.
async fn standing(client: &mut Client, game: &str) -> Result<(GameSnapshot, AdjournmentSnapshot), DeskError> {
    let stands = snapshot(client, game).await?;
    let none = || DeskError::Unfit(format!("{game} is not being adjourned: announce its session first"));
    let adjournment = stands.adjournment.clone().ok_or_else(none)?;
    Ok((stands, adjournment))
}

fn file_error(file: &Path) -> impl FnOnce(std::io::Error) -> DeskError {
    let file = file.display().to_string();
    move |error| DeskError::File(file, error)
}
