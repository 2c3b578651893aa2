//! Which names the contract allows.

/// From 1 to `longest` characters of `[A-Za-z0-9._-]`: safe in a key, a file name and a log line.
#[must_use]
pub fn is_name(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

/// From 1 to `longest` characters, none of them a control character: ids and names of people.
#[must_use]
pub fn is_text(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.chars().count()) && !text.chars().any(|c| c.is_control() || turns(c))
}

/// It turns the direction in which whatever follows is read: a name with it could be read as another one, or in another's place.
/// Letters turn by themselves where their script is written from right to left.
fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(is_name("board-7.a_B", 64) && is_text("Ольга К.", 64));
        assert!(!is_name("", 64) && !is_name("a/b", 64) && !is_name("аб", 64) && !is_name("aaa", 2));
        assert!(!is_text("", 64) && !is_text("a\nb", 64));
        assert!(is_text("כהן דוד", 64) && is_text("علي محمد", 64), "names from right to left are names");
        assert!(!is_text("a\u{202e}b", 64) && !is_text("\u{2067}a", 64));
    }
}
