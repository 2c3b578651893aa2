//! Sealing and opening, on the arbiter's own machine.

use std::{
    io::{Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use flagfall_proto::{
    clock::v1::Colour as Wire,
    desk::v1::{AdjournmentSnapshot, GetRecipientRequest},
    journal::v1::{AdjournmentPhase as Phase, Opened, Seal},
};
use flagfall_rules::clock::Colour;

use super::{super::DeskError, Client, DeedArgs, file_error, standing};
use crate::seal::{self, Identity, Proof, Recipient, SealError};

/// Bytes of the standard input that are read; a move is shorter.
const INPUT: u64 = 1_024;

/// Makes an identity in a file of its own, that only its owner can read.
///
/// # Errors
/// The file is there already, or cannot be written.
pub(super) fn keygen(file: &Path) -> Result<Recipient, DeskError> {
    let identity = Identity::generate();
    let mut options = std::fs::OpenOptions::new();
    let mut out = options.write(true).create_new(true).mode(0o600).open(file).map_err(file_error(file))?;
    let text = format!(
        "# An arbiter's identity: whoever has it can read sealed moves. Keep it away from the service.\n# recipient: {}\n{}\n",
        identity.recipient(),
        identity.to_text()
    );
    out.write_all(text.as_bytes()).and_then(|()| out.sync_all()).map_err(file_error(file))?;
    Ok(identity.recipient())
}

/// Reads a move from the standard input and seals it for the service's recipient. `by` must be the player who is to seal.
pub(super) async fn seal(client: &mut Client, game: &str, by: Option<Colour>) -> Result<Seal, DeskError> {
    let (_, adjournment) = standing(client, game).await?;
    if let Some(by) = by.filter(|&by| adjournment.sealer() != Wire::from(by)) {
        let text = format!("{} is not to seal in {game}; a reply is sealed with seal-reply", by.name());
        return Err(DeskError::Usage(text));
    }
    let recipient = client.get_recipient(GetRecipientRequest {}).await?.into_inner().recipient;
    let sealed = seal::seal(game, typed()?.trim(), &recipient.parse()?)?;
    Ok(Seal { commitment: sealed.commitment.to_vec(), ciphertext: sealed.ciphertext })
}

/// A move from the standard input: it is nobody's to see in a list of processes, so it is no argument.
fn typed() -> Result<String, DeskError> {
    let mut text = String::new();
    let input = std::io::stdin().lock().take(INPUT).read_to_string(&mut text);
    input.map_err(|error| DeskError::File("standard input".to_owned(), error))?;
    Ok(text)
}

/// What is carried by hand to and from the desk's page; `None`: the deed is one of the service's.
///
/// # Errors
/// The move cannot be sealed, or the envelope not opened here.
pub(super) fn carried(game: &str, deed: &DeedArgs) -> Result<Option<String>, DeskError> {
    Ok(match deed {
        DeedArgs::Envelope { recipient } => Some(seal::seal(game, typed()?.trim(), recipient)?.to_string()),
        DeedArgs::Unseal { identity, envelope } => {
            let (text, nonce) = read(identity)?.open(&envelope.ciphertext)?;
            let proof = Proof { text, nonce };
            if !seal::is_unchanged(&envelope.commitment, game, &proof.text, &proof.nonce) {
                return Err(SealError::Broken.into());
            }
            Some(proof.to_string())
        }
        _ => None,
    })
}

/// Opens what was sealed: the service checks that it is unchanged.
pub(super) async fn open(client: &mut Client, game: &str, identity: &Path, reply: bool) -> Result<Opened, DeskError> {
    let (_, adjournment) = standing(client, game).await?;
    let may = may_be_opened(&adjournment, reply);
    let seal = if reply { adjournment.reply_seal } else { adjournment.seal };
    let Some(seal) = seal.filter(|_| may) else {
        // Too early the text does not even leave this machine.
        return Err(DeskError::Unfit(format!(
            "ENVELOPE_SHUT: {game}: the envelope stays shut until the resumption has begun and the player who must see it is here"
        )));
    };
    let identity = read(identity)?;
    let (text, nonce) = identity.open(&seal.ciphertext)?;
    Ok(Opened { text, nonce: nonce.to_vec() })
}

fn may_be_opened(adjournment: &AdjournmentSnapshot, reply: bool) -> bool {
    match adjournment.phase() {
        Phase::Waiting | Phase::Opening | Phase::Judging => !reply,
        Phase::ReplySealed => reply,
        _ => false,
    }
}

fn read(file: &Path) -> Result<Identity, DeskError> {
    let mode = std::fs::metadata(file).map_err(file_error(file))?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(DeskError::Usage(format!(
            "IDENTITY_EXPOSED: others can read {}: chmod 600 {0}, and think of who has read it",
            file.display()
        )));
    }
    let text = std::fs::read_to_string(file).map_err(file_error(file))?;
    let key = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    key.ok_or(SealError::Key("flagfall-identity-")).and_then(str::parse).map_err(DeskError::Seal)
}
