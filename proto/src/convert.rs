//! The contract's shared words as the rules' types, and back.
//!
//! Out is `From` and cannot fail; in is `TryFrom` and names the field it refuses. Enums are plain numbers inside messages:
//! [`colour`], [`maybe_colour`], [`place`], [`going`] read those, and [`Refused::at`] says in which field they stood.

use std::fmt;

use flagfall_rules::board::Scan;
use flagfall_rules::clock::control::{MOVES_MAX, PERIODS_MAX};
use flagfall_rules::clock::run::LONGEST;
use flagfall_rules::clock::{Advance, Colour, Compensation, Control, Face, Going, Hand, Period, Place};
use flagfall_rules::time::Moment;

use crate::clock::v1;

/// The highest number of a period in a message: they are counted from 0.
const LAST_PERIOD: u32 = PERIODS_MAX as u32 - 1;

/// Why a message cannot be what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The field, as `face.white.left_ms`.
    pub what: &'static str,
    /// What is wrong with it.
    pub why: String,
}

impl Refused {
    /// A field and what is wrong with it.
    pub fn new(what: &'static str, why: impl Into<String>) -> Refused {
        Refused { what, why: why.into() }
    }

    /// The same fault in a field that has a better name in its message.
    #[must_use]
    pub fn at(self, what: &'static str) -> Refused {
        Refused { what, ..self }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

impl std::error::Error for Refused {}

fn unspecified(what: &'static str) -> Refused {
    Refused::new(what, "not specified")
}

/// One of a contract's enums from the number in a message.
fn known<T: TryFrom<i32>>(what: &'static str, value: i32) -> Result<T, Refused> {
    T::try_from(value).map_err(|_| Refused::new(what, format!("{value} is not known")))
}

/// The colour a field asks for.
///
/// # Errors
/// Unspecified, or a number the contract does not know.
pub fn colour(value: i32) -> Result<Colour, Refused> {
    known::<v1::Colour>("colour", value)?.try_into()
}

/// The colour in a field that may leave it open.
///
/// # Errors
/// A number the contract does not know.
pub fn maybe_colour(value: i32) -> Result<Option<Colour>, Refused> {
    match known("colour", value)? {
        v1::Colour::Unspecified => Ok(None),
        said => said.try_into().map(Some),
    }
}

/// The place a field asks for.
///
/// # Errors
/// Unspecified, or a number the contract does not know.
pub fn place(value: i32) -> Result<Place, Refused> {
    known::<v1::Place>("place", value)?.try_into()
}

/// What a clock is doing, as a field says it.
///
/// # Errors
/// Unspecified, or a number the contract does not know.
pub fn going(value: i32) -> Result<Going, Refused> {
    known::<v1::Going>("going", value)?.try_into()
}

/// How a clock goes from period to period, as a field says it.
///
/// # Errors
/// Unspecified, or a number the contract does not know.
pub fn advance(value: i32) -> Result<Advance, Refused> {
    known::<v1::Advance>("advance", value)?.try_into()
}

impl From<Colour> for v1::Colour {
    fn from(colour: Colour) -> v1::Colour {
        match colour {
            Colour::White => v1::Colour::White,
            Colour::Black => v1::Colour::Black,
        }
    }
}

impl From<Option<Colour>> for v1::Colour {
    fn from(colour: Option<Colour>) -> v1::Colour {
        colour.map_or(v1::Colour::Unspecified, v1::Colour::from)
    }
}

impl TryFrom<v1::Colour> for Colour {
    type Error = Refused;

    fn try_from(colour: v1::Colour) -> Result<Colour, Refused> {
        match colour {
            v1::Colour::Unspecified => Err(unspecified("colour")),
            v1::Colour::White => Ok(Colour::White),
            v1::Colour::Black => Ok(Colour::Black),
        }
    }
}

impl From<Place> for v1::Place {
    fn from(place: Place) -> v1::Place {
        match place {
            Place::Left => v1::Place::Left,
            Place::Right => v1::Place::Right,
        }
    }
}

impl TryFrom<v1::Place> for Place {
    type Error = Refused;

    fn try_from(place: v1::Place) -> Result<Place, Refused> {
        match place {
            v1::Place::Unspecified => Err(unspecified("place")),
            v1::Place::Left => Ok(Place::Left),
            v1::Place::Right => Ok(Place::Right),
        }
    }
}

impl From<Going> for v1::Going {
    fn from(going: Going) -> v1::Going {
        match going {
            Going::Idle => v1::Going::Idle,
            Going::Running => v1::Going::Running,
            Going::Paused => v1::Going::Paused,
            Going::Over => v1::Going::Over,
        }
    }
}

impl TryFrom<v1::Going> for Going {
    type Error = Refused;

    fn try_from(going: v1::Going) -> Result<Going, Refused> {
        match going {
            v1::Going::Unspecified => Err(unspecified("going")),
            v1::Going::Idle => Ok(Going::Idle),
            v1::Going::Running => Ok(Going::Running),
            v1::Going::Paused => Ok(Going::Paused),
            v1::Going::Over => Ok(Going::Over),
        }
    }
}

/// What the fields of a hand are called where it stands: the hand, its time, its moves, its period.
type HandNames = [&'static str; 4];

const HAND: HandNames = ["hand", "hand.left_ms", "hand.moves", "hand.period"];
const PAIR: [HandNames; 2] = [
    ["white", "white.left_ms", "white.moves", "white.period"],
    ["black", "black.left_ms", "black.moves", "black.period"],
];
const FACE: [HandNames; 2] = [
    ["face.white", "face.white.left_ms", "face.white.moves", "face.white.period"],
    ["face.black", "face.black.left_ms", "face.black.moves", "face.black.period"],
];

fn hand(hand: Option<v1::Hand>, [whole, left_ms, moves, period]: HandNames) -> Result<Hand, Refused> {
    let hand = hand.ok_or_else(|| Refused::new(whole, "missing"))?;
    match hand.left_ms {
        Some(ms) if ms < 0 => return Err(Refused::new(left_ms, "negative")),
        Some(ms) if ms > LONGEST => return Err(Refused::new(left_ms, "more than 100 hours")),
        _ => {}
    }
    if hand.moves > MOVES_MAX {
        return Err(Refused::new(moves, format!("{}, more than {MOVES_MAX}", hand.moves)));
    }
    match u8::try_from(hand.period) {
        Ok(period) if hand.period <= LAST_PERIOD => {
            Ok(Hand { left: hand.left_ms, moves: hand.moves, period, flagged: hand.flagged })
        }
        _ => Err(Refused::new(period, format!("{}, the last is {LAST_PERIOD}", hand.period))),
    }
}

/// The two halves of a message that must have both, such as `Set`; White's first.
///
/// # Errors
/// Names the field as `white.left_ms`.
pub fn hands(white: Option<v1::Hand>, black: Option<v1::Hand>) -> Result<[Hand; 2], Refused> {
    let [white_names, black_names] = PAIR;
    Ok([hand(white, white_names)?, hand(black, black_names)?])
}

impl From<Hand> for v1::Hand {
    fn from(hand: Hand) -> v1::Hand {
        v1::Hand { left_ms: hand.left, moves: hand.moves, period: hand.period.into(), flagged: hand.flagged }
    }
}

impl TryFrom<v1::Hand> for Hand {
    type Error = Refused;

    fn try_from(message: v1::Hand) -> Result<Hand, Refused> {
        hand(Some(message), HAND)
    }
}

impl From<Face> for v1::Face {
    fn from(face: Face) -> v1::Face {
        let [white, black] = face.hands;
        v1::Face {
            white: Some(white.into()),
            black: Some(black.into()),
            turn: v1::Colour::from(face.turn).into(),
            going: v1::Going::from(face.going).into(),
            first_flag: v1::Colour::from(face.first_flag).into(),
            white_place: v1::Place::from(face.white_place).into(),
        }
    }
}

impl TryFrom<v1::Face> for Face {
    type Error = Refused;

    fn try_from(face: v1::Face) -> Result<Face, Refused> {
        let [white_names, black_names] = FACE;
        Ok(Face {
            hands: [hand(face.white, white_names)?, hand(face.black, black_names)?],
            turn: colour(face.turn).map_err(|e| e.at("face.turn"))?,
            going: going(face.going).map_err(|e| e.at("face.going"))?,
            first_flag: maybe_colour(face.first_flag).map_err(|e| e.at("face.first_flag"))?,
            white_place: place(face.white_place).map_err(|e| e.at("face.white_place"))?,
        })
    }
}

impl From<Scan> for v1::Board {
    fn from(scan: Scan) -> v1::Board {
        v1::Board { squares: scan.packed().into() }
    }
}

impl TryFrom<v1::Board> for Scan {
    type Error = Refused;

    fn try_from(board: v1::Board) -> Result<Scan, Refused> {
        Scan::from_packed(&board.squares).map_err(|e| Refused::new("board.squares", e.to_string()))
    }
}

/// The boot goes as 16 bytes, the highest first.
impl From<Moment> for v1::Instant {
    fn from(moment: Moment) -> v1::Instant {
        v1::Instant { boot_id: moment.boot.to_be_bytes().into(), monotonic_ms: moment.ms }
    }
}

impl TryFrom<v1::Instant> for Moment {
    type Error = Refused;

    fn try_from(instant: v1::Instant) -> Result<Moment, Refused> {
        let boot: [u8; 16] = instant
            .boot_id
            .try_into()
            .map_err(|id: Vec<u8>| Refused::new("instant.boot_id", format!("{} bytes, not 16", id.len())))?;
        Ok(Moment { boot: u128::from_be_bytes(boot), ms: instant.monotonic_ms })
    }
}

/// The kind only; the amount has a field of its own.
impl From<Compensation> for v1::Compensation {
    fn from(compensation: Compensation) -> v1::Compensation {
        match compensation {
            Compensation::None => v1::Compensation::None,
            Compensation::Increment(_) => v1::Compensation::Increment,
            Compensation::Delay(_) => v1::Compensation::Delay,
            Compensation::Bronstein(_) => v1::Compensation::Bronstein,
        }
    }
}

impl From<Period> for v1::Period {
    fn from(period: Period) -> v1::Period {
        v1::Period {
            base_ms: period.base,
            compensation: v1::Compensation::from(period.compensation).into(),
            amount_ms: period.compensation.amount(),
            moves: period.moves.unwrap_or(0),
        }
    }
}

/// Whether its numbers make sense is for [`Control::new`] to say, which sees the periods around it.
impl TryFrom<v1::Period> for Period {
    type Error = Refused;

    fn try_from(period: v1::Period) -> Result<Period, Refused> {
        let amount = period.amount_ms;
        let compensation = match known("period.compensation", period.compensation)? {
            v1::Compensation::Unspecified => return Err(unspecified("period.compensation")),
            v1::Compensation::None if amount != 0 => {
                return Err(Refused::new("period.amount_ms", "an amount without a compensation"));
            }
            v1::Compensation::None => Compensation::None,
            v1::Compensation::Increment => Compensation::Increment(amount),
            v1::Compensation::Delay => Compensation::Delay(amount),
            v1::Compensation::Bronstein => Compensation::Bronstein(amount),
        };
        Ok(Period { base: period.base_ms, compensation, moves: (period.moves > 0).then_some(period.moves) })
    }
}

impl From<Advance> for v1::Advance {
    fn from(advance: Advance) -> v1::Advance {
        match advance {
            Advance::AtCount => v1::Advance::AtCount,
            Advance::AtZero => v1::Advance::AtZero,
        }
    }
}

impl TryFrom<v1::Advance> for Advance {
    type Error = Refused;

    fn try_from(advance: v1::Advance) -> Result<Advance, Refused> {
        match advance {
            v1::Advance::Unspecified => Err(unspecified("advance")),
            v1::Advance::AtCount => Ok(Advance::AtCount),
            v1::Advance::AtZero => Ok(Advance::AtZero),
        }
    }
}

impl From<&Control> for v1::Control {
    fn from(control: &Control) -> v1::Control {
        v1::Control {
            periods: control.periods().iter().map(|&period| period.into()).collect(),
            advance: v1::Advance::from(control.advance()).into(),
        }
    }
}

impl From<Control> for v1::Control {
    fn from(control: Control) -> v1::Control {
        v1::Control::from(&control)
    }
}

impl TryFrom<v1::Control> for Control {
    type Error = Refused;

    fn try_from(control: v1::Control) -> Result<Control, Refused> {
        let advance = advance(control.advance).map_err(|e| e.at("control.advance"))?;
        let periods = control.periods.into_iter().map(Period::try_from).collect::<Result<_, _>>()?;
        Control::new(periods, advance).map_err(|e| Refused::new("control.periods", e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use prost::Message;

    use super::*;

    /// Through the bytes of a message and back.
    fn there_and_back<M: Message + Default, T: Clone + Into<M> + TryFrom<M, Error = Refused>>(value: &T) -> T {
        let message: M = value.clone().into();
        let message = M::decode(&*message.encode_to_vec()).expect("its own bytes");
        T::try_from(message).expect("its own message")
    }

    fn colours() -> impl Strategy<Value = Colour> {
        prop_oneof![Just(Colour::White), Just(Colour::Black)]
    }

    prop_compose! {
        fn any_hand()(
            left in proptest::option::of(0..=LONGEST), moves in 0..=MOVES_MAX, period in 0u8..8, flagged in any::<bool>()
        ) -> Hand {
            Hand { left, moves, period, flagged }
        }
    }

    prop_compose! {
        fn any_face()(
            hands in [any_hand(), any_hand()], turn in colours(), first_flag in proptest::option::of(colours()),
            going in prop_oneof![Just(Going::Idle), Just(Going::Running), Just(Going::Paused), Just(Going::Over)],
            white_place in prop_oneof![Just(Place::Left), Just(Place::Right)],
        ) -> Face {
            Face { hands, turn, going, first_flag, white_place }
        }
    }

    proptest! {
        #[test]
        fn faces(face in any_face()) {
            prop_assert_eq!(there_and_back::<v1::Face, Face>(&face), face);
            let [white, black] = face.hands;
            prop_assert_eq!(there_and_back::<v1::Hand, Hand>(&white), white);
            prop_assert_eq!(hands(Some(white.into()), Some(black.into())), Ok(face.hands));
        }

        #[test]
        fn boards_and_instants(codes in proptest::collection::vec(0u8..13, 64), boot in any::<u128>(), ms in any::<u64>()) {
            let packed: Vec<u8> = codes.chunks(2).map(|two| two[0] | two[1] << 4).collect();
            let scan = Scan::from_packed(&packed).expect("codes up to 12");
            prop_assert_eq!(there_and_back::<v1::Board, Scan>(&scan), scan);
            prop_assert_eq!(there_and_back::<v1::Instant, Moment>(&Moment { boot, ms }), Moment { boot, ms });
        }

        #[test]
        fn any_message_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = v1::Face::decode(&*bytes).map(Face::try_from);
            let _ = v1::Control::decode(&*bytes).map(Control::try_from);
        }
    }

    #[test]
    fn controls() {
        for text in ["40/5400+30:1800+30", "300d5", "1500b10", "900", "40/7200:20/3600:900+30@zero"] {
            let control: Control = text.parse().expect(text);
            assert_eq!(there_and_back::<v1::Control, Control>(&control), control, "{text}");
        }
    }

    #[test]
    fn an_instant_is_sixteen_bytes_highest_first() {
        let instant = v1::Instant::from(Moment { boot: 0x0102, ms: 7 });
        assert_eq!(instant.boot_id, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        let refused = Moment::try_from(v1::Instant { boot_id: vec![1; 15], monotonic_ms: 7 });
        assert_eq!(refused, Err(Refused::new("instant.boot_id", "15 bytes, not 16")));
    }

    #[test]
    fn what_is_refused_is_named() {
        let right = v1::Face::from(Face { hands: [Hand::fresh(Some(1)); 2], ..Face::unknown(Place::Left) });
        let said = |spoil: &dyn Fn(&mut v1::Face)| {
            let mut face = right;
            spoil(&mut face);
            Face::try_from(face).expect_err("spoilt").to_string()
        };
        assert_eq!(said(&|f| f.black = None), "face.black: missing");
        assert_eq!(said(&|f| f.turn = 0), "face.turn: not specified");
        assert_eq!(said(&|f| f.going = 9), "face.going: 9 is not known");
        assert_eq!(said(&|f| f.first_flag = -1), "face.first_flag: -1 is not known");
        assert_eq!(said(&|f| f.white_place = 0), "face.white_place: not specified");

        let said = |hand: v1::Hand| said(&|f| f.white = Some(hand));
        let hand = v1::Hand::from(Hand::fresh(Some(1)));
        assert_eq!(said(v1::Hand { left_ms: Some(-1), ..hand }), "face.white.left_ms: negative");
        assert_eq!(said(v1::Hand { left_ms: Some(LONGEST + 1), ..hand }), "face.white.left_ms: more than 100 hours");
        assert_eq!(said(v1::Hand { moves: 10_001, ..hand }), "face.white.moves: 10001, more than 10000");
        assert_eq!(said(v1::Hand { period: 256, ..hand }), "face.white.period: 256, the last is 7");
        assert_eq!(hands(None, right.black).expect_err("no white").to_string(), "white: missing");

        let period = v1::Period { base_ms: 1, compensation: 1, amount_ms: 1, moves: 0 };
        let control = v1::Control { periods: vec![period], advance: 1 };
        let said = Control::try_from(control.clone()).expect_err("an amount").to_string();
        assert_eq!(said, "period.amount_ms: an amount without a compensation");
        let none = v1::Control { periods: vec![], ..control };
        let said = Control::try_from(none).expect_err("no periods").to_string();
        assert_eq!(said, "control.periods: expected from 1 to 8 periods, not 0");
    }
}
