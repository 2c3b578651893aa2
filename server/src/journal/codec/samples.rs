//! Values of every kind, for the tests of the codec and of what prints entries.

mod adjourned;

use flagfall_rules::{
    board::{Man, Scan, Turn},
    clock::{Advance, Colour, Compensation, Control, Face, Going, Hand, Period, Place},
    game::{
        About, Act, Alarm, Claim, DeskAct, DeskInput, Directive, Ending, Event, Evidence, Facts, Finding, Irregularity,
        Outcome, Overlay, Ply, Press, Proposal, Question, RejectReason, Remedy, Ruling, Setup, Stage, Terms, Uci,
        Words,
    },
    laws::Play,
    time::Moment,
};
use proptest::{option, prelude::*, sample::select};

use super::numbers::Numbered;

/// The game whose stream the events stand in.
pub(in super::super) const GAME: &str = "r1.b07";

/// Every word of a list, by its numbers.
fn words_of<T: Numbered + Clone + std::fmt::Debug + 'static>(count: i32) -> impl Strategy<Value = T> {
    (1..=count).prop_map(|number| T::named("sample", number).expect("a number of the list"))
}

fn colours() -> impl Strategy<Value = Colour> {
    select(&Colour::BOTH[..])
}

fn places() -> impl Strategy<Value = Place> {
    select(&[Place::Left, Place::Right][..])
}

fn times() -> impl Strategy<Value = i64> {
    0..360_000_000i64
}

fn moments() -> impl Strategy<Value = Moment> {
    (any::<u128>(), any::<u64>()).prop_map(|(boot, ms)| Moment { boot, ms })
}

prop_compose! {
    fn hands()(left in option::of(times()), moves in 0..=10_000u32, period in 0..8u8, flagged: bool) -> Hand {
        Hand { left, moves, period, flagged }
    }
}

prop_compose! {
    fn faces()(
        hands in [hands(), hands()], turn in colours(), first_flag in option::of(colours()), white_place in places(),
        going in select(&[Going::Idle, Going::Running, Going::Paused, Going::Over][..]),
    ) -> Face {
        Face { hands, turn, going, first_flag, white_place }
    }
}

fn scans() -> impl Strategy<Value = Scan> {
    prop::collection::vec((0..64u8, 0..13u8), 0..40).prop_map(|men| {
        let mut scan = Scan::EMPTY;
        men.into_iter().for_each(|(square, code)| scan.put(square, Man::from_code(code)));
        scan
    })
}

fn moves() -> impl Strategy<Value = Uci> {
    "[a-h][1-8][a-h][1-8][nbrq]?".prop_map(|letters| Uci::parse(&letters).expect("a move"))
}

/// A text that is not empty: an empty one is not told from none.
fn positions() -> impl Strategy<Value = Option<String>> {
    option::of("[pnbrqkPNBRQK1-8/ w-]{1,20}")
}

fn speech() -> impl Strategy<Value = Words> {
    (".{0,12}", ".{0,12}").prop_map(|(en, ru)| Words { en, ru })
}

fn controls() -> impl Strategy<Value = Control> {
    let compensation = (0..4, 1..3_600_000i64).prop_map(|(kind, ms)| match kind {
        0 => Compensation::None,
        1 => Compensation::Increment(ms),
        2 => Compensation::Delay(ms),
        _ => Compensation::Bronstein(ms),
    });
    let periods = prop::collection::vec((1..36_000_000i64, compensation, 1..10_000u32), 1..=8);
    (periods, select(&[Advance::AtCount, Advance::AtZero][..])).prop_map(|(periods, advance)| {
        let last = periods.len() - 1;
        let period =
            |(n, (base, compensation, moves))| Period { base, compensation, moves: (n < last).then_some(moves) };
        Control::new(periods.into_iter().enumerate().map(period).collect(), advance).expect("a control")
    })
}

prop_compose! {
    pub(in super::super) fn setups()(
        game in "[a-z0-9._-]{1,9}", device in ".{0,9}", edition in ".{0,9}", play in words_of::<Play>(5),
        control in option::of(controls()), white_place in places(), position in positions(),
        overlay in overlays(),
    ) -> Setup {
        Setup { game, device, edition, play, control, white_place, position, overlay }
    }
}

