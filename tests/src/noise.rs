//! Two players' hands on a noisy board, seeded: what real sensors make of legal play, and irregularities among it.
//!
//! Slides, adjustments, flicker, late settling, presses before the board is read, knocked men put back: none of that is an
//! irregularity, so every case the rules open on legal play is a false alarm.

use flagfall_rules::{
    board::{Kind, Man, Scan, infer},
    clock::{Colour, Face, Going, Place},
    game::{DeskAct, DeskInput, DeviceAct, DeviceInput, Game, Input, Irregularity, Overlay, Setup, decide},
    laws::{self, Play},
    time::Moment,
};
use shakmaty::{Chess, Move, Position};

/// How often each kind of noise happens, in a thousand plies.
#[derive(Clone, Copy)]
pub struct Rates {
    /// A piece slides and is seen on squares between.
    pub slide: u64,
    /// A man of the mover is lifted and put back before the move.
    pub adjust: u64,
    /// A man is not seen for a while, across presses too.
    pub flicker: u64,
    /// The clock is pressed before the board shows the final position.
    pub early_press: u64,
    /// A man is knocked to another square and put back, before the press or within the second.
    pub knock: u64,
}

impl Default for Rates {
    /// Fitted to real captures: of 199 plies 8 were first seen as another legal move, 5 presses came while nothing legal matched.
    fn default() -> Rates {
        Rates { slide: 80, adjust: 30, flicker: 10, early_press: 60, knock: 5 }
    }
}

/// How one game went.
pub struct Outcome {
    /// Plies played.
    pub plies: u64,
    /// Every case opened, in words.
    pub cases: Vec<String>,
    /// The score is exactly what was played.
    pub same: bool,
    /// The desk was told at some time that the moves could not be followed.
    pub lost: bool,
    /// The irregularity asked for was committed.
    pub injected: bool,
    /// What differs, or what was done wrong.
    pub note: String,
}

/// The players, their board and clock, and the rules that watch them.
pub struct Hands {
    game: Game,
    board: Scan,
    position: Chess,
    face: Face,
    now: u64,
    seq: u64,
    chance: u64,
    rates: Rates,
    unseen: Option<(u8, Man, u32)>,
    shown: Option<Scan>,
}

impl Hands {
    /// Sits down to a game; the seed decides everything.
    #[must_use]
    pub fn sit(seed: u64, rates: Rates) -> Hands {
        let face = Face::unknown(Place::Left);
        let position = Chess::default();
        let board = infer::scan(&position);
        let mut hands = Hands {
            game: Game::new("noise"),
            board,
            position,
            face,
            now: 0,
            seq: 0,
            chance: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            rates,
            unseen: None,
            shown: None,
        };
        let setup = Setup {
            game: "noise".into(),
            device: "d".into(),
            edition: "fide-2018".into(),
            play: Play::Standard,
            control: None,
            white_place: Place::Left,
            position: None,
            overlay: Overlay::default(),
        };
        let act = DeskAct::Open(setup);
        hands.feed(Input::Desk(DeskInput {
            request: "r".into(),
            actor: "script".into(),
            wall_ms: 0,
            reason: String::new(),
            act,
        }));
        hands.scan();
        hands.rest(1_500);
        hands.face.going = Going::Running;
        hands.device(DeviceAct::Started);
        hands
    }

    fn roll(&mut self, below: u64) -> u64 {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.chance;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }

    fn happens(&mut self, rate: u64) -> bool {
        self.roll(1000) < rate
    }

    fn feed(&mut self, input: Input) {
        let edition = laws::edition("fide-2018").expect("known");
        // A clock is never refused, and the one act of the desk opens the game.
        let _events = decide(edition, &mut self.game, &input);
    }

    fn device(&mut self, act: DeviceAct) {
        self.seq += 1;
        let at = Moment { boot: 1, ms: self.now };
        self.feed(Input::Device(DeviceInput { seq: self.seq, at, face: self.face, act }));
    }

    /// The sensors' picture now: the board less a man that flickers.
    fn scan(&mut self) {
        let mut seen = self.board;
        if let Some((square, man, _)) = self.unseen
            && self.board.at(square) == Some(man)
        {
            seen.put(square, None);
        }
        if self.shown != Some(seen) {
            self.shown = Some(seen);
            self.device(DeviceAct::Scan(seen));
        }
    }

    /// Time passes with the board still; the agent says so after a second.
    fn rest(&mut self, ms: u64) {
        let since = self.now;
        self.now += ms;
        if ms >= 1_000 {
            self.device(DeviceAct::Quiet(since));
        }
    }

