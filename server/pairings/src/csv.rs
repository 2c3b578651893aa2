//! Pairings as a table, and a round as one.
//!
//! The first line names the columns, in any order and case; comma, semicolon or tab stands between them:
//!
//! | Column | What |
//! |---|---|
//! | `board` | number of the board; without the column boards are numbered as they come |
//! | `white`, `black` | names |
//! | `white_no`, `black_no` | starting-rank numbers; without them players are told by their names |
//! | `white_rating`, `black_rating`, `white_title`, `black_title`, `white_fed`, `black_fed`, `white_fide`, `black_fide` | what else is known |
//! | `clock` | the clock of the board as the service lists it; `-`: none |
//! | `result` | the result, or `H`, `F`, `U`, `Z` of a player without an opponent |
//! | `round` | the same on every line |
//!
//! A column whose name is empty or begins with `#` is left aside; any other is refused, lest a misspelt one be missed.

use crate::{
    Board, Bye, ByeKind, FILE_MAX, Fault, Faults, NUMBER_MAX, Outcome, Player, ROUNDS_MAX, Sheet,
    entrants::Entrants,
    sheet::{fide_id, name, rating, tidy, title},
    text::plain,
};

/// The columns there are.
const COLUMNS: [&str; 15] = [
    "board",
    "white",
    "black",
    "white_no",
    "black_no",
    "white_rating",
    "black_rating",
    "white_title",
    "black_title",
    "white_fed",
    "black_fed",
    "white_fide",
    "black_fide",
    "clock",
    "result",
];

/// And one that says the same in every line.
const ROUND: &str = "round";

/// Reads a table. `known` are the players the event has already.
///
/// # Errors
/// Everything in it that does not fit: the line, and as column the number of the field.
pub fn read(bytes: &[u8], known: &[Player]) -> Result<Sheet, Faults> {
    if bytes.len() > FILE_MAX {
        let what = format!("{} bytes, at most {FILE_MAX} are read", bytes.len());
        return Err(Fault::whole(what, "is this the table of one round?").into());
    }
    let text = plain(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(&text))
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut records = reader.records().map(|record| {
        record.map_err(|error| {
            let line = error.position().map_or(0, |position| position.line() as usize);
            Faults::from(Fault::at(line, 0, format!("no line of a table: {error}"), "save the table as CSV again"))
        })
    });
    let header = records
        .next()
        .transpose()?
        .ok_or_else(|| Fault::whole("the table is empty", "the first line names the columns: board,white,black,…"))?;
    let mut faults = Faults::default();
    let columns = columns(&header, &mut faults);
    let mut table = Table { columns, entrants: Entrants::new(known), boards: Vec::new(), byes: Vec::new(), round: 0 };
    for record in records {
        let record = record?;
        let line = record.position().map_or(0, |position| position.line() as usize);
        if record.iter().all(str::is_empty) || !faults.faults.is_empty() && table.columns.is_empty() {
            continue;
        }
        if let Err(fault) = table.take(&Line { record: &record, line }) {
            faults.push(fault);
        }
    }
    if table.boards.is_empty() && faults.faults.is_empty() {
        faults.push(Fault::whole("no line pairs two players", "expected white and black in every line"));
    }
    let Table { entrants, mut boards, mut byes, round, .. } = table;
    boards.sort_by_key(|board| board.board);
    byes.sort_by_key(|bye| bye.player);
    faults.unless(Sheet { title: String::new(), round, players: entrants.into_players(), boards, byes })
}

/// The one that stands most often in the first line.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |&byte: &u8| first.bytes().filter(|&other| other == byte).count();
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// Which field each column is.
fn columns(header: &csv::StringRecord, faults: &mut Faults) -> Vec<(&'static str, usize)> {
    let mut columns: Vec<(&'static str, usize)> = Vec::new();
    for (index, field) in header.iter().enumerate() {
        let wanted = field.to_ascii_lowercase();
        if wanted.is_empty() || wanted.starts_with('#') {
            continue;
        }
        match COLUMNS.into_iter().chain([ROUND]).find(|column| *column == wanted) {
            Some(column) if columns.iter().any(|(name, _)| *name == column) => {
                faults.push(Fault::at(1, index + 1, format!("{column} is there twice"), "take one of them out"));
            }
            Some(column) => columns.push((column, index)),
            None => {
                let what = format!("{:?} is no column", tidy(field, 40));
                let remedy = format!("expected {}; a # in front leaves it aside", COLUMNS.join(", "));
                faults.push(Fault::at(1, index + 1, what, remedy));
            }
        }
    }
    let has = |name: &str| columns.iter().any(|(column, _)| *column == name);
    if faults.faults.is_empty() && !["white", "black"].iter().all(|side| has(side) || has(&format!("{side}_no"))) {
        let remedy = "expected white and black, or white_no and black_no";
        faults.push(Fault::at(1, 0, "the players have no column", remedy));
    }
    columns
}

struct Line<'a> {
    record: &'a csv::StringRecord,
    line: usize,
}

