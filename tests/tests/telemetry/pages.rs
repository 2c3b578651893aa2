//! The ops port without any collector: probes, lists, one trace, and the command that shows it in a terminal.

use std::{net::SocketAddr, process::Command, sync::Arc};

use flagfall_server::journal::MemoryJournal;
use flagfall_tests::terminal::binaries;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::bench::{Bench, service};

/// A page by HTTP/1.1, as a browser or a scraper gets it: its status and its text.
pub(crate) async fn get(at: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(at).await.expect("a listener");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    (status, if chunked { unchunked(body) } else { body.to_owned() })
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            break;
        }
        text.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    text
}

#[tokio::test]
async fn the_last_rulings_are_listed_by_board_and_shown_as_a_waterfall() {
    let mut bench = Bench::new(None).await;
    bench.clock.begin().await;
    bench.clock.illegal_move().await;
    let ops = bench.running.ops;

    let (status, page) = get(ops, "/traces?board=board-7").await;
    assert_eq!(status, 200);
    assert!(page.contains("illegal_move") && page.contains("7.5.1") && page.contains("board-7"), "{page}");
    let (_, other) = get(ops, "/traces?board=board-8").await;
    assert!(!other.contains("illegal_move"), "{other}");

    let (_, list) = get(ops, "/traces.json?board=board-7").await;
    let list: Vec<Value> = serde_json::from_str(&list).expect("a list");
    let ruled = list.iter().find(|input| input["found"] == "illegal_move").expect("the ruling");
    assert_eq!((ruled["article"].as_str(), ruled["game"].as_str()), (Some("7.5.1"), Some("g")));
    let id = ruled["trace_id"].as_str().expect("an id");

    let (_, shown) = get(ops, &format!("/traces/{id}.json")).await;
    let shown: Value = serde_json::from_str(&shown).expect("a trace");
    let spans = shown["spans"].as_array().expect("spans");
    let depth = |name: &str| -> Vec<u64> {
        spans.iter().filter(|span| span["name"] == name).filter_map(|span| span["depth"].as_u64()).collect()
    };
    // The clock's own are there as well, by the times that its frames told.
    assert_eq!((depth("press"), depth("spool"), depth("apply")), (vec![0], vec![1], vec![3, 6]), "{shown:#}");
    assert_eq!((depth("receive"), depth("directive")), (vec![1, 1, 4, 7], vec![2, 5]), "{shown:#}");
    let (status, page) = get(ops, &format!("/traces/{id}")).await;
    assert!(status == 200 && page.contains("class=bar") && page.contains("flagfall.article=7.5.1"), "{page}");

    assert_eq!(get(ops, "/traces/00000000000000000000000000000000").await.0, 404);
    assert_eq!(get(ops, "/traces/nonsense.json").await.0, 404);

    let url = format!("http://{ops}");
    let trace = |arguments: &[&str]| {
        let mut command = Command::new(binaries().join("flagfall"));
        command.arg("trace").args(arguments).args(["--ops", &url]);
        tokio::task::spawn_blocking(move || command.output().expect("flagfall runs"))
    };
    let drawn = trace(&["board-7", "--last", "20"]).await.expect("it ran");
    let text = String::from_utf8_lossy(&drawn.stdout).into_owned();
    assert!(drawn.status.success() && text.contains(id) && text.contains("directive") && text.contains('█'), "{text}");
    let json = trace(&[id, "--json"]).await.expect("it ran");
    let read: Value = serde_json::from_slice(&json.stdout).expect("one object");
    assert_eq!(read["trace_id"].as_str(), Some(id));
    let nothing = trace(&["board-8"]).await.expect("it ran");
    assert_eq!(nothing.status.code(), Some(1));
    bench.end().await;
}

#[tokio::test]
async fn probes_say_whether_it_can_rule_and_why_not() {
    let journal = Arc::new(MemoryJournal::new());
    let (running, _) = service(None, Arc::clone(&journal) as _).await;
    assert_eq!(get(running.ops, "/healthz").await, (200, "ok\n".to_owned()));
    let (status, said) = get(running.ops, "/readyz").await;
    assert!(status == 200 && said.contains("store: writable\ncommitter: alive\n"), "{status} {said}");
    journal.fail("input/output error");
    let (status, said) = get(running.ops, "/readyz").await;
    assert!(status == 503 && said.starts_with("store: takes no entries: input/output error"), "{status} {said}");
    assert_eq!(get(running.ops, "/healthz").await.0, 200, "the process answers all the same");
    running.shutdown().await;
}
