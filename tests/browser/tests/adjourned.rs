//! A game is adjourned and resumed on another clock from the page of the game alone.

use flagfall_browser::{
    PATIENCE,
    browser::{Driver, Look, Window},
    hall::{Games, Hall},
    plain::Visitor,
};
use flagfall_rules::clock::{Colour, Going};
use flagfall_server::seal::{Identity, Proof, Sealed, seal};
use tokio::time::{Instant, sleep};

const GAME: &str = "r1.b01";

/// Fills in the form of a step, looks at what would follow, and does it.
async fn step(arbiter: &Window, key: &str, fields: &[(&str, &str)], follows: &str) -> anyhow::Result<()> {
    let form = format!("form[data-of='{key}']");
    arbiter.until(&format!("document.querySelector(\"{form}\") !== null")).await?;
    for (name, value) in fields {
        let value = serde_json::Value::from(*value);
        arbiter.eval(&format!("(document.querySelector(\"{form} [name={name}]\").value = {value}, true)")).await?;
    }
    // A step that is not the next one is folded away.
    let unfold = format!(
        "(() => {{ for (let at = document.querySelector(\"{form}\"); at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true; return true; }})()"
    );
    arbiter.eval(&unfold).await?;
    arbiter.click(&format!("{form} button")).await?;
    arbiter.says("Nothing is done yet.").await?;
    arbiter.says(follows).await?;
    if arbiter.eval("document.querySelector('input[name=reason]').required").await? == true {
        arbiter.type_into("input[name=reason]", "seen by the arbiter").await?;
    }
    arbiter.click("form button.act").await?;
    arbiter.until("document.getElementById('adjourned') !== null").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_adjourned_on_the_page_and_goes_on_on_another_clock() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let identity = Identity::generate();
    let recipient = identity.recipient();
    let hall = Hall::with(2, |settings| settings.recipient = Some(recipient.clone())).await?;
    let mut table = hall.table(1, &Games::default(), None).await?;
    table.start().await?;
    table.play("e2e4").await?;
    table.play("e7e5").await?;
    table.wait("is heard", |shown| shown.spooled > 4 && shown.acked == shown.spooled).await?;
    let arbiter = driver.window(Look::LAPTOP).await?;
    arbiter.open(&hall.page(&format!("/game/{GAME}"))).await?;

    let announced = [("start", "2026-05-01T10:00")];
    step(&arbiter, "announce", &announced, "the session is announced: 2026-05-01 10:00").await?;
    let names = [("white_name", "Player One"), ("black_name", "Player Two")];
    step(&arbiter, "end-session", &names, "the player to move seals").await?;
    arbiter.says("Adjournment: the move is to be sealed").await?;

    // The move is sealed where the player is; the page gets what comes of it.
    arbiter.says(&format!("flagfall adjourn {GAME} envelope --for {recipient}")).await?;
    let sealed = seal(GAME, "Ng1-f3!?", &recipient)?.to_string();
    step(&arbiter, "seal", &[("envelope", &sealed)], "the sealed move is handed in").await?;
    step(&arbiter, "sheet", &[("player", "white")], "score sheet in the envelope: White").await?;
    step(&arbiter, "sheet", &[("player", "black")], "score sheet in the envelope: Black").await?;
    step(&arbiter, "close", &[], "the envelope is sealed").await?;
    // The player has not stopped his clock yet: the page says so, and nothing is done.
    arbiter.click("form[data-of='stop-clock'] button").await?;
    arbiter.says("CLOCK_RUNS").await?;
    table.start_stop().await?;
    let stopped = table.wait("is stopped", |shown| shown.face.going == Going::Paused).await?;
    table.wait("is heard", |shown| shown.acked == shown.spooled).await?;
    arbiter.open(&hall.page(&format!("/game/{GAME}"))).await?;
    step(&arbiter, "stop-clock", &[], "adjourned; on the clock:").await?;
    arbiter.says("Adjournment: adjourned").await?;

    // When it goes on and where, to the second, which a form of minutes cannot say.
    let mut plain = Visitor::at(&hall.page("/"));
    let end = Instant::now() + PATIENCE;
    loop {
        let starts = (jiff::Zoned::now() + jiff::Span::new().seconds(4)).strftime("%Y-%m-%dT%H:%M:%S").to_string();
        let appoint = [("do", "adjourn"), ("step", "appoint"), ("start", &starts), ("venue", "the club")];
        let answer = plain.look_and_do(GAME, &appoint, "").await?;
        match answer.status {
            303 => break,
            // So slow that it had passed when it came.
            _ => {
                assert!(answer.body.contains("<code>NOT_IN_ADVANCE</code>") && Instant::now() < end, "{}", answer.body)
            }
        }
    }
    arbiter.says("the club").await?;
    step(&arbiter, "check", &[], "the envelope is checked").await?;
    step(&arbiter, "hand-over", &[("to", "the chief arbiter")], "the envelope is with the chief arbiter").await?;

    // Its clock is needed; it goes on on another.
    let mut other = hall.clock(2)?;
    other.wait("is there", |shown| shown.online).await?;
    arbiter.eval("(document.querySelector('details:has(> form > [value=move])').open = true)").await?;
    arbiter.click("form:has(> [value=move]) button").await?;
    arbiter.says("moves the game to clock-2").await?;
    arbiter.type_into("input[name=reason]", "clock 1 has a game").await?;
    arbiter.click("form button.act").await?;
    let left = stopped.face.hand(Colour::White).left;
    other.wait("has the game", |shown| shown.game == GAME && shown.face.hand(Colour::White).left == left).await?;

    arbiter.open(&hall.page(&format!("/game/{GAME}"))).await?;
    step(&arbiter, "set-up", &[], "set up again:").await?;
    step(&arbiter, "came", &[("player", "white")], "has come: White").await?;
    step(&arbiter, "came", &[("player", "black")], "has come: Black").await?;
    let begin = [("do", "adjourn"), ("step", "begin")];
    let end = Instant::now() + PATIENCE;
    // The time agreed is one of the calendar: nothing else tells when it has come.
    loop {
        let answer = plain.look_and_do(GAME, &begin, "").await?;
        match answer.status {
            303 => break,
            _ => assert!(answer.body.contains("<code>TOO_EARLY</code>") && Instant::now() < end, "{}", answer.body),
        }
        sleep(std::time::Duration::from_millis(200)).await;
    }

    // What is brought must be what was sealed; the page names the command that opens it, with the envelope.
    arbiter.says("Adjournment: the envelope may be opened").await?;
    let command = arbiter.eval("document.querySelector(\"form[data-of='open'] .command\").textContent").await?;
    let word = command.as_str().unwrap_or_default().split(' ').next_back().unwrap_or_default();
    let (text, nonce) = identity.open(&word.parse::<Sealed>()?.ciphertext)?;
    let forged = Proof { text: "Nc3".into(), nonce }.to_string();
    let open = [("do", "adjourn"), ("step", "open"), ("proof", forged.as_str())];
    let refused = plain.look_and_do(GAME, &open, "").await?;
    assert!(refused.status == 409 && refused.body.contains("<code>SEAL_BROKEN</code>"), "{}", refused.body);
    let proof = Proof { text, nonce }.to_string();
    step(&arbiter, "open", &[("proof", &proof)], "the sealed move is made: g1f3").await?;
    arbiter.says("Adjournment: resumed").await?;
    let runs =
        |shown: &flagfall_clock::sense::Shown| shown.face.going == Going::Running && shown.face.turn == Colour::Black;
    other.wait("runs for Black", runs).await?;
    arbiter.says("Nf3").await?;
    arbiter.says("On the sheet").await?;
    arbiter.close().await?;
    driver.end().await;
    Ok(())
}

