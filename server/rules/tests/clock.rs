//! The clock's arithmetic: values worked out by hand, and what must hold for any control and any series of buttons.

use flagfall_rules::clock::control::Credit;
use flagfall_rules::clock::run::{LONGEST, Refused};
use flagfall_rules::clock::{
    Advance, Clock, Colour, Compensation, Control, ControlError, Face, Going, Hand, Period, Place, Tick,
};
use flagfall_rules::time::{MINUTE, Millis, SECOND};
use proptest::collection::vec;
use proptest::prelude::*;

use Colour::{Black, White};

fn control(text: &str) -> Control {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A running clock at instant 0: White to move, both in their first period unless said otherwise.
fn running(text: &str, white: Hand, black: Hand) -> Clock {
    let mut clock = Clock::new(control(text), Place::Left);
    clock.set(0, [white, black], White, Place::Left, true);
    clock
}

fn hand(left: Millis, moves: u32) -> Hand {
    Hand { left: Some(left), moves, period: 0, flagged: false }
}

fn left(face: &Face, colour: Colour) -> Millis {
    face.hand(colour).left.expect("a known reading")
}

/// `12:22` in milliseconds.
fn at(minutes: Millis, seconds: Millis) -> Millis {
    minutes * MINUTE + seconds * SECOND
}

#[test]
fn text_forms() {
    for text in ["40/5400+30:1800+30", "300+5", "300d5", "1500b10", "900", "0d0.5", "60.25+0.125", "20/1:1@zero"] {
        assert_eq!(control(text).to_string(), text);
    }
    assert_eq!(control("300+0"), control("300"), "an increment of nothing is none");
    let period = |base, compensation, moves| Period { base, compensation, moves };
    assert_eq!(
        control("40/5400+30:1800d0.05@zero"),
        Control::new(
            vec![
                period(at(90, 0), Compensation::Increment(at(0, 30)), Some(40)),
                period(at(30, 0), Compensation::Delay(50), None)
            ],
            Advance::AtZero
        )
        .expect("a control")
    );
}

#[test]
fn what_is_no_control_says_what_was_expected_and_where() {
    let table = [
        ("", "character 1: expected seconds of at most 9 digits"),
        ("40/", "character 4: expected seconds of at most 9 digits"),
        ("300+", "character 5: expected seconds of at most 9 digits"),
        ("300 +5", "character 4: expected '+', 'd', 'b', ':', '@zero' or the end"),
        ("300.1234", "character 5: expected from one to three decimals"),
        ("300.", "character 5: expected from one to three decimals"),
        ("300:5", "period 1: expected a number of moves, as another period follows"),
        ("40/300", "period 1: expected no number of moves, the last period ends with the game"),
        ("0/300:5", "period 1: expected from 1 to 10000 moves"),
        ("1/300:36001", "period 2: expected a base from 0 to 36000 seconds"),
        ("300d3601", "period 1: expected an increment or delay from 0 to 3600 seconds"),
        ("0", "period 1: expected a base, an increment or a delay above zero"),
        ("0b5", "period 1: expected a base, an increment or a delay above zero"),
        ("1/1:1/1:1/1:1/1:1/1:1/1:1/1:1/1:1", "expected from 1 to 8 periods, not 9"),
        ("9999999999", "character 1: expected seconds of at most 9 digits"),
    ];
    for (text, words) in table {
        assert_eq!(text.parse::<Control>().expect_err(text).to_string(), words, "{text:?}");
    }
    assert_eq!(Control::new(vec![], Advance::AtCount), Err(ControlError::Periods(0)));
}

#[test]
fn the_first_increment_is_preloaded_and_a_delay_is_not() {
    for (text, shows) in [("300+5", at(5, 5)), ("300d5", at(5, 0)), ("300b5", at(5, 0)), ("900", at(15, 0))] {
        let face = Clock::new(control(text), Place::Right).face(77);
        assert_eq!(face.hands, [Hand::fresh(Some(shows)); 2], "{text}");
        assert_eq!((face.turn, face.going, face.white_place), (White, Going::Idle, Place::Right));
    }
}

#[test]
fn counts_and_periods() {
    let three = control("40/7200:20/3600:900+30");
    assert_eq!([0, 1, 2, 9].map(|p| three.required(p)), [Some(40), Some(60), None, None]);
    assert_eq!([0, 39, 40, 59, 60, 999].map(|m| three.period_at(m)), [0, 0, 1, 1, 2, 2]);
    assert_eq!(three.period(200), three.period(2));
    let credit = |moves, period| three.credit(moves, period, None);
    assert_eq!(credit(38, 0), Credit { compensation: 0, bonus: 0, period: 0 });
    assert_eq!(credit(39, 0), Credit { compensation: 0, bonus: at(60, 0), period: 1 });
    // The increment that starts with move 61 is on the clock before move 61, as the first one is before move 1.
    assert_eq!(credit(59, 1), Credit { compensation: at(0, 30), bonus: at(15, 0), period: 2 });
    assert_eq!(credit(60, 2), Credit { compensation: at(0, 30), bonus: 0, period: 2 });
    assert_eq!(
        control("40/7200+30:900@zero").credit(39, 0, None),
        Credit { compensation: at(0, 30), bonus: 0, period: 0 }
    );
}

/// Cases of the Laws: what White's clock showed before the press, how long he ran, what the display showed when stopped,
/// and what is left when the press's credit is taken back.
#[test]
fn what_was_given_in_all_goes_by_the_period_reached() {
    let (by_count, at_zero) = (control("40/5400+30:1800+60"), control("40/5400+30:1800+60@zero"));
    let given = |control: &Control, moves, period| control.given(moves, period) / 1_000;
    assert_eq!([0, 39].map(|moves| given(&by_count, moves, 0)), [5_430, 5_400 + 40 * 30]);
    assert_eq!(given(&by_count, 41, 1), 7_200 + 40 * 30 + 2 * 60);
    // At zero the moves tell nothing of the period.
    assert_eq!((at_zero.period_of(45, 0), at_zero.period_of(38, 1), by_count.period_of(45, 0)), (0, 1, 1));
    assert_eq!(given(&at_zero, 45, 0), 5_400 + 46 * 30);
    assert_eq!((at_zero.begun(0, 1), at_zero.begun(1, 1), by_count.begun(0, 1)), (1_800_000, 0, 0));
}

#[test]
fn what_a_press_credits_can_be_taken_back() {
    struct Case(&'static str, &'static str, Hand, Millis, Millis, Millis, u8);
    let cases = [
        Case("case 1", "3600+30", hand(at(12, 0), 30), 8 * SECOND, at(12, 22), at(11, 52), 0),
        Case("case 5", "5400+30", hand(at(20, 10), 11), 10 * SECOND, at(20, 30), at(20, 0), 0),
        Case("case 9", "40/5400+30:1800+30", hand(at(1, 0), 39), 40 * SECOND, at(30, 50), at(0, 20), 1),
        Case("case 10", "1500b10", hand(at(6, 0), 12), 14 * SECOND, at(5, 56), at(5, 46), 0),
        Case("fast Bronstein", "1500b10", hand(at(6, 0), 12), 4 * SECOND, at(6, 0), at(5, 56), 0),
        Case("delay", "1500d10", hand(at(6, 0), 12), 14 * SECOND, at(5, 56), at(5, 56), 0),
        Case("fast delay", "1500d10", hand(at(6, 0), 12), 4 * SECOND, at(6, 0), at(6, 0), 0),
    ];
    for Case(name, text, white, used, shows, taken_back, period) in cases {
        let mut clock = running(text, white, hand(at(10, 0), 9));
        let now = used.unsigned_abs();
        let ticks = clock.press(now, White).expect(name);
        assert_eq!(ticks, if period > 0 { vec![Tick::Period(White, period)] } else { vec![] }, "{name}");
        let face = clock.face(now);
        assert_eq!((left(&face, White), left(&face, Black)), (shows, at(10, 0)), "{name}");
        assert_eq!((face.hands[0].moves, face.hands[0].period, face.turn), (white.moves + 1, period, Black), "{name}");
        let credit = clock.control().credit(white.moves, white.period, Some(used));
        assert_eq!(shows - credit.compensation - credit.bonus, taken_back, "{name}");
    }
}

#[test]
fn a_delay_goes_on_after_a_pause() {
    let mut clock = running("300d5", hand(at(5, 0), 0), hand(at(5, 0), 0));
    clock.pause(3_000).expect("running");
    assert_eq!(clock.due(), None);
    clock.resume(60_000).expect("paused");
    assert_eq!(clock.due(), Some(60_000 + 2_000 + 300_000));
    assert_eq!(left(&clock.face(62_000), White), at(5, 0));
    assert_eq!(left(&clock.face(63_000), White), at(4, 59));
    assert_eq!(clock.press(63_000, White), Ok(vec![]));
    assert_eq!(left(&clock.face(68_000), Black), at(5, 0), "a new move, a new delay");
}

#[test]
fn at_zero_the_next_period_begins_and_the_last_one_flags() {
    let mut clock = running("40/60:20/30:10@zero", hand(60_000, 5), hand(60_000, 5));
    assert_eq!(clock.due(), Some(60_000));
    assert_eq!(clock.advance(59_999), []);
    assert_eq!(clock.advance(61_500), [Tick::Period(White, 1)]);
    assert_eq!(clock.face(61_500).hands[0], Hand { left: Some(28_500), moves: 5, period: 1, flagged: false });
    // Two boundaries in one step: 60 s, 30 s, 10 s are used up at 100 s.
    assert_eq!(clock.advance(200_000), [Tick::Period(White, 2), Tick::Flag(White)]);
    let face = clock.face(200_000);
    assert_eq!(face.hands[0], Hand { left: Some(0), moves: 5, period: 2, flagged: true });
    assert_eq!((face.first_flag, face.going, clock.due()), (Some(White), Going::Running, None));
}

#[test]
fn a_fallen_flag_stays_down() {
    let mut clock = running("300+5", hand(1_000, 7), hand(2_000, 6));
    assert_eq!(clock.due(), Some(1_000));
    assert_eq!(clock.press(5_000, White), Ok(vec![Tick::Flag(White)]));
    assert_eq!(clock.face(5_000).hands[0], Hand { left: Some(0), moves: 8, period: 0, flagged: true });
    assert_eq!(clock.add(5_000, White, at(2, 0)), []);
    assert_eq!(clock.advance(8_000), [Tick::Flag(Black)]);
    assert_eq!(clock.face(9_000).first_flag, Some(White), "latched by the first");
    assert_eq!(clock.stop(9_000), []);
    // White's flag is set up again: then Black's is the only one, and the first.
    let black = clock.face(9_000).hands[1];
    clock.set(9_000, [hand(60_000, 7), black], White, Place::Left, false);
    assert_eq!(clock.face(9_000).first_flag, Some(Black));
    clock.set(9_000, [hand(60_000, 7), hand(0, 7)], White, Place::Left, false);
    assert_eq!(clock.face(99_000).first_flag, None);
}

#[test]
fn buttons_at_the_wrong_time_change_nothing() {
    let mut clock = Clock::new(control("300"), Place::Left);
    let before = clock.clone();
    assert_eq!(clock.press(1, White), Err(Refused::NotRunning));
    assert_eq!(clock.pause(1), Err(Refused::NotRunning));
    assert_eq!(clock.resume(1), Err(Refused::NotPaused));
    assert_eq!(clock, before);
    clock.start(10, Black).expect("idle");
    let before = clock.clone();
    assert_eq!(clock.press(20, White), Err(Refused::NotYourTurn));
    assert_eq!(clock.start(20, White), Err(Refused::NotIdle));
    assert_eq!(clock, before);
    clock.conclude(1_010);
    assert_eq!(left(&clock.face(9_999), Black), at(4, 59), "the reading at the end stays");
    let over = Err(Refused::Over);
    assert_eq!((clock.start(9_999, White), clock.resume(9_999)), (over, over));
    assert_eq!((clock.press(9_999, Black), clock.pause(9_999)), (Err(Refused::Over), Err(Refused::Over)));
}

#[test]
fn power_loss_unknown_readings_and_time_running_backwards() {
    let mut clock = running("300+5", hand(60_000, 3), hand(60_000, 3));
    let mut again = Clock::restored(clock.control().clone(), clock.face(10_000));
    assert_eq!(again.face(0), Face { going: Going::Paused, ..clock.face(10_000) });
    again.resume(5).expect("paused");
    assert_eq!(left(&again.face(1_005), White), 49_000);

    clock.advance(10_000);
    assert_eq!(left(&clock.face(9_000), White), 50_000);
    clock.press(8_000, White).expect("no time passed");
    assert_eq!(left(&clock.face(11_000), Black), 59_000);

    clock.set(12_000, [Hand::fresh(None), hand(5_000, 3)], White, Place::Left, true);
    assert_eq!((clock.due(), clock.advance(u64::MAX)), (None, vec![]));
    clock.press(u64::MAX, White).expect("unknown is not zero");
    assert_eq!(clock.face(u64::MAX).hands[0], Hand { left: None, moves: 1, period: 0, flagged: false });
    clock.add(0, Black, Millis::MIN);
    assert_eq!(left(&clock.face(0), Black), 0, "never below zero");
    clock.set(0, [hand(LONGEST, 0), hand(-1, 0)], White, Place::Left, false);
    clock.add(0, White, Millis::MAX);
    assert_eq!((left(&clock.face(0), White), left(&clock.face(0), Black)), (LONGEST, 0));
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Start(Colour),
    Press,
    WrongPress,
    Pause,
    Resume,
    Stop,
    Advance,
    Add(Colour, Millis),
}

fn acts(longest: u64) -> impl Strategy<Value = Vec<(u64, Act)>> {
    let side = || prop_oneof![Just(White), Just(Black)];
    let act = prop_oneof![
        2 => side().prop_map(Act::Start),
        12 => Just(Act::Press),
        1 => Just(Act::WrongPress),
        1 => Just(Act::Pause),
        3 => Just(Act::Resume),
        1 => Just(Act::Stop),
        3 => Just(Act::Advance),
        1 => (side(), -20i64..200).prop_map(|(side, ms)| Act::Add(side, ms)),
    ];
    vec((0..=longest, act), 0..60)
}

/// Does it, and says what happened; a refusal is nothing happening.
fn act(clock: &mut Clock, now: u64, act: Act) -> Vec<Tick> {
    let turn = clock.face(now).turn;
    match act {
        Act::Start(side) => clock.start(now, side).map(|()| vec![]).unwrap_or_default(),
        Act::Press => clock.press(now, turn).unwrap_or_default(),
        Act::WrongPress => clock.press(now, turn.other()).unwrap_or_default(),
        Act::Pause => clock.pause(now).unwrap_or_default(),
        Act::Resume => clock.resume(now).map(|()| vec![]).unwrap_or_default(),
        Act::Stop => clock.stop(now),
        Act::Advance => clock.advance(now),
        Act::Add(side, ms) => clock.add(now, side, ms),
    }
}

/// Controls, with bases and amounts up to these, whose periods are soon played through.
fn controls(base: Millis, amount: Millis) -> impl Strategy<Value = Control> {
    let compensation = prop_oneof![
        Just(Compensation::None),
        (1..=amount).prop_map(Compensation::Increment),
        (1..=amount).prop_map(Compensation::Delay),
        (1..=amount).prop_map(Compensation::Bronstein),
    ];
    let period =
        (1..=base, compensation, 1u32..6).prop_map(|(base, c, m)| Period { base, compensation: c, moves: Some(m) });
    (vec(period, 1..5), any::<bool>()).prop_map(|(mut periods, zero)| {
        periods.last_mut().expect("at least one").moves = None;
        Control::new(periods, if zero { Advance::AtZero } else { Advance::AtCount }).expect("periods that fit")
    })
}

/// The same clock as a person with a stopwatch would keep it: one millisecond after the other.
struct Stopwatch {
    control: Control,
    face: Face,
    used: Millis,
    ticks: Vec<Tick>,
}

impl Stopwatch {
    fn delayed(&self) -> bool {
        let period = self.face.hand(self.face.turn).period;
        matches!(self.control.period(period).compensation, Compensation::Delay(delay) if self.used < delay)
    }

    /// One millisecond passes.
    fn pass(&mut self) {
        let delayed = self.delayed();
        let hand = &mut self.face.hands[self.face.turn.index()];
        if self.face.going == Going::Running && !hand.flagged {
            self.used += 1;
            hand.left = hand.left.map(|left| if delayed { left } else { left - 1 });
        }
        self.look();
    }

    /// Whether the running side is at zero.
    fn look(&mut self) {
        let turn = self.face.turn;
        let hand = *self.face.hand(turn);
        if self.face.going != Going::Running || hand.left != Some(0) || hand.flagged || self.delayed() {
            return;
        }
        let last = usize::from(hand.period) + 1 == self.control.periods().len();
        let hand = self.face.hand_mut(turn);
        if self.control.advance() == Advance::AtZero && !last {
            hand.period += 1;
            hand.left = Some(self.control.period(hand.period).base);
            self.ticks.push(Tick::Period(turn, hand.period));
        } else {
            hand.flagged = true;
            self.face.first_flag = self.face.first_flag.or(Some(turn));
            self.ticks.push(Tick::Flag(turn));
        }
    }

    fn act(&mut self, act: Act) {
        let (turn, going) = (self.face.turn, self.face.going);
        match act {
            Act::Start(side) if going == Going::Idle => (self.face.turn, self.face.going) = (side, Going::Running),
            Act::Pause | Act::Stop if going == Going::Running => self.face.going = Going::Paused,
            Act::Resume if going == Going::Paused => self.face.going = Going::Running,
            Act::Add(side, ms) if !self.face.hand(side).flagged => {
                let hand = self.face.hand_mut(side);
                hand.left = hand.left.map(|left| (left + ms).max(0));
            }
            Act::Press if going == Going::Running => {
                let hand = &mut self.face.hands[turn.index()];
                let credit = self.control.credit(hand.moves, hand.period, Some(self.used));
                hand.moves += 1;
                if !hand.flagged {
                    hand.left = hand.left.map(|left| left + credit.compensation + credit.bonus);
                    if credit.period != hand.period {
                        self.ticks.push(Tick::Period(turn, credit.period));
                    }
                    hand.period = credit.period;
                }
                (self.face.turn, self.used) = (turn.other(), 0);
            }
            _ => {}
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[0-9+/:db.@zero é]{0,24}|.*") {
        if let Ok(control) = text.parse::<Control>() {
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }
    }

    #[test]
    fn controls_survive_their_text(control in controls(36_000_000, 3_600_000)) {
        prop_assert_eq!(control.to_string().parse(), Ok(control));
    }

    #[test]
    fn agrees_with_a_stopwatch(control in controls(60, 20), acts in acts(40)) {
        let mut clock = Clock::new(control.clone(), Place::Left);
        let mut watch = Stopwatch { face: control.start_face(Place::Left), control, used: 0, ticks: vec![] };
        let (mut now, mut ticks) = (0, vec![]);
        for (wait, a) in acts {
            prop_assert_eq!(&ticks, &watch.ticks);
            let due = clock.due();
            let shown = clock.face(now + wait);
            now += wait;
            watch.look();
            (0..wait).for_each(|_| watch.pass());
            prop_assert_eq!(shown, watch.face, "what is shown ahead is what comes");
            prop_assert_eq!(due.is_some_and(|due| due <= now), watch.ticks.len() > ticks.len(), "due says when");
            ticks.extend(act(&mut clock, now, a));
            // A refused button returns no ticks: they come with the next instant.
            ticks.extend(clock.advance(now));
            watch.act(a);
            watch.look();
            prop_assert_eq!(clock.face(now), watch.face, "after {:?}", a);
        }
    }

    /// What both have left and what has run off is what both got; a delay passes without running off.
    #[test]
    fn no_time_appears_or_vanishes(control in controls(300_000, 10_000), acts in acts(60_000)) {
        let mut clock = Clock::new(control.clone(), Place::Left);
        let both = |face: Face| left(&face, White) + left(&face, Black);
        let (mut got, mut ran, mut used, mut now) = (both(clock.face(0)), 0, 0, 0);
        for (wait, a) in acts {
            // One step at most up to the next zero, so that one period covers it.
            let before = clock.face(now);
            let wait = clock.due().map_or(wait, |due| wait.min(due - now));
            now += wait;
            if before.going == Going::Running {
                let delay = match control.period(before.hand(before.turn).period).compensation {
                    Compensation::Delay(delay) => (delay - used).max(0),
                    _ => 0,
                };
                used += wait as Millis;
                ran += (wait as Millis - delay).max(0);
            }
            let mut ticks = clock.advance(now);
            let face = clock.face(now);
            let hand = *face.hand(face.turn);
            act(&mut clock, now, a);
            match a {
                Act::Press if face.going == Going::Running && !hand.flagged => {
                    let credit = control.credit(hand.moves, hand.period, Some(used));
                    got += credit.compensation + credit.bonus;
                    used = 0;
                }
                Act::Add(side, ms) if !face.hand(side).flagged => got += ms.max(-left(&face, side)),
                _ => {}
            }
            ticks.extend(clock.advance(now));
            for tick in ticks {
                match tick {
                    Tick::Period(_, period) => got += control.period(period).base,
                    // From here on time passes that nobody has.
                    Tick::Flag(side) => {
                        prop_assert_eq!(left(&clock.face(now), side), 0);
                        prop_assert_eq!(both(clock.face(now)) + ran, got);
                        return Ok(());
                    }
                }
            }
            prop_assert_eq!(both(clock.face(now)) + ran, got);
        }
    }

    #[test]
    fn looking_more_often_changes_nothing(
        control in controls(20_000, 3_000), acts in acts(9_000), looks in vec(vec(0u64..9_000, 0..4), 60)
    ) {
        let (mut once, mut often) = (Clock::new(control.clone(), Place::Left), Clock::new(control, Place::Left));
        let (mut now, mut ticks) = (0, [vec![], vec![]]);
        for ((wait, a), mut looks) in acts.into_iter().zip(looks) {
            looks.sort_unstable();
            for look in looks {
                ticks[1].extend(often.advance(now + look.min(wait)));
            }
            now += wait;
            ticks[0].extend(act(&mut once, now, a));
            ticks[1].extend(act(&mut often, now, a));
            prop_assert_eq!(once.face(now), often.face(now));
        }
        ticks[0].extend(once.advance(now));
        ticks[1].extend(often.advance(now));
        prop_assert_eq!(once, often);
        prop_assert_eq!(&ticks[0], &ticks[1]);
    }

    /// Time may come from anywhere and in any order.
    #[test]
    fn nothing_panics(
        control in controls(36_000_000, 3_600_000), acts in vec((any::<u64>(), acts(1)), 0..9),
        hands in any::<[(Option<i64>, u32, u8, bool); 2]>(), run in any::<bool>()
    ) {
        let hands = hands.map(|(left, moves, period, flagged)| Hand { left, moves, period, flagged });
        let mut clock = Clock::new(control, Place::Left);
        clock.set(0, hands, Black, Place::Right, run);
        for (now, acts) in acts {
            for (wait, a) in acts {
                act(&mut clock, now.saturating_sub(wait), a);
                prop_assert!(clock.due().is_none() || clock.face(now).going == Going::Running);
                for hand in clock.face(now).hands {
                    prop_assert!(hand.left.is_none_or(|left| (0..=LONGEST).contains(&left)));
                }
            }
        }
        let face = clock.face(0);
        prop_assert_ne!(Clock::restored(clock.control().clone(), face).face(0).going, Going::Running);
    }
}
