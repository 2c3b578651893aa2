//! `flagfall desk adjourn …`: an adjournment from a shell.
//!
//! Moves are sealed and opened here and never by the service: it gets a commitment and a ciphertext, and the text only when the
//! envelope is opened.

mod args;
mod deed;
mod sealed;

use std::path::Path;

use flagfall_proto::desk::v1::{Act, AdjournRequest, AdjournmentSnapshot, GameSnapshot};

pub use args::{AdjournArgs, DeedArgs};
pub(super) use sealed::keygen;

use super::{Client, DeskError, act::Answer, snapshot};

/// Shown with `--help`.
pub(super) const EXAMPLES: &str = "\
Examples, from the end of a session to the sealed move on the board:
  flagfall desk adjourn keygen --out identity.txt
  flagfall desk adjourn r1.b07 announce --start 2026-05-01T10:00 --end 2026-05-01T16:00
  flagfall desk adjourn r1.b07 end-session --white Player-One --black Player-Two
  flagfall desk adjourn r1.b07 seal --by white          (the move is read from standard input)
  flagfall desk adjourn r1.b07 sheet white; flagfall desk adjourn r1.b07 sheet black
  flagfall desk adjourn r1.b07 close; flagfall desk adjourn r1.b07 stop-clock
  flagfall desk adjourn r1.b07 appoint --start 2026-05-02T10:00 --end 2026-05-02T14:00 --venue 'the club'
  flagfall desk adjourn r1.b07 check; flagfall desk adjourn r1.b07 set-up
  flagfall desk adjourn r1.b07 came white; flagfall desk adjourn r1.b07 came black; flagfall desk adjourn r1.b07 begin
  flagfall desk adjourn r1.b07 open --identity identity.txt";

/// Carries out a deed.
///
/// # Errors
/// The service refuses, or a move can be neither sealed nor opened here.
pub(super) async fn act(client: &mut Client, actor: &str, args: &AdjournArgs) -> Result<Answer, DeskError> {
    let game = args.game.clone().ok_or_else(which_game)?;
    let deed = Some(deed::of(client, &game, &args.deed).await?);
    let act = Some(Act { request: uuid::Uuid::now_v7().to_string(), actor: actor.to_owned(), ..Act::default() });
    let rev = client.adjourn(AdjournRequest { act, game: game.clone(), deed }).await?.into_inner().rev;
    Ok(Answer { game, case: None, rev: Some(rev).filter(|&rev| rev > 0) })
}

/// Everything but `keygen` is about a game.
pub(super) fn which_game() -> DeskError {
    DeskError::Missing("which game? `flagfall desk adjourn GAME …`; `flagfall desk list` names them".to_owned())
}

/// The adjournment of a game, with the game.
async fn standing(client: &mut Client, game: &str) -> Result<(GameSnapshot, AdjournmentSnapshot), DeskError> {
    let stands = snapshot(client, game).await?;
    let none = || DeskError::Missing(format!("{game} is not being adjourned: announce its session first"));
    let adjournment = stands.adjournment.clone().ok_or_else(none)?;
    Ok((stands, adjournment))
}

fn file_error(file: &Path) -> impl FnOnce(std::io::Error) -> DeskError {
    let file = file.display().to_string();
    move |error| DeskError::File(file, error)
}