struct Table {
    columns: Vec<(&'static str, usize)>,
    entrants: Entrants,
    boards: Vec<Board>,
    byes: Vec<Bye>,
    round: u32,
}

impl Table {
    fn index(&self, column: &str) -> Option<usize> {
        self.columns.iter().find(|(name, _)| *name == column).map(|&(_, index)| index)
    }

    fn text<'l>(&self, line: &Line<'l>, column: &str) -> &'l str {
        self.index(column).and_then(|index| line.record.get(index)).unwrap_or_default()
    }

    fn fault(&self, line: &Line<'_>, column: &str, what: impl Into<String>, remedy: impl Into<String>) -> Fault {
        Fault::at(line.line, self.index(column).map_or(0, |index| index + 1), what, remedy)
    }

    /// A number of a column, 0 when it is empty.
    fn number(&self, line: &Line<'_>, column: &str, most: u32) -> Result<u32, Fault> {
        match self.text(line, column) {
            "" => Ok(0),
            text => text.parse().ok().filter(|number| (1..=most).contains(number)).ok_or_else(|| {
                let what = format!("{:?} is no {}", tidy(text, 40), column.replace('_', " "));
                self.fault(line, column, what, format!("expected 1 to {most}, or nothing"))
            }),
        }
    }

    fn rating(&self, line: &Line<'_>, column: &str) -> Result<u32, Fault> {
        let text = self.text(line, column);
        rating(text).ok_or_else(|| {
            let what = format!("{:?} is no {}", tidy(text, 40), column.replace('_', " "));
            self.fault(line, column, what, "expected 1 to 9999, or nothing")
        })
    }

    fn player(&self, line: &Line<'_>, side: &str) -> Result<Option<Player>, Fault> {
        let column = |what: &str| format!("{side}_{what}");
        let player = Player {
            number: self.number(line, &column("no"), NUMBER_MAX)?,
            name: name(self.text(line, side)),
            title: title(self.text(line, &column("title"))),
            rating: self.rating(line, &column("rating"))?,
            federation: tidy(self.text(line, &column("fed")), 3),
            fide_id: fide_id(self.text(line, &column("fide"))),
        };
        Ok((player.number > 0 || !player.name.is_empty()).then_some(player))
    }

    fn take(&mut self, line: &Line<'_>) -> Result<(), Fault> {
        let round = self.number(line, ROUND, ROUNDS_MAX)?;
        if round > 0 && self.round > 0 && round != self.round {
            let what = format!("round {round}, before it was {}", self.round);
            return Err(self.fault(line, ROUND, what, "a table has the pairings of one round"));
        }
        self.round = self.round.max(round);
        let (white, black) = (self.player(line, "white")?, self.player(line, "black")?);
        match (white, black) {
            (Some(white), Some(black)) => self.board(line, white, black),
            (Some(alone), None) | (None, Some(alone)) => self.bye(line, alone),
            (None, None) => Err(self.fault(line, "white", "nobody is named", "expected white and black")),
        }
    }

    fn board(&mut self, line: &Line<'_>, white: Player, black: Player) -> Result<(), Fault> {
        let stated = self.number(line, "board", NUMBER_MAX)?;
        let board = match (self.index("board"), stated) {
            (None, _) => self.boards.len() as u32 + 1,
            (Some(_), 0) => {
                return Err(self.fault(line, "board", "no board", "number every board, or take the column out"));
            }
            (Some(_), board) => board,
        };
        if self.boards.iter().any(|other| other.board == board) {
            let what = format!("board {board} is there twice");
            return Err(self.fault(line, "board", what, "give each pair a board of its own"));
        }
        let outcome = match self.text(line, "result") {
            "" | "*" => None,
            text => Some(Outcome::of(text).ok_or_else(|| {
                let what = format!("{:?} is no result", tidy(text, 40));
                self.fault(line, "result", what, "expected 1-0, 0-1, 1/2-1/2, 0-0, +/-, -/+, -/- or nothing")
            })?),
        };
        let seat = |table: &mut Table, side: &str, player: Player| {
            let seated = table.entrants.seat(player);
            seated.map_err(|why| table.fault(line, side, why, "correct the name or the number"))
        };
        let (white, black) = (seat(self, "white", white)?, seat(self, "black", black)?);
        let clock = tidy(self.text(line, "clock"), 64);
        let device = (!clock.is_empty()).then_some(clock);
        self.boards.push(Board { board, white, black, device, outcome });
        Ok(())
    }

    fn bye(&mut self, line: &Line<'_>, player: Player) -> Result<(), Fault> {
        let text = self.text(line, "result");
        let mut letters = text.chars();
        let kind = letters.next().and_then(ByeKind::of).filter(|_| letters.next().is_none()).ok_or_else(|| {
            let what = format!("a player without an opponent, and {:?} for a result", tidy(text, 40));
            self.fault(line, "result", what, "expected H, F, U or Z, or an opponent")
        })?;
        let seated = self.entrants.seat(player);
        let player = seated.map_err(|why| self.fault(line, "white", why, "correct the name or the number"))?;
        self.byes.push(Bye { player, kind });
        Ok(())
    }
}

