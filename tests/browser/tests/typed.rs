//! What a reader has chosen, typed and opened stays where he did it, whatever changes in the hall meanwhile.

use flagfall_browser::{
    browser::{Driver, Look},
    hall::{Games, Hall},
};
use flagfall_rules::clock::Colour;
use flagfall_server::desk::auth::Users;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_press_at_another_board_moves_nothing_on_the_round_page() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let hall = Hall::start(4, Users::default()).await?;
    let mut tables = hall.event(4, |number| format!("Player {number:03}")).await?;
    for table in &mut tables {
        table.start().await?;
    }
    // Boards 1 and 3 have a result, 2 and 4 are played on.
    for game in ["open.r1.b01", "open.r1.b03"] {
        hall.conclude(game).await?;
    }

    let organiser = driver.window(Look::LAPTOP).await?;
    organiser.open(&hall.page("/round")).await?;
    organiser.until("document.querySelectorAll('td details').length === 2").await?;
    organiser
        .until("[...document.querySelectorAll('tbody tr')].every((row) => row.cells[5].textContent !== '')")
        .await?;
    // Board 3 is put right; on board 2 a result is chosen and not entered yet.
    let row = |board: u32| format!("document.querySelectorAll('tbody tr')[{}]", board - 1);
    organiser.click("tbody tr:nth-child(3) summary").await?;
    for (board, result) in [(3, "0-1"), (2, "1-0")] {
        let select = format!("tbody tr:nth-child({board}) select");
        let select = organiser.client.find(fantoccini::Locator::Css(&select)).await?;
        select.select_by_label(result).await?;
    }
    organiser.type_into("tbody tr:nth-child(3) input[name=reason]", "protest of ").await?;
    let before = organiser.eval(&format!("{}.cells[5].textContent", row(4))).await?;
    tables[3].play("e2e4").await?;
    organiser.until(&format!("{}.cells[5].textContent !== {before}", row(4))).await?;

    // He types on, without looking where.
    organiser.client.active_element().await?.send_keys("board 3 upheld").await?;
    let found = organiser
        .eval(
            "[...document.querySelectorAll('tbody tr')].map((row) => [row.querySelector('select')?.value, \
             row.querySelector('input[name=reason]')?.value ?? null, row.querySelector('details')?.open ?? null])",
        )
        .await?;
    let expected =
        json!([["", "", false], ["1-0", null, null], ["0-1", "protest of board 3 upheld", true], ["", null, null]]);
    assert_eq!(found, expected);
    // What he sends is of the row that he filled in.
    organiser.client.active_element().await?.send_keys("\u{e007}").await?;
    organiser.until(&format!("{}.cells[6].querySelector('b')?.textContent === '0-1'", row(3))).await?;
    let first = organiser.eval(&format!("{}.cells[6].querySelector('b').textContent", row(1))).await?;
    assert_eq!(first, "½-½");
    organiser.close().await?;
    driver.end().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn another_call_and_a_restart_leave_the_arbiters_choice_and_his_cursor_alone() -> anyhow::Result<()> {
    let Some(driver) = Driver::start().await else { return Ok(()) };
    let mut hall = Hall::start(2, Users::default()).await?;
    let mut table = hall.table(1, &Games::default(), None).await?;
    table.start().await?;
    table.jump().await?;
    let other = hall.table(2, &Games::default(), None).await?;
    let arbiter = driver.window(Look::LAPTOP).await?;
    arbiter.open(&hall.page("/calls")).await?;
    arbiter.until("document.querySelectorAll('.way').length === 2").await?;
    arbiter.click("input[value=dismiss]").await?;
    arbiter.type_into("input[name=note]", "the sensor ").await?;

    // At another board a player calls, and his card comes before this one.
    other.call(Colour::White).await?;
    arbiter.until("document.querySelector('.card.call') !== null").await?;
    arbiter.client.active_element().await?.send_keys("was wrong").await?;
    let filled = "[document.querySelector('input[name=choice]:checked').value, \
                  document.querySelector('input[name=note]').value, document.querySelector('form.decide button.act').textContent]";
    let chosen = json!(["dismiss", "the sensor was wrong", "Refuse"]);
    assert_eq!(arbiter.eval(filled).await?, chosen);
    // His card goes again.
    arbiter
        .eval(
            "(fetch(document.querySelector('.card.call form').action, { method: 'POST', body: new \
                  URLSearchParams(new FormData(document.querySelector('.card.call form'))) }), true)",
        )
        .await?;
    arbiter.until("document.querySelector('.card.call') === null").await?;
    arbiter.client.active_element().await?.send_keys("!").await?;
    let chosen = json!(["dismiss", "the sensor was wrong!", "Refuse"]);
    assert_eq!(arbiter.eval(filled).await?, chosen);

    // The service that starts anew has another word for the forms of an open desk.
    let word = arbiter.eval("document.querySelector('form.decide input[name=word]').value").await?;
    hall.stop().await;
    arbiter.until("!document.getElementById('link').hidden").await?;
    hall.restart().await?;
    arbiter.until("document.getElementById('link').hidden").await?;
    arbiter.until(&format!("document.querySelector('form.decide input[name=word]').value !== {word}")).await?;
    assert_eq!(arbiter.eval(filled).await?, chosen);
    // What is on the page is what is done.
    arbiter.click("form.decide button.act").await?;
    arbiter.says("Nobody waits.").await?;
    arbiter.open(&hall.page("/game/r1.b01")).await?;
    arbiter.says("the sensor was wrong!").await?;
    let shown = table.shown();
    assert_eq!(shown.face.hand(Colour::Black).moves, 1, "nothing was set");
    arbiter.close().await?;
    driver.end().await;
    Ok(())
}
