//! Digits five rows high.

use flagfall_rules::time::{MINUTE, Millis, SECOND};

/// Rows of a digit.
pub(super) const HEIGHT: usize = 5;

/// Below this, tenths are shown.
const TENTHS: Millis = 20 * SECOND;

/// A time as it is shown: `H:MM:SS` or `MM:SS`, with tenths near the end, all cut off and never rounded up: a zero is
/// shown only when the time is over.
pub(super) fn text(left: Option<Millis>) -> String {
    let Some(left) = left.map(|left| left.max(0)) else { return "-:--".into() };
    let (hours, minutes, seconds) = (left / (60 * MINUTE), left / MINUTE % 60, left / SECOND % 60);
    match left {
        _ if hours > 0 => format!("{hours}:{minutes:02}:{seconds:02}"),
        TENTHS.. => format!("{minutes:02}:{seconds:02}"),
        _ => format!("{minutes:02}:{seconds:02}.{}", left / 100 % 10),
    }
}

/// A text of digits and marks in blocks.
pub(super) fn blocks(text: &str) -> [String; HEIGHT] {
    std::array::from_fn(|row| text.chars().map(|c| glyph(c)[row]).collect::<Vec<_>>().join(" "))
}

const fn glyph(c: char) -> [&'static str; HEIGHT] {
    match c {
        '0' => ["█████", "█   █", "█   █", "█   █", "█████"],
        '1' => ["  █  ", " ██  ", "  █  ", "  █  ", " ███ "],
        '2' => ["█████", "    █", "█████", "█    ", "█████"],
        '3' => ["█████", "    █", " ████", "    █", "█████"],
        '4' => ["█   █", "█   █", "█████", "    █", "    █"],
        '5' => ["█████", "█    ", "█████", "    █", "█████"],
        '6' => ["█████", "█    ", "█████", "█   █", "█████"],
        '7' => ["█████", "    █", "   █ ", "  █  ", "  █  "],
        '8' => ["█████", "█   █", "█████", "█   █", "█████"],
        '9' => ["█████", "█   █", "█████", "    █", "█████"],
        '-' => ["     ", "     ", "█████", "     ", "     "],
        ':' => [" ", "█", " ", "█", " "],
        '.' => [" ", " ", " ", " ", "█"],
        _ => [""; HEIGHT],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_they_are_shown() {
        let table = [
            (None, "-:--"),
            (Some(0), "00:00.0"),
            (Some(-5), "00:00.0"),
            (Some(99), "00:00.0"),
            (Some(19_999), "00:19.9"),
            (Some(20_000), "00:20"),
            (Some(305_000), "05:05"),
            (Some(3_599_999), "59:59"),
            (Some(3_600_000), "1:00:00"),
            (Some(36_000_000), "10:00:00"),
        ];
        for (left, shown) in table {
            assert_eq!(text(left), shown, "{left:?}");
        }
    }

    #[test]
    fn every_row_of_a_digit_is_as_wide_as_the_others() {
        for c in "0123456789-:.".chars() {
            let widths = glyph(c).map(|row| row.chars().count());
            assert!(widths.iter().all(|width| *width == widths[0] && *width > 0), "{c}");
        }
    }
}