prop_compose! {
    fn overlays()(
        bonus in option::of(times()), loses_at: Option<u32>, keeps_increment: bool, confirms: bool, quickplay_finish: bool,
        default_time in option::of(times()),
    ) -> Overlay {
        Overlay { bonus, loses_at, keeps_increment, confirms, quickplay_finish, default_time }
    }
}

prop_compose! {
    fn facts()(
        claimed: bool, elapsed in option::of(times()), ran in option::of(times()), set_as in option::of(controls()),
        moves: Option<[u32; 2]>, reply in option::of(words_of::<Irregularity>(20)), next in option::of(moves()),
    ) -> Facts {
        Facts { claimed, elapsed, ran, set_as, moves, reply, next }
    }
}

prop_compose! {
    fn plies()(
        uci in moves(), by in colours(), completed: bool, left in [option::of(times()), option::of(times())],
        before_credit in option::of(times()), credit in option::of(times()), at in option::of(moments()), position: u64,
    ) -> Ply {
        Ply { uci, by, completed, left, before_credit, credit, at, position }
    }
}

prop_compose! {
    fn findings()(
        case: u32, kind in words_of::<Irregularity>(20), by in colours(), ply: u32, article in ".{0,6}", fixed: bool,
        before in ".{0,9}", at_press in option::of(scans()), settled in option::of(scans()), face in faces(), seen in speech(),
        facts in facts(),
    ) -> Finding {
        let evidence = Evidence { before, at_press, settled, face, seen };
        Finding { case, kind, by, ply, article, fixed, evidence, facts }
    }
}

fn ends() -> impl Strategy<Value = (Outcome, Ending)> {
    (words_of::<Outcome>(4), words_of::<Ending>(17))
}

prop_compose! {
    fn remedies()(
        key in ".{0,9}", words in speech(), article in ".{0,6}", annul_from in option::of(1u32..), place in option::of(moves()),
        position in positions(), hands in option::of([hands(), hands()]), given: [i64; 2], turn in colours(),
        strikes: [u32; 2], outcome in option::of(ends()), cancel: bool,
    ) -> Remedy {
        Remedy { key, words, article, annul_from, place, position, hands, given, turn, strikes, outcome, cancel }
    }
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        (option::of(controls()), places(), ".{0,9}", option::of(faces())).prop_map(
            |(control, white_place, position, stands)| Act::Prepare { control, white_place, position, stands }
        ),
        Just(Act::Stop),
        ([hands(), hands()], colours(), any::<bool>(), places(), positions())
            .prop_map(|(hands, turn, run, white_place, position)| Act::Set { hands, turn, run, white_place, position }),
        (colours(), any::<i64>()).prop_map(|(colour, ms)| Act::Add(colour, ms)),
        words_of::<Outcome>(4).prop_map(Act::Conclude),
        Just(Act::Show),
        Just(Act::Run),
    ]
}

/// Directives of any revision.
pub(in super::super) fn directives() -> impl Strategy<Value = Directive> {
    let replaced = (1..=u64::MAX, any::<[bool; 3]>()).prop_map(|(rev, which)| {
        let before = (1..4).zip(which).filter(move |&(back, is)| is && back < rev).map(move |(back, _)| rev - back);
        (rev, before.collect())
    });
    (replaced, any::<u64>(), option::of(moments()), acts(), speech()).prop_map(
        |((rev, supersedes), as_of_seq, not_after, act, words)| Directive {
            rev,
            as_of_seq,
            not_after,
            supersedes,
            act,
            words,
        },
    )
}

