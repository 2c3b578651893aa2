//! Sealed moves: who can read them, and how it is proved that nobody changed them.
//!
//! ```text
//!   at the desk    move, 32 random bytes ─┬─ SHA-256(tag, game, move, nonce) ─▶ commitment ─┐
//!                                         └─ sealed box for the recipient ───▶ ciphertext ──┴─▶ journal
//!   at the opening ciphertext ── identity ─▶ move, nonce ─▶ service: the commitment again? ─▶ the rules
//! ```
//!
//! The service keeps the recipient and never the identity: what it stores it cannot read. The ciphertext is filled up to one length, so
//! that it does not tell a short move from a long one.

use std::{fmt, str::FromStr};

use crypto_box::{PublicKey, SecretKey, aead::OsRng};
use sha2::{Digest, Sha256};

/// The longest text of a move, bytes.
pub const TEXT_MAX: usize = 64;

/// The longest ciphertext that is kept, bytes.
pub const CIPHERTEXT_MAX: usize = 1_024;

const TAG: &[u8] = b"flagfall sealed move 1\0";
const NONCE: usize = 32;
const PUBLIC: &str = "flagfall-recipient-";
const SECRET: &str = "flagfall-identity-";
const SEALED: &str = "flagfall-sealed-";
const OPENED: &str = "flagfall-opened-";

/// Why a move cannot be sealed or opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The text is no move's.
    #[error("a move is written with 1 to {TEXT_MAX} bytes and no control characters; this has {0} bytes")]
    Text(usize),
    /// It is no key.
    #[error("expected {0} and 64 hexadecimal digits; `flagfall adjourn keygen` makes a pair")]
    Key(&'static str),
    /// It is no envelope, and not what was in one.
    #[error("expected {0}…, as `flagfall adjourn GAME {1}` prints it")]
    Form(&'static str, &'static str),
    /// What was sealed cannot be opened with this identity, or is not as it was.
    #[error("SEAL_BROKEN: the ciphertext was changed, or it was sealed for another identity")]
    Broken,
}

/// Whom moves are sealed for: the public half of an arbiter's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient(PublicKey);

/// Who can open them: the secret half. It is shown to nobody but its file.
#[derive(Clone)]
pub struct Identity(SecretKey);

/// A sealed move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// What the text is checked against once it is opened.
    pub commitment: [u8; 32],
    /// The text and its nonce, for the recipient alone.
    pub ciphertext: Vec<u8>,
}

/// A sealed move that was opened, with what proves that it is the one that was sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The move as it was written.
    pub text: String,
    /// The nonce of its commitment.
    pub nonce: [u8; NONCE],
}

/// As it is carried by hand from where it was sealed: one word.
impl fmt::Display for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SEALED}{}{}", hex(&self.commitment), hex(&self.ciphertext))
    }
}

impl FromStr for Sealed {
    type Err = SealError;

    fn from_str(text: &str) -> Result<Sealed, SealError> {
        let bytes = text.trim().strip_prefix(SEALED).and_then(unhex);
        let parts = bytes.as_deref().and_then(|bytes| bytes.split_first_chunk::<32>());
        match parts.filter(|(_, ciphertext)| (1..=CIPHERTEXT_MAX).contains(&ciphertext.len())) {
            Some((&commitment, ciphertext)) => Ok(Sealed { commitment, ciphertext: ciphertext.to_vec() }),
            None => Err(SealError::Form(SEALED, "envelope")),
        }
    }
}

/// As it is carried by hand from where it was opened: the nonce, then the move.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPENED}{} {}", hex(&self.nonce), self.text)
    }
}

impl FromStr for Proof {
    type Err = SealError;

    fn from_str(text: &str) -> Result<Proof, SealError> {
        let parts = text.trim().strip_prefix(OPENED).and_then(|rest| rest.split_once(' '));
        let proof = parts.and_then(|(nonce, text)| {
            let nonce = unhex(nonce)?.try_into().ok()?;
            (1..=TEXT_MAX).contains(&text.len()).then(|| Proof { text: text.to_owned(), nonce })
        });
        proof.ok_or(SealError::Form(OPENED, "unseal"))
    }
}

impl Identity {
    /// A new one.
    #[must_use]
    pub fn generate() -> Identity {
        Identity(SecretKey::generate(&mut OsRng))
    }

    /// Its public half.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        Recipient(self.0.public_key())
    }

    /// As its file keeps it.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{SECRET}{}", hex(&self.0.to_bytes()))
    }

    /// Opens a sealed move: the text, and what proves it.
    ///
    /// # Errors
    /// It was changed, or sealed for somebody else.
    pub fn open(&self, ciphertext: &[u8]) -> Result<(String, [u8; 32]), SealError> {
        let filled = self.0.unseal(ciphertext).map_err(|_| SealError::Broken)?;
        let (&length, rest) = filled.split_first().ok_or(SealError::Broken)?;
        let (text, nonce) = rest.split_at_checked(TEXT_MAX).ok_or(SealError::Broken)?;
        let text = text.get(..usize::from(length)).ok_or(SealError::Broken)?;
        let text = String::from_utf8(text.to_vec()).map_err(|_| SealError::Broken)?;
        Ok((text, nonce.try_into().map_err(|_| SealError::Broken)?))
    }
}

impl FromStr for Identity {
    type Err = SealError;

    fn from_str(text: &str) -> Result<Identity, SealError> {
        key(text, SECRET).map(|bytes| Identity(SecretKey::from_bytes(bytes)))
    }
}

impl FromStr for Recipient {
    type Err = SealError;

    fn from_str(text: &str) -> Result<Recipient, SealError> {
        key(text, PUBLIC).map(|bytes| Recipient(PublicKey::from_bytes(bytes)))
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", hex(self.0.as_bytes()))
    }
}

