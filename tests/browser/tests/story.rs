//! Whole stories in a real browser: an arbiter sees, decides, and the clock obeys.

use flagfall_browser::{
    browser::{Driver, Look},
    hall::{Games, Hall, people},
};
use flagfall_rules::clock::{Colour, Going};
use flagfall_server::desk::auth::Users;

const STANDARD: fn() -> Games = Games::default;

#[tokio::test(flavor = "multi_thread")]
async fn an_illegal_move_is_called_confirmed_and_on_the_display() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let mut hall = Hall::start(7, Users::default()).await?;
    let mut table = hall.table(7, &STANDARD(), None).await?;
    table.start().await?;
    let arbiter = driver.window(Look::LAPTOP).await?;
    arbiter.open(&hall.page("/")).await?;
    arbiter.says("board-7").await?;
    arbiter.until("document.querySelector('.tile.state-running .half.white.runs') !== null").await?;

    table.jump().await?;
    arbiter.until("document.querySelector('.tile.need-case') !== null").await?;
    arbiter.until("document.getElementById('waiting').textContent === '1'").await?;
    arbiter.open(&hall.page("/calls")).await?;
    arbiter.says("Illegal move").await?;
    // White's rook came from a1 to a3.
    arbiter.says("differs: a3, a1").await?;
    arbiter.says("article 7.5.1").await?;
    arbiter.until("document.querySelectorAll('.way').length === 2").await?;
    let proposed = arbiter.eval("document.querySelector('.way.first .clocks .b').textContent").await?;

    // A double click: two posts of the same form, before the first is answered.
    let twice = "(async () => { const form = document.querySelector('form.decide'); const body = () => new URLSearchParams(new \
                 FormData(form)); const post = () => fetch(form.action, { method: 'POST', body: body() }); const answers = await \
                 Promise.all([post(), post()]); return answers.every((answer) => answer.ok); })()";
    assert_eq!(arbiter.eval(twice).await?, true);
    let shown = table.wait("is set", |shown| shown.applied_rev == 3 && shown.face.going == Going::Paused).await?;
    // Two minutes for Black on top of 1:30:30, and no directive more: prepare, stop, set.
    let black = shown.face.hand(Colour::Black).left.expect("a reading");
    assert!((5_500_000..=5_580_000).contains(&black), "{black}");
    let seconds = black / 1_000;
    let reading = format!("{}:{:02}:{:02} (1)", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    assert_eq!(proposed, reading.as_str(), "what was proposed is what the display shows");
    arbiter.until("document.querySelectorAll('.card.decided .track .done').length === 3").await?;
    arbiter.says("Nobody waits.").await?;

    // The game page tells who did what.
    arbiter.open(&hall.page("/game/r1.b07")).await?;
    arbiter.says("№3 set").await?;
    arbiter.until("document.querySelector('.dial .black .left').textContent.startsWith('1:32')").await?;

    // The service goes down and comes back: the page says so, and goes on.
    hall.stop().await;
    arbiter.until("!document.getElementById('link').hidden").await?;
    hall.restart().await?;
    arbiter.until("document.getElementById('link').hidden").await?;
    table.put_right().await?;
    table.wait("is back", |shown| shown.online).await?;
    table.start_stop().await?;
    table.play("g1f3").await?;
    arbiter.says("Nf3").await?;
    arbiter.close().await?;
    driver.end().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_of_two_arbiters_is_told_who_was_first() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let (users, token) = people()?;
    let hall = Hall::start(1, users).await?;
    let mut table = hall.table(1, &STANDARD(), Some(&token)).await?;
    table.start().await?;
    table.jump().await?;

    let (chief, sector) = (driver.window(Look::LAPTOP).await?, driver.window(Look::LAPTOP).await?);
    chief.sign_in(&hall.page("/login"), "Chris").await?;
    sector.sign_in(&hall.page("/login"), "Sascha").await?;
    // Neither page is told what the other does: both forms are as they were when both looked.
    for (arbiter, name) in [(&chief, "Chris, chief arbiter"), (&sector, "Sascha, sector arbiter")] {
        arbiter.open(&hall.page("/calls")).await?;
        arbiter.until("document.querySelector('form.decide') !== null").await?;
        arbiter.says(name).await?;
    }
    let post = |choice: &str| {
        format!(
            "(async () => {{ const form = document.querySelector('form.decide') ?? window.form; const body = new \
             URLSearchParams(new FormData(form)); body.set('choice', '{choice}'); body.set('note', 'seen'); const answer = await \
             fetch(form.action, {{ method: 'POST', body }}); return [answer.status, await answer.text()]; }})()"
        )
    };
    sector.eval("(window.form = document.querySelector('form.decide').cloneNode(true), true)").await?;
    let first = chief.eval(&post("dismiss")).await?;
    assert_eq!(first[0], 200, "{first}");
    let second = sector.eval(&post("penalty")).await?;
    assert_eq!(second[0], 409, "{second}");
    let said = second[1].as_str().unwrap_or_default();
    assert!(said.contains("ALREADY_DECIDED") && said.contains("Chris"), "{said}");
    sector.says("Chris").await?;
    chief.close().await?;
    sector.close().await?;
    driver.end().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directive_by_hand_is_looked_at_then_done_once_and_says_why() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let hall = Hall::start(1, Users::default()).await?;
    let mut table = hall.table(1, &STANDARD(), None).await?;
    table.wait("has a game", |shown| shown.game == "r1.b01").await?;
    let arbiter = driver.window(Look { lang: "ru", ..Look::LAPTOP }).await?;
    arbiter.open(&hall.page("/game/r1.b01/act?do=add&side=black&amount=2:00")).await?;
    // The preview changes nothing; Russian by what the browser asks for.
    arbiter.says("Пока ничего не сделано.").await?;
    arbiter.says("1:32:30").await?;
    assert_eq!(table.shown().applied_rev, 1);
    // Without a reason the browser does not send it.
    arbiter.click("form button.act").await?;
    arbiter.until("document.querySelector('input[name=reason]:invalid') !== null").await?;
    arbiter.type_into("input[name=reason]", "шум в зале").await?;
    arbiter.click("form button.act").await?;
    arbiter.says("шум в зале").await?;
    let shown = table.wait("has more time", |shown| shown.applied_rev == 2).await?;
    assert_eq!(shown.face.hand(Colour::Black).left, Some(5_550_000));
    arbiter.until("document.querySelectorAll('.log li:has(.track) .track .done').length >= 3").await?;

    // The same form sent again acts no more.
    arbiter.open(&hall.page("/game/r1.b01/act?do=add&side=white&amount=60")).await?;
    let twice = "(async () => { const form = document.querySelector('form[method=post][action$=act]'); const body = new \
                 URLSearchParams(new FormData(form)); body.set('reason', 'x'); for (let i = 0; i < 2; i++) await fetch(form.action, { \
                 method: 'POST', body }); return true; })()";
    arbiter.eval(twice).await?;
    let shown = table.wait("has more time", |shown| shown.applied_rev == 3).await?;
    assert_eq!(shown.face.hand(Colour::White).left, Some(5_490_000));

    // A clock that does not answer: the page says so.
    table.switch_off();
    arbiter.open(&hall.page("/game/r1.b01/act?do=stop")).await?;
    arbiter.click("form button.act").await?;
    arbiter.says("Табло не подтвердило за 5 с.").await?;
    arbiter.close().await?;
    driver.end().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_is_wider_than_a_phone() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let hall = Hall::start(3, Users::default()).await?;
    let mut table = hall.table(1, &STANDARD(), None).await?;
    table.start().await?;
    table.jump().await?;
    let idle = hall.table(2, &STANDARD(), None).await?;
    idle.call(Colour::White).await?;
    for lang in ["en", "ru"] {
        let phone = driver.window(Look { lang, ..Look::PHONE }).await?;
        for page in ["/", "/calls", "/game/r1.b01", "/game/r1.b01/act?do=stop", "/sheet", "/round", "/game/none"] {
            phone.open(&hall.page(page)).await?;
            phone.until("document.readyState === 'complete'").await?;
            if page == "/calls" {
                phone.until("document.querySelector('form.decide') !== null").await?;
            }
            // Whatever can be unfolded is.
            phone.eval("(document.querySelectorAll('details').forEach((part) => { part.open = true; }), true)").await?;
            let wide = phone.eval("[document.documentElement.scrollWidth, window.innerWidth]").await?;
            assert_eq!(wide[0], 360, "{page} in {lang}: {wide}");
            assert_eq!(wide[1], 360, "{page} in {lang}: {wide}");
        }
        phone.close().await?;
    }
    driver.end().await;
    Ok(())
}