/// Events of every kind.
pub(in super::super) fn events() -> impl Strategy<Value = Event> {
    let rulings = (any::<u32>(), remedies(), ".{0,9}", ".{0,9}", faces())
        .prop_map(|(case, remedy, actor, note, before)| Ruling { case, remedy, actor, note, before });
    let staged = (
        any::<u64>(),
        words_of::<Stage>(5),
        option::of(words_of::<RejectReason>(6)),
        option::of(faces()),
        option::of(faces()),
    );
    prop_oneof![
        setups().prop_map(|setup| Event::Opened(Box::new(setup))),
        (any::<u64>(), moments(), faces()).prop_map(|(seq, at, face)| Event::Heard { seq, at, face }),
        scans().prop_map(|scan| Event::Looked(Box::new(scan))),
        select(&Turn::ALL[..]).prop_map(Event::Turned),
        colours().prop_map(Event::Held),
        plies().prop_map(Event::Made),
        plies().prop_map(|ply| Event::Completed {
            ply: ply.position as u32,
            left: ply.left,
            before_credit: ply.before_credit,
            credit: ply.credit,
        }),
        plies().prop_map(Event::Replaced),
        findings().prop_map(|finding| Event::Found(Box::new(finding))),
        (any::<u32>(), prop::collection::vec(remedies(), 0..3), any::<bool>())
            .prop_map(|(case, remedies, running)| Event::Proposed(Proposal { case, remedies, running })),
        plies().prop_map(|ply| Event::Pressed(Press::from(ply))),
        Just(Event::Unread),
        plies().prop_map(|ply| Event::Unseen(Press::from(ply))),
        (prop::collection::vec(moves(), 0..5), ".{0,9}").prop_map(|(moves, position)| Event::Told { moves, position }),
        (scans(), option::of(plies())).prop_map(|(board, ply)| Event::WentOn { board: Box::new(board), ply }),
        (any::<u32>(), ".{0,9}", ".{0,9}", ".{0,9}").prop_map(|(case, choice, actor, note)| Event::Chosen {
            case,
            choice,
            actor,
            note
        }),
        rulings.prop_map(|ruling| Event::Ruled(Box::new(ruling))),
        directives().prop_map(|directive| Event::Issued(Box::new(directive))),
        staged.prop_map(|(rev, stage, reason, before, after)| Event::Staged { rev, stage, reason, before, after }),
        any::<u64>().prop_map(Event::Lapsed),
        colours().prop_map(Event::FlagFell),
        (ends(), ".{0,6}").prop_map(|((outcome, ending), article)| Event::Ended { outcome, ending, article }),
        (words_of::<Alarm>(11), ".{0,9}").prop_map(|(alarm, detail)| Event::Alarmed(alarm, detail)),
        (any::<u32>(), ".{0,9}", colours(), colours(), option::of(any::<u32>())).prop_map(
            |(number, position, side, flag, case)| {
                let about = case.map_or(About::Flag(flag), About::Case);
                Event::Asked(Box::new(Question { number, position, side, about }))
            }
        ),
        any::<(u32, Option<bool>)>().prop_map(|(number, can_mate)| Event::Answered(number, can_mate)),
        ".{0,9}".prop_map(Event::Admitted),
        adjourned::adjournments().prop_map(|event| Event::Adjournment(Box::new(event))),
        (any::<u64>(), colours(), any::<bool>()).prop_map(|(rev, colour, counted)| Event::Waits {
            rev,
            colour,
            counted
        }),
        ".{0,9}".prop_map(|device| Event::Moved { device }),
        Just(Event::Annulled),
        any::<u32>().prop_map(Event::Heeded),
    ]
}

/// Acts at the desk of every kind.
pub(in super::super) fn desk_inputs() -> impl Strategy<Value = DeskInput> {
    let seen = (words_of::<Irregularity>(20), colours(), option::of(1u32..), ".{0,9}", facts());
    let claimed = (words_of::<Claim>(5), colours(), ".{0,9}", facts());
    let act =
        prop_oneof![
            setups().prop_map(DeskAct::Open),
            seen.prop_map(|(kind, by, ply, note, facts)| DeskAct::Irregularity { kind, by, ply, note, facts }),
            claimed.prop_map(|(claim, by, note, facts)| DeskAct::Claim { by, claim, note, facts }),
            (any::<u32>(), ".{0,9}", ".{0,9}").prop_map(|(case, choice, note)| DeskAct::Decide { case, choice, note }),
            (acts(), speech(), any::<u64>(), option::of(moments()))
                .prop_map(|(act, words, as_of, until)| DeskAct::Direct(act, words, Terms { as_of, until })),
            adjourned::deeds().prop_map(|(deed, nonce)| DeskAct::Adjourn { deed: Box::new(deed), nonce }),
            (".{0,9}", ".{0,9}").prop_map(|(device, note)| DeskAct::Move { device, note }),
            any::<u32>().prop_map(DeskAct::Heed),
            Just(DeskAct::Annul),
        ];
    (".{0,9}", ".{0,9}", any::<i64>(), ".{0,9}", act).prop_map(|(request, actor, wall_ms, reason, act)| DeskInput {
        request,
        actor,
        wall_ms,
        reason,
        act,
    })
}
