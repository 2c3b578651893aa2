//! An arbiter: looks at all games every second or so, decides what is open, and sends again what was not answered.
//!
//! Two of them see the same cases and decide them; each now and then clicks twice.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use flagfall_proto::{
    clock::v1::Colour,
    desk::v1::{ListGamesRequest, WatchGamesRequest, desk_service_client::DeskServiceClient},
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::time::{sleep, timeout};
use tonic::Status;

use crate::{
    deed::{Client, Deed, is_unknown},
    hall::{Answered, Hall, open},
    net::{DESK, connect},
    trace::Trace,
};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(4);

/// A desk's act that may have been done.
struct Pending {
    request: String,
    deed: Deed,
}

/// Who is at the desk.
#[derive(Clone)]
pub(crate) struct Arbiter {
    pub(crate) name: &'static str,
    pub(crate) hall: Arc<Hall>,
    /// Games to open: name, device, whether its clock is external.
    pub(crate) plan: Vec<Deed>,
    pub(crate) seed: u64,
    pub(crate) trace: Trace,
}

impl Arbiter {
    /// Works until the world ends.
    pub(crate) async fn work(self) -> turmoil::Result {
        let mut chance = StdRng::seed_from_u64(self.seed);
        let mut pending: Vec<Pending> = Vec::new();
        let mut asked: BTreeMap<String, ()> = BTreeMap::new();
        loop {
            let channel = match timeout(PATIENCE, connect(DESK)).await {
                Ok(Ok(channel)) => channel,
                _ => {
                    sleep(Duration::from_millis(chance.random_range(300..900))).await;
                    continue;
                }
            };
            let mut client = DeskServiceClient::new(channel).max_decoding_message_size(16 << 20);
            let watching = tokio::task::spawn_local(self.clone().watch(client.clone()));
            while let Some(games) = self.look(&mut client).await {
                for deed in self.due(&games) {
                    let request = match &deed {
                        Deed::Open { game, .. } => format!("open-{game}"),
                        Deed::Decide { game, case, .. } => format!("{}-{game}-case-{case}", self.name),
                        _ => format!("{}-{}", self.name, self.hall.next_act()),
                    };
                    if asked.insert(request.clone(), ()).is_none() {
                        pending.push(Pending { request, deed });
                    }
                }
                if self.hall.busy.load(Ordering::Relaxed) && chance.random_bool(0.15) {
                    let act = self.hall.next_act();
                    let request = format!("{}-{act}", self.name);
                    pending.extend(self.whim(&games, act, &mut chance).map(|deed| Pending { request, deed }));
                }
                if let Some((request, deed)) = self.hall.wanted() {
                    pending.push(Pending { request, deed });
                }
                let mut broken = false;
                for Pending { request, deed } in std::mem::take(&mut pending) {
                    let twice = chance.random_bool(0.3);
                    match self.act(&mut client, &request, &deed, twice).await {
                        Some(()) => {}
                        None => {
                            broken = true;
                            pending.push(Pending { request, deed });
                        }
                    }
                }
                if broken {
                    break;
                }
                sleep(Duration::from_millis(chance.random_range(500..1_300))).await;
            }
            watching.abort();
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Looks at all games; `None` when the service does not answer.
    async fn look(&self, client: &mut Client) -> Option<Vec<flagfall_proto::desk::v1::GameSnapshot>> {
        let all = ListGamesRequest { finished: true, ..ListGamesRequest::default() };
        let games = timeout(PATIENCE, client.list_games(all)).await.ok()?.ok()?.into_inner().games;
        self.hall.saw(self.trace.now(), games.clone());
        Some(games)
    }

    /// What must be done: games to open, cases to decide.
    fn due(&self, games: &[flagfall_proto::desk::v1::GameSnapshot]) -> Vec<Deed> {
        let is_there =
            |deed: &&Deed| games.iter().any(|game| game.setup.as_ref().is_some_and(|setup| setup.game == deed.game()));
        let mut deeds: Vec<Deed> = self.plan.iter().filter(|deed| !is_there(deed)).cloned().collect();
        for game in games {
            let name = game.setup.as_ref().map_or_else(String::new, |setup| setup.game.clone());
            for case in open(game) {
                if let Some(proposal) = &case.proposal
                    && let Some(remedy) = proposal.remedies.first()
                {
                    let (case, choice) = (proposal.case, remedy.key.clone());
                    deeds.push(Deed::Decide { game: name.clone(), case, choice });
                }
            }
        }
        deeds
    }

    /// Something that an arbiter may do at any time.
    fn whim(&self, games: &[flagfall_proto::desk::v1::GameSnapshot], act: u64, chance: &mut StdRng) -> Option<Deed> {
        let game = games.get(chance.random_range(0..games.len().max(1)))?;
        if game.ended.is_some() {
            return None;
        }
        // Some arbiters add time only as long as nobody has moved.
        let as_of = if chance.random_bool(0.3) { game.heard_seq } else { 0 };
        let game = game.setup.as_ref()?.game.clone();
        Some(match chance.random_range(0..6) {
            0..3 => {
                let colour = if chance.random_bool(0.5) { Colour::White } else { Colour::Black };
                // No two are the same, so that the clock's leaps tell which were carried out.
                // Above the two minutes that a ruling adds: the oracle tells leaps apart by their amounts.
                Deed::Add { game, colour, ms: 131_000 + 7_000 * i64::try_from(act).ok()?, as_of }
            }
            3 => Deed::Stop { game },
            _ => Deed::Show { game },
        })
    }

    /// Sends a request, once or twice at once; `None` when it is not known what became of it.
    async fn act(&self, client: &mut Client, request: &str, deed: &Deed, twice: bool) -> Option<()> {
        let one = |mut client: Client| {
            let (deed, request) = (deed.clone(), request.to_owned());
            async move {
                timeout(PATIENCE, deed.carry_out(&mut client, request, self.name))
                    .await
                    .unwrap_or_else(|_| Err(Status::deadline_exceeded("no answer")))
            }
        };
        self.trace.step(self.name, format_args!("{request}: {deed:?}{}", if twice { ", clicked twice" } else { "" }));
        let answers = if twice {
            let (first, second) = tokio::join!(one(client.clone()), one(client.clone()));
            vec![first, second]
        } else {
            vec![one(client.clone()).await]
        };
        for answer in &answers {
            let told = match answer {
                Ok(rev) => format!("directive {rev}"),
                Err(status) => format!("{:?} {}", status.code(), status.message()),
            };
            self.trace.step(self.name, format_args!("{request}: {told}"));
        }
        let known: Vec<&u64> = answers.iter().filter_map(|answer| answer.as_ref().ok()).collect();
        if let [first, second] = known[..]
            && first != second
        {
            self.hall
                .is_wrong(format!("I3: request {request} led to directive {first} and, clicked twice, to {second}"));
        }
        for &rev in known {
            let (game, request) = (deed.game().to_owned(), request.to_owned());
            self.hall.answer(Answered { game, request, rev });
        }
        answers.iter().all(|answer| answer.as_ref().is_err_and(is_unknown)).then_some(()).is_none().then_some(())
    }

    /// Follows all games; what is told must join.
    async fn watch(self, mut client: Client) {
        let Ok(updates) = client.watch_games(WatchGamesRequest { games: Vec::new() }).await else { return };
        let mut updates = updates.into_inner();
        let mut told: BTreeMap<String, u64> = BTreeMap::new();
        while let Ok(Some(update)) = updates.message().await {
            let before = told.insert(update.game.clone(), update.entry);
            let joins = match (before, &update.snapshot) {
                (None, Some(_)) => true,
                (Some(before), None) => update.entry == before + 1,
                _ => false,
            };
            if !joins {
                let (name, entry) = (&update.game, update.entry);
                self.hall.is_wrong(format!("I2: {}: {name} goes from entry {before:?} to {entry}", self.name));
            }
        }
    }
}