/// A round as a table that [`read`] reads: boards, then those who do not play.
#[must_use]
pub fn write(sheet: &Sheet) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let player = |number: u32| sheet.players.iter().find(|player| player.number == number);
    let named = |number: u32| player(number).map_or("", |player| player.name.as_str()).to_owned();
    let mut lines =
        vec![["round", "board", "white_no", "white", "black_no", "black", "result", "clock"].map(str::to_owned)];
    // A file that does not say which round it is has nothing to say here either: 0 is no round.
    let round = if sheet.round == 0 { String::new() } else { sheet.round.to_string() };
    for board in &sheet.boards {
        lines.push([
            round.clone(),
            board.board.to_string(),
            board.white.to_string(),
            named(board.white),
            board.black.to_string(),
            named(board.black),
            board.outcome.map(|outcome| outcome.text().to_owned()).unwrap_or_default(),
            board.device.clone().unwrap_or_default(),
        ]);
    }
    for bye in &sheet.byes {
        let none = String::new;
        lines.push([
            round.clone(),
            none(),
            bye.player.to_string(),
            named(bye.player),
            none(),
            none(),
            bye.kind.letter().to_string(),
            none(),
        ]);
    }
    // Memory takes everything, and text stays text.
    lines.iter().for_each(|line| drop(writer.write_record(line)));
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        read(text.as_bytes(), &[]).expect_err(text).to_string()
    }

    #[test]
    fn a_table_numbers_boards_and_players() {
        let known = [Player { number: 7, name: "Alpha, A".into(), rating: 2000, ..Player::default() }];
        let text = "Board;White;Black;Clock;Result;#note\r\n2;\"Alpha, A\";Beta;;;x\r\n1;Gamma;Delta;clock-9;+-;\r\n;Epsilon;;;H;\r\n";
        let sheet = read(text.as_bytes(), &known).expect("a table");
        let names: Vec<_> =
            sheet.players.iter().map(|player| (player.number, player.name.as_str(), player.rating)).collect();
        assert_eq!(
            names,
            [(7, "Alpha, A", 2000), (8, "Beta", 0), (9, "Gamma", 0), (10, "Delta", 0), (11, "Epsilon", 0)]
        );
        let boards: Vec<_> =
            sheet.boards.iter().map(|b| (b.board, b.white, b.black, b.device.as_deref(), b.outcome)).collect();
        assert_eq!(boards, [(1, 9, 10, Some("clock-9"), Some(Outcome::WhiteByForfeit)), (2, 7, 8, None, None)]);
        assert_eq!(sheet.byes, [Bye { player: 11, kind: ByeKind::Half }]);
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_field() {
        assert_eq!(
            refused("white,black,bord\nA,B,1\n").split(';').next(),
            Some("line 1, column 3: \"bord\" is no column")
        );
        assert!(refused("white,black\nA,A\n").starts_with("line 2, column 2: player 1 is named twice"));
        assert!(refused("board,white,black\n1,A,B\n1,C,D\n").starts_with("line 3, column 1: board 1 is there twice"));
        assert!(refused("board,white,black\n,A,B\n").starts_with("line 2, column 1: no board"));
        assert!(refused("white,black,result\nA,B,2-0\n").starts_with("line 2, column 3: \"2-0\" is no result"));
        assert!(refused("white,black,result\nA,,\n").contains("a player without an opponent"));
        assert!(refused("white_no,black_no\n1,2\n").contains("player 1 has no name"));
        assert!(refused("round,white,black\n1,A,B\n2,C,D\n").starts_with("line 3, column 1: round 2, before it was 1"));
        assert!(refused("").starts_with("the table is empty"));
        assert!(refused("board\n1\n").contains("the players have no column"));
        assert!(refused("white,black\n").contains("no line pairs two players"));
    }

    #[test]
    fn a_round_is_written_and_read() {
        let player = |number, name: &str| Player { number, name: name.into(), ..Player::default() };
        let sheet = Sheet {
            title: String::new(),
            round: 3,
            players: vec![player(1, "A \"q\", B"), player(2, "=1+2"), player(3, "Ж\u{e9}")],
            boards: vec![Board {
                board: 4,
                white: 2,
                black: 1,
                device: Some("clock-4".into()),
                outcome: Some(Outcome::Draw),
            }],
            byes: vec![Bye { player: 3, kind: ByeKind::Pairing }],
        };
        let text = write(&sheet);
        assert!(text.starts_with("round,board,white_no,white,black_no,black,result,clock\n3,4,2,=1+2,1,"), "{text}");
        assert_eq!(read(text.as_bytes(), &[]), Ok(sheet));
    }

    #[test]
    fn a_table_that_names_no_round_is_written_without_one() {
        let sheet = read(b"white,black\nA,B\n", &[]).expect("a table");
        assert_eq!(sheet.round, 0);
        let again = read(write(&sheet).as_bytes(), &[]).expect("what was written can be read");
        assert_eq!((again.round, again.boards.len()), (0, 1));
    }
}
