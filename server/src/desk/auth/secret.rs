//! Passwords and tokens: kept as argon2 hashes, never as themselves.

use argon2::{
    Argon2,
    password_hash::{
        PasswordHash, PasswordHasher, PasswordVerifier, SaltString,
        rand_core::{OsRng, RngCore},
    },
};

/// The hash that is kept of a secret, with its salt and its cost.
///
/// # Errors
/// The secret is longer than argon2 takes.
pub(super) fn hash(secret: &str) -> Result<String, argon2::password_hash::Error> {
    let salt = SaltString::generate(&mut OsRng);
    Ok(Argon2::default().hash_password(secret.as_bytes(), &salt)?.to_string())
}

/// The secret is the one that the hash was made of. Slow on purpose: call it where waiting is no harm.
pub(super) fn verify(secret: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| Argon2::default().verify_password(secret.as_bytes(), &hash).is_ok())
}

/// So many random bytes in hexadecimal.
pub(super) fn random(bytes: usize) -> String {
    let mut word = vec![0; bytes];
    OsRng.fill_bytes(&mut word);
    word.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_known_by_its_hash_and_no_other_is() {
        let kept = hash("a long word").expect("hashed");
        assert!(kept.starts_with("$argon2id$"), "{kept}");
        assert!(!kept.contains("long"));
        assert!(verify("a long word", &kept) && !verify("a long world", &kept) && !verify("a long word", "none"));
        assert_ne!(hash("a long word").expect("hashed"), kept, "salted");
    }
}
