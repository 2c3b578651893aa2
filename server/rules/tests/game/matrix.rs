//! The rest of the matrix, cell by cell: numbering, rapid and blitz, and the articles around article 7. A number with a question mark
//! is confirmed by no text at hand. And an edition that nobody ever published, in this one file.

use flagfall_rules::{
    clock::Colour,
    game::{Claim, DeskAct, Facts, Irregularity},
    laws::{
        self, Articles, Edition, Phrase, Play,
        edition::{BothFlags, ByPlay, FlagCall, IllegalPosition, MayAct, Penalty, QuickplayFinish, Reversed, SetUp},
        editions::fide_2023,
    },
};

use crate::table::Table;

const M: i64 = 60_000;

const IDS: [&str; 7] = ["rf-2011", "fide-2009", "fide-2014", "fide-2017", "rf-2017", "fide-2018", "fide-2023"];

/// A row of the matrix: what each edition says, in the order of [`IDS`].
fn row<T: PartialEq + std::fmt::Debug>(topic: &str, of: impl Fn(&'static Edition) -> T, expected: [T; 7]) {
    for (id, expected) in IDS.into_iter().zip(expected) {
        let edition = laws::edition(id).expect("known");
        assert_eq!(of(edition), expected, "{topic}, {id}");
    }
}

#[test]
fn the_numbering_of_every_edition() {
    use Irregularity as I;
    let article = |kind: I| move |edition: &'static Edition| edition.article(kind, Play::Standard);
    let wrong_start = ["7.1а", "7.1a", "7.2a", "7.2.1", "7.2.1", "7.2.1", "7.2.1"];
    row("wrong initial position", article(I::WrongStart), wrong_start);
    row("board turned", article(I::BoardTurned), ["7.1б", "7.1b", "7.2b", "7.2.2", "7.2.2", "7.2.2", "7.2.2"]);
    row("colours", article(I::ColoursReversed), ["7.2", "7.2", "7.3", "7.3", "7.3", "7.3", "7.3"]);
    row("displacing", article(I::Displaced), ["7.3", "7.3", "7.4", "7.4.1", "7.4.1", "7.4.1", "7.4.1"]);
    row("found displaced", article(I::DisplacedFound), ["7.5", "7.5", "7.6", "7.6", "7.6", "7.6", "7.6"]);
    row("illegal move", article(I::IllegalMove), ["7.4а", "7.4a", "7.5a", "7.5.1", "7.5.1", "7.5.1", "7.5.1"]);
    row("pawn left", article(I::PawnLeft), ["7.4а", "7.4a", "7.5a", "7.5.2", "7.5.2", "7.5.2", "7.5.2"]);
    row("press without a move", article(I::PressWithoutMove), ["", "", "", "7.8.1", "7.5.3", "7.5.3", "7.5.3"]);
    row("two hands", article(I::TwoHands), ["", "", "", "7.7.1", "7.5.4", "7.5.4", "7.5.4"]);
    row("touched", article(I::TouchMove), ["4.3"; 7]);
    row("conduct", article(I::Conduct), ["13.4?", "13.4", "12.9", "12.9", "12.9", "12.9", "12.9"]);
    row("draw claim", article(I::DrawClaim), ["9.5?", "9.5", "9.5", "9.5", "9.5", "9.5", "9.5"]);
    row(
        "quickplay finish",
        |edition| edition.articles.quickplay_finish,
        ["10.2?", "10.2", "G.5", "III.5", "III.5", "III.5", "III.5"],
    );
    row("both flags", article(I::BothFlags), ["6.12", "6.11", "6.11", "III", "III", "III", "III"]);
    row("flag", article(I::FlagInDoubt), ["6.10?", "6.9", "6.9", "6.9", "6.9", "6.9", "6.9"]);
    row(
        "clock after reinstating",
        |edition| edition.articles.clock_setting,
        ["6.14", "6.13", "7.1", "7.1", "7.1", "7.1", "7.1"],
    );
    let penalty = |kind: I| move |edition: &'static Edition| edition.penalty_article(kind, Play::Standard);
    row("penalty", penalty(I::IllegalMove), ["7.4б", "7.4b", "7.5b", "7.5.3?", "7.5.5", "7.5.5", "7.5.5"]);
    row("penalty, two hands", penalty(I::TwoHands), ["", "", "", "7.7.2", "7.5.5", "7.5.5", "7.5.5"]);
    row("penalty, press", penalty(I::PressWithoutMove), ["", "", "", "7.8.2", "7.5.5", "7.5.5", "7.5.5"]);
    let rapid = |edition: &'static Edition| {
        let articles = edition.rapid.articles;
        [articles.set_up, articles.illegal_move, articles.illegal_position, articles.flag]
    };
    row(
        "rapid, not supervised",
        rapid,
        [
            ["A.4a?", "A.4c?", "A.4c?", "A.4d?"],
            ["A.4a", "A.4c", "A.4c", "A.4d"],
            ["A.4a", "A.4b", "A.4?", "A.4d?"],
            ["A.4.1", "A.4.2", "A.4.4", "A.4.5"],
            ["13.4.1?", "13.4.2", "13.4.4?", "13.4.5"],
            ["A.4.1", "A.4.2", "A.4.4", "A.4.5"],
            ["A.5.1", "A.5.2", "A.5.4", "A.5.5"],
        ],
    );
    let blitz = |edition: &'static Edition| edition.blitz.articles.illegal_move;
    row("blitz, not supervised", blitz, ["B.3?", "B.3", "B.4?", "B.4", "B.4?", "B.4", "B.3"]);
}