/// Whatever is typed, the answer is a page that says what was wrong, and the game is as it was.
#[tokio::test(flavor = "multi_thread")]
async fn an_impatient_arbiter_is_told_what_he_did_wrong() -> anyhow::Result<()> {
    const LONG: &str = "ж";
    let hall = Hall::with(1, |_| {}).await?;
    let mut table = hall.table(1, &Games::default(), None).await?;
    table.wait("has its game", |shown| shown.game == GAME && shown.applied_rev == 1).await?;
    let mut arbiter = Visitor::at(&hall.page("/"));
    let (long, longer) = (LONG.repeat(3_000), "9".repeat(5_000));
    let attempts: &[&[(&str, &str)]] = &[
        &[("do", "")],
        &[("do", "add"), ("side", "white"), ("amount", "-1")],
        &[("do", "add"), ("side", "white"), ("amount", "0")],
        &[("do", "add"), ("side", "white"), ("amount", "99999999999999999999")],
        &[("do", "add"), ("side", "white"), ("amount", &longer)],
        &[("do", "set"), ("white", "9:59:60")],
        &[("do", "set"), ("white_moves", "4294967296")],
        &[("do", "set"), ("white_period", "4294967295"), ("white_moves", "4294967295")],
        &[("do", "set"), ("turn", "green")],
        &[("do", "set"), ("position", "8/8/8/8/8/8/8/8 w - - 0 1")],
        &[("do", "show"), ("en", &long), ("ru", "x")],
        &[("do", "result"), ("result", "2-0")],
        &[("do", "move"), ("device", "clock-77")],
        &[("do", "move"), ("device", "")],
        &[("do", "adjourn")],
        &[("do", "adjourn"), ("step", "dance")],
        &[("do", "adjourn"), ("step", "open"), ("proof", "e4")],
        &[("do", "adjourn"), ("step", "close")],
        &[("do", "adjourn"), ("step", "end-session")],
        &[("do", "adjourn"), ("step", "check"), ("white_name", &long)],
        &[("do", "adjourn"), ("step", "announce"), ("start", "9999-12-31T23:59")],
        &[("do", "adjourn"), ("step", "announce"), ("start", "2026-05-01T10:00"), ("end", "2026-05-01T09:00")],
    ];
    for fields in attempts {
        let answer = arbiter.look_and_do(GAME, fields, &long).await?;
        let shown = fields.iter().map(|(name, text)| format!("{name}={}", text.chars().take(30).collect::<String>()));
        let shown: Vec<String> = shown.collect();
        assert!((400..500).contains(&answer.status), "{shown:?}: {} {}", answer.status, answer.body);
        assert!(answer.body.contains("<h1>Nothing was done</h1>"), "{shown:?}: {}", answer.body);
    }
    let word = arbiter.word("/game/r1.b01/act?do=stop").await?;
    for (path, fields) in [
        ("/game/r1.b01/heed", &[("through", "18446744073709551616")][..]),
        ("/game/r1.b01/heed", &[("through", "-1")]),
        ("/game/r1.b01/decide", &[("case", "4294967296"), ("choice", "penalty")]),
        ("/game/r1.b01/decide", &[("case", "0"), ("choice", "penalty"), ("note", "x")]),
        ("/game/r1.b01/act", &[("do", "report"), ("kind", "<script>"), ("side", "white")]),
        ("/game/r1.b01/act", &[("do", "report"), ("kind", "two_hands"), ("side", "")]),
        ("/round/none/1/close", &[]),
        ("/round/none/1/dance", &[]),
    ] {
        let mut all = vec![("word", word.as_str()), ("request", "r")];
        all.extend_from_slice(fields);
        let answer = arbiter.post(path, &all).await?;
        assert!((400..500).contains(&answer.status), "{path} {fields:?}: {} {}", answer.status, answer.body);
        assert!(answer.body.contains("<h1>Nothing was done</h1>"), "{path} {fields:?}: {}", answer.body);
    }
    let shown = table.shown();
    assert_eq!((shown.applied_rev, shown.face.hand(Colour::White).left), (1, Some(5_430_000)), "nothing was done");
    Ok(())
}
