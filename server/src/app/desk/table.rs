//! Tables for people.

use std::iter::once;

/// Between two columns.
const GAP: &str = "  ";

/// A foreign text on one line: what would move the cursor is a space.
pub(in crate::app) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect()
}

/// A head and rows, every column as wide as its widest cell; each line ends in a new line.
pub(in crate::app) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let lines: Vec<[String; N]> =
        once(head.map(str::to_owned)).chain(rows.iter().map(|row| row.each_ref().map(|cell| clean(cell)))).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |cells: &[String; N]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("{}\n", padded.collect::<Vec<_>>().join(GAP).trim_end())
    };
    lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_its_widest_cell_in_characters() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let told = table(["no", "player", "time"], &[row(["1", "Пешкин", "5:00"]), row(["200", "A\nB", ""])]);
        assert_eq!(told, "no   player  time\n1    Пешкин  5:00\n200  A B\n");
    }
}