/// Seals a move of a game.
///
/// # Errors
/// The text is no move's.
pub fn seal(game: &str, text: &str, recipient: &Recipient) -> Result<Sealed, SealError> {
    if text.is_empty() || text.len() > TEXT_MAX || text.chars().any(char::is_control) {
        return Err(SealError::Text(text.len()));
    }
    let nonce = SecretKey::generate(&mut OsRng).to_bytes();
    let mut filled = vec![0; 1 + TEXT_MAX];
    // At most 64, as was just seen.
    filled[0] = text.len() as u8;
    filled[1..=text.len()].copy_from_slice(text.as_bytes());
    filled.extend(nonce);
    let ciphertext = recipient.0.seal(&mut OsRng, &filled).map_err(|_| SealError::Broken)?;
    Ok(Sealed { commitment: commitment(game, text, &nonce), ciphertext })
}

/// What a text is checked against. The lengths stand before the parts, so that no other game and text give the same bytes.
#[must_use]
pub fn commitment(game: &str, text: &str, nonce: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(TAG);
    for part in [game, text] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.update(nonce);
    hash.finalize().into()
}

/// An opened text is what was sealed.
#[must_use]
pub fn is_unchanged(commitment: &[u8; 32], game: &str, text: &str, nonce: &[u8]) -> bool {
    nonce.len() == NONCE && *commitment == self::commitment(game, text, nonce)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        pair.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(pair, 16).ok())?
    });
    pairs.collect()
}

fn key(text: &str, prefix: &'static str) -> Result<[u8; 32], SealError> {
    let bytes = text.trim().strip_prefix(prefix).and_then(unhex).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or(SealError::Key(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_move_is_opened_by_its_identity_alone_and_only_unchanged() {
        let (identity, other) = (Identity::generate(), Identity::generate());
        let sealed = seal("r1.b07", "Кf3", &identity.recipient()).expect("sealed");
        let (text, nonce) = identity.open(&sealed.ciphertext).expect("opened");
        assert_eq!(text, "Кf3");
        assert!(is_unchanged(&sealed.commitment, "r1.b07", &text, &nonce));
        assert!(!is_unchanged(&sealed.commitment, "r1.b07", "Nf3", &nonce), "another move");
        assert!(!is_unchanged(&sealed.commitment, "r1.b08", &text, &nonce), "another game");
        assert!(!is_unchanged(&sealed.commitment, "r1.b07", &text, &nonce[1..]), "no whole nonce");
        assert_eq!(other.open(&sealed.ciphertext), Err(SealError::Broken));
        for index in 0..sealed.ciphertext.len() {
            let mut spoilt = sealed.ciphertext.clone();
            spoilt[index] ^= 1;
            assert_eq!(identity.open(&spoilt), Err(SealError::Broken), "byte {index}");
        }
    }

    #[test]
    fn the_length_of_a_ciphertext_says_nothing_of_the_move() {
        let recipient = Identity::generate().recipient();
        let length = |text: &str| seal("g", text, &recipient).map(|sealed| sealed.ciphertext.len());
        let longest = "x".repeat(TEXT_MAX);
        assert_eq!(length("a3"), length(&longest));
        for refused in ["", "e4\n", &"x".repeat(TEXT_MAX + 1)] {
            assert_eq!(length(refused), Err(SealError::Text(refused.len())));
        }
    }

    #[test]
    fn keys_are_read_as_they_are_written_and_not_taken_for_each_other() {
        let identity = Identity::generate();
        let again: Identity = identity.to_text().parse().expect("an identity");
        assert_eq!(again.recipient(), identity.recipient());
        assert_eq!(identity.recipient().to_string().parse(), Ok(identity.recipient()));
        assert_eq!(identity.to_text().parse::<Recipient>(), Err(SealError::Key(PUBLIC)));
        assert_eq!(format!("{PUBLIC}{}", "+f".repeat(32)).parse::<Recipient>(), Err(SealError::Key(PUBLIC)));
    }

    #[test]
    fn an_envelope_and_what_was_in_it_are_carried_by_hand() {
        let identity = Identity::generate();
        let sealed = seal("r1.b07", "2. Ng1-f3!?", &identity.recipient()).expect("sealed");
        assert_eq!(sealed.to_string().parse(), Ok(sealed.clone()));
        let (text, nonce) = identity.open(&sealed.ciphertext).expect("opened");
        let proof = Proof { text, nonce };
        assert_eq!(proof.to_string().parse(), Ok(proof.clone()));
        assert!(proof.to_string().ends_with(" 2. Ng1-f3!?"));
        for none in [
            "",
            "e4",
            "flagfall-sealed-",
            "flagfall-sealed-0",
            &format!("flagfall-sealed-{}", "ab".repeat(32)),
            "flagfall-sealed-+f",
        ] {
            assert_eq!(none.parse::<Sealed>(), Err(SealError::Form(SEALED, "envelope")), "{none}");
        }
        for none in [
            "",
            "flagfall-opened-ab e4",
            &format!("flagfall-opened-{} ", "ab".repeat(32)),
            &format!("flagfall-opened-{}", "ab".repeat(32)),
        ] {
            assert_eq!(none.parse::<Proof>(), Err(SealError::Form(OPENED, "unseal")), "{none}");
        }
    }

    /// Worked out with another program, so that no later version computes it otherwise.
    #[test]
    fn the_commitment_is_the_contracts() {
        let digest = hex(&commitment("g", "e4", &[7; 32]));
        assert_eq!(digest, EXPECTED);
    }

    const EXPECTED: &str = "7d7f6367afe5e89586191dd2c90878beefffdce34ff1e1ac1d3127bc2587cf7c";
}