    fn press(&mut self) {
        let by = self.face.turn;
        self.face.turn = by.other();
        self.device(DeviceAct::Press(by));
    }

    fn show(&mut self, square: u8, man: Option<Man>, after: u64) {
        self.board.put(square, man);
        self.now += after;
        self.scan();
    }

    /// Plays at most so many plies; with an irregularity, until it was committed and could be found.
    pub fn game(&mut self, most: u64, inject: Option<Irregularity>) -> Outcome {
        let (mut plies, mut injected) = (0, false);
        let mut played = Vec::new();
        let at = 10 + self.roll(most / 2);
        let mut note = String::new();
        while plies < most && !self.position.is_game_over() && self.game.ended.is_none() {
            if let Some(kind) = inject.filter(|_| plies >= at && !injected)
                && self.wrong(kind, &mut note)
            {
                injected = true;
                self.rest(1_500);
                break;
            }
            let m = self.pick(inject);
            let think = 300 + self.roll(6_000);
            self.rest(think);
            self.adjust();
            self.carry(m);
            played.push(infer::uci(m).to_string());
            self.position.play_unchecked(m);
            plies += 1;
            if !self.game.cases.is_empty() {
                break;
            }
        }
        self.now += 400;
        self.board = infer::scan(&self.position);
        if !injected {
            self.unseen = None;
            self.scan();
            self.rest(1_500);
        }
        let score: Vec<String> = self.game.plies.iter().map(|p| p.uci.to_string()).collect();
        let same = score == played;
        if !same {
            let at = score.iter().zip(&played).take_while(|(a, b)| a == b).count();
            note += &format!(
                " from ply {}: {:?} was {:?} {:?}",
                at + 1,
                score.get(at),
                played.get(at),
                self.game.alarms.last()
            );
        }
        let cases = self.game.cases.iter().map(|c| {
            let f = &c.finding;
            format!(
                "{} ply {} {} ({}) {:?}",
                f.kind.name(),
                f.ply,
                f.by.name(),
                f.evidence.seen.en,
                played.get(f.ply as usize - 1)
            )
        });
        let lost = self.game.alarms.iter().any(|a| a.0 == flagfall_rules::game::Alarm::Lost);
        Outcome { plies, cases: cases.collect(), same, lost, injected, note }
    }

    /// A random legal move; captures of the last men are avoided so that games last.
    fn pick(&mut self, inject: Option<Irregularity>) -> Move {
        let legal = self.position.legal_moves();
        if inject == Some(Irregularity::PawnLeft)
            && let Some(&m) = legal.iter().filter(|m| m.role() == shakmaty::Role::Pawn).nth(self.roll(4) as usize)
        {
            return m;
        }
        let index = self.roll(legal.len() as u64) as usize;
        legal[index]
    }

    fn adjust(&mut self) {
        if !self.happens(self.rates.adjust) {
            return;
        }
        let square = self.roll(64) as u8;
        if let Some(man) = self.board.at(square) {
            let (gone, back) = (200 + self.roll(1_500), 100 + self.roll(400));
            self.show(square, None, 50);
            self.rest(gone);
            self.show(square, Some(man), back);
        }
    }

    fn carry(&mut self, m: Move) {
        let mut next = self.position.clone();
        next.play_unchecked(m);
        let (was, will) = (infer::scan(&self.position), infer::scan(&next));
        if let Some((square, man, left)) = self.unseen {
            self.unseen = (left > 0).then(|| (square, man, left - 1));
        } else if self.happens(self.rates.flicker) {
            let square = self.roll(64) as u8;
            self.unseen = self.board.at(square).map(|man| (square, man, 1));
        }
        let mut changes: Vec<u8> = was.differences(&will).collect();
        if self.roll(2) == 0 {
            changes.reverse();
        }
        let from = m.from().map_or(0, |s| s as u8);
        let to = m.to() as u8;
        let capture_first = self.roll(2) == 0;
        let mut steps: Vec<(u8, Option<Man>)> = Vec::new();
        if m.is_capture() && capture_first {
            let taken = if m.is_en_passant() { (from / 8) * 8 + to % 8 } else { to };
            steps.push((taken, None));
        }
        steps.push((from, None));
        if !m.is_castle() && self.happens(self.rates.slide) {
            let (df, dr) = (i16::from(to % 8) - i16::from(from % 8), i16::from(to / 8) - i16::from(from / 8));
            let n = df.abs().max(dr.abs());
            if n > 1 && (df == 0 || dr == 0 || df.abs() == dr.abs()) {
                let step = 1 + self.roll(n as u64 - 1) as i16;
                let square = (i16::from(from) + step * (df.signum() + 8 * dr.signum())) as u8;
                if was.at(square).is_none() {
                    steps.push((square, was.at(from)));
                    steps.push((square, None));
                }
            }
        }
        for square in changes {
            if !steps.iter().any(|&(s, man)| s == square && man == will.at(square)) || will.at(square).is_some() {
                steps.push((square, will.at(square)));
            }
        }
        let early = self.happens(self.rates.early_press);
        let cut = if early { self.roll(steps.len() as u64 + 1) as usize } else { steps.len() };
        let knocked = self.knock(&steps);
        for (index, (square, man)) in steps.iter().copied().enumerate() {
            if index == cut {
                self.now += 60;
                self.press();
            }
            let after = if index > cut { 100 + self.roll(200) } else { 80 + self.roll(500) };
            self.show(square, man, after);
        }
        if let Some((home, away, man, late)) = knocked {
            if late && cut == steps.len() {
                self.now += 100;
                self.press();
            }
            self.show(away, None, 200);
            self.show(home, Some(man), 200);
            if late && cut == steps.len() {
                return;
            }
        }
        if cut == steps.len() {
            self.now += 50 + self.roll(800);
            self.press();
        }
    }