#[test]
fn rapid_and_blitz_without_supervision() {
    use FlagCall::{ArbiterMay, ArbiterShall, Claim};
    use IllegalPosition::{LeftAlone, StepIn, WaitThenDraw};
    use MayAct::{ArbiterOrOpponent, Opponent};
    let of = |rules: fn(&'static Edition) -> &'static laws::edition::Unsupervised| {
        move |edition| {
            let rules = rules(edition);
            (rules.may_act, rules.illegal_position, rules.flag, rules.set_up)
        }
    };
    let later = (ArbiterOrOpponent, WaitThenDraw, ArbiterShall, SetUp::CompletedByEach(10));
    let may = (ArbiterOrOpponent, WaitThenDraw, ArbiterMay, SetUp::CompletedByEach(10));
    let old = |position| (Opponent, position, Claim, SetUp::MadeByEach(3));
    row("rapid", of(|edition| &edition.rapid), [old(StepIn), old(StepIn), may, may, later, later, later]);
    row("blitz", of(|edition| &edition.blitz), [old(LeftAlone), old(LeftAlone), may, may, later, later, later]);
}

#[test]
fn what_stands_around_article_7() {
    row("wrong claim", |edition| edition.wrong_claim.of(Play::Standard) / M, [3, 3, 2, 2, 2, 2, 2]);
    row("wrong claim, rapid", |edition| edition.wrong_claim.of(Play::Rapid) / M, [3, 3, 2, 2, 2, 2, 1]);
    row(
        "wrong claim, blitz, supervised",
        |edition| edition.wrong_claim.of(Play::BlitzSupervised) / M,
        [3, 3, 1, 1, 1, 1, 2],
    );
    row("wrong claim, blitz", |edition| edition.wrong_claim.of(Play::Blitz) / M, [3, 3, 1, 1, 1, 1, 1]);
    row("wrong claim, fixed", |edition| edition.wrong_claim_fixed, [false, true, true, true, true, true, true]);
    let (everywhere, announced) = (QuickplayFinish::Everywhere, QuickplayFinish::Announced);
    row(
        "quickplay finish",
        |edition| edition.quickplay_finish,
        [everywhere, everywhere, announced, announced, announced, announced, announced],
    );
    row("draw exception", |edition| edition.mating_exception, [false, true, true, true, true, true, true]);
    row("on resignation", |edition| edition.resignation_exception, [false, false, false, false, false, false, true]);
    row("the next completes", |edition| edition.next_completes, [false, false, true, true, true, true, true]);
    row("times may stay", |edition| edition.times_may_stay, [false, false, true, true, true, true, true]);
    let (drawn, finish) = (BothFlags::DrawnInLastPeriod, BothFlags::QuickplayFinish);
    row("both flags", |edition| edition.both_flags, [drawn, drawn, drawn, finish, finish, finish, finish]);
    row(
        "reversed colours",
        |edition| edition.reversed,
        [
            Reversed::ArbiterDecides,
            Reversed::ArbiterDecides,
            Reversed::ArbiterDecides,
            Reversed::MadeByBoth(10),
            Reversed::CompletedByEach(10),
            Reversed::MadeByBoth(10),
            Reversed::MadeByBoth(10),
        ],
    );
}

/// A federation's own rules: its youth lose on the fourth, and a wrong claim costs five minutes.
static MADE_UP: Edition = Edition {
    id: "made-up",
    title: Phrase {
        en: "Rules of the made-up federation", ru: "Правила вымышленной федерации"
    },
    penalties: ByPlay::all(Penalty { bonus: 3 * M, loses_at: 4 }),
    wrong_claim: ByPlay::all(5 * M),
    articles: Articles { penalty: "42.1", press_penalty: "42.1", draw_claim: "42.2", ..fide_2023::EDITION.articles },
    ..fide_2023::EDITION
};

#[test]
fn a_made_up_edition_takes_one_file_and_no_change_elsewhere() {
    let mut t = Table::under(&MADE_UP, Play::Standard, "5400+30", None);
    for strike in 1..=3 {
        t.press(None);
        t.quiet();
        t.obey();
        assert_eq!(t.clocks()[1], Some(90 * M + 30_000 + 3 * M * strike));
        t.resume();
    }
    let claim = Claim::Draw;
    let act = DeskAct::Claim { by: Colour::White, claim, note: String::new(), facts: Facts::default() };
    t.desk(act).expect("admitted");
    t.obey();
    assert_eq!(t.clocks()[1], Some(90 * M + 30_000 + 14 * M));
    t.resume();
    t.press(None);
    t.quiet();
    t.obey();
    assert_eq!(t.result(), "0-1 42.1");
}