    /// A man knocked to a free square; it will be put back, before the press or within the second after it.
    fn knock(&mut self, steps: &[(u8, Option<Man>)]) -> Option<(u8, u8, Man, bool)> {
        if !self.happens(self.rates.knock) {
            return None;
        }
        let (home, away) = (self.roll(64) as u8, self.roll(64) as u8);
        let man = self.board.at(home)?;
        if steps.iter().any(|&(square, _)| square == home || square == away) {
            return None;
        }
        if self.board.at(away).is_some() || man.kind == Kind::King {
            return None;
        }
        self.show(home, None, 30);
        self.show(away, Some(man), 30);
        let late = self.roll(2) == 0;
        Some((home, away, man, late))
    }

    fn wrong(&mut self, kind: Irregularity, note: &mut String) -> bool {
        let by: Colour = self.face.turn;
        self.now += 3_000;
        match kind {
            Irregularity::PressWithoutMove => {
                self.unseen = None;
                self.scan();
                self.rest(1_200);
                self.press();
                true
            }
            Irregularity::IllegalMove => {
                let legal: Vec<Move> = self.position.legal_moves().into_iter().collect();
                for _ in 0..200 {
                    let (from, to) = (self.roll(64) as u8, self.roll(64) as u8);
                    let Some(man) = self.board.at(from).filter(|m| m.colour == by) else { continue };
                    let target = self.board.at(to);
                    if from == to || target.is_some_and(|t| t.colour == by || t.kind == Kind::King) {
                        continue;
                    }
                    if man.kind == Kind::Pawn && (to / 8 == 0 || to / 8 == 7) {
                        continue;
                    }
                    if legal.iter().any(|m| m.from().map(|s| s as u8) == Some(from) && m.to() as u8 == to) {
                        continue;
                    }
                    *note = format!("{from}->{to} {man:?} taking {target:?}");
                    self.show(from, None, 100);
                    self.show(to, Some(man), 300);
                    self.now += 200;
                    self.press();
                    return true;
                }
                false
            }
            Irregularity::PawnLeft => {
                let Some(m) = self.position.promotion_moves().into_iter().next() else { return false };
                let pawn = Man { colour: by, kind: Kind::Pawn };
                self.show(m.from().map_or(0, |s| s as u8), None, 100);
                self.show(m.to() as u8, Some(pawn), 300);
                self.press();
                true
            }
            _ => {
                let m = self.pick(None);
                if m.is_castle() || m.is_promotion() || m.is_en_passant() {
                    return false;
                }
                let (home, away) = (self.roll(64) as u8, self.roll(64) as u8);
                let Some(man) = self.board.at(home).filter(|m| m.kind != Kind::King) else { return false };
                let ends = [m.from().map_or(0, |s| s as u8), m.to() as u8];
                if self.board.at(away).is_some() || ends.contains(&home) || ends.contains(&away) {
                    return false;
                }
                *note = format!("{} and {home}->{away} {man:?}", infer::uci(m));
                self.show(home, None, 50);
                self.show(away, Some(man), 50);
                let moved = self.board.at(ends[0]);
                self.show(ends[0], None, 100);
                self.show(ends[1], moved, 300);
                self.press();
                true
            }
        }
    }
}
