//! Plays pairs between two parameter sets in one process: how much a number is worth.
//!
//! ```text
//! cargo run --release -p engine --example selfplay -- pairs=400 nodes=500 seed=1 \
//!     a.lmr_base=0.8 b.rfp_margin=120
//! ```
//! Further words: `game` (xiangqi unless said), `a.nodes`, `b.nodes` (instead of `nodes`), `threads`,
//! `hash_mb`, `plies` (random moves of an opening).

use engine::{Limits, SearchGame, SearchParams, Searcher, StopSignal};
use games::{
    MoveList, RuleWinner, chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe,
    xiangqi::Xiangqi,
};
use model::{GameKind, GameScore, PairOutcome, ParameterSet, Tally};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Longer games are draws.
const PLY_LIMIT: usize = 400;
/// Openings that a search sees further from level than this are not played.
const LEVEL_CENTIPAWNS: i32 = 250;

struct Settings {
    game: GameKind,
    pairs: u64,
    nodes: [u64; 2],
    seed: u64,
    threads: u64,
    hash_mb: usize,
    plies: u64,
    sets: [ParameterSet; 2],
}

/// Sums over all games.
#[derive(Default)]
struct Spent {
    nodes: AtomicU64,
    depths: AtomicU64,
    moves: AtomicU64,
}

fn main() -> Result<(), String> {
    let settings = read_words(std::env::args().skip(1))?;
    match settings.game {
        GameKind::Xiangqi => run::<Xiangqi>(&settings),
        GameKind::Chess => run::<Chess>(&settings),
        GameKind::Shogi => run::<Shogi>(&settings),
        GameKind::Othello => run::<Othello>(&settings),
        GameKind::TicTacToe => run::<TicTacToe>(&settings),
    }
}

fn run<G: SearchGame>(settings: &Settings) -> Result<(), String> {
    let mut params = Vec::new();
    for set in &settings.sets {
        params.push(SearchParams::<G>::from_set(set).map_err(|e| e.to_string())?);
    }
    let (nodes, started) = (Spent::default(), Instant::now());
    let next = AtomicU64::new(0);
    let mut outcomes: Vec<(u64, PairOutcome)> = std::thread::scope(|scope| {
        let players: Vec<_> = (0..settings.threads)
            .map(|_| scope.spawn(|| play_pairs(settings, &params, &next, &nodes)))
            .collect();
        players.into_iter().flat_map(|t| t.join().expect("players do not panic")).collect()
    });
    outcomes.sort_unstable_by_key(|(pair, _)| *pair);
    let tally: Tally = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
    report(&tally, &nodes, started.elapsed().as_secs_f64());
    Ok(())
}

fn read_words(words: impl Iterator<Item = String>) -> Result<Settings, String> {
    let mut settings = Settings {
        game: GameKind::Xiangqi,
        pairs: 100,
        nodes: [500; 2],
        seed: 1,
        threads: 2,
        hash_mb: 1,
        plies: 8,
        sets: [ParameterSet::default(), ParameterSet::default()],
    };
    for word in words {
        let (name, value) = word.split_once('=').ok_or(format!("`{word}` is no name=value"))?;
        let whole = || value.parse::<u64>().map_err(|e| format!("{word}: {e}"));
        match name {
            "game" => settings.game = value.parse().map_err(|e| format!("{word}: {e}"))?,
            "pairs" => settings.pairs = whole()?,
            "nodes" => settings.nodes = [whole()?; 2],
            "a.nodes" => settings.nodes[0] = whole()?,
            "b.nodes" => settings.nodes[1] = whole()?,
            "seed" => settings.seed = whole()?,
            "threads" => settings.threads = whole()?,
            "hash_mb" => settings.hash_mb = whole()? as usize,
            "plies" => settings.plies = whole()?,
            _ => {
                let (side, name) = name.split_once('.').ok_or(format!("unknown word `{word}`"))?;
                let side = ["a", "b"].iter().position(|s| *s == side).ok_or("side is a or b")?;
                let number = value.parse().map_err(|e| format!("{word}: {e}"))?;
                settings.sets[side].set(name, number);
            }
        }
    }
    Ok(settings)
}

/// Plays the pairs that nobody else has taken.
fn play_pairs<G: SearchGame>(
    settings: &Settings,
    params: &[SearchParams<G>],
    next: &AtomicU64,
    nodes: &Spent,
) -> Vec<(u64, PairOutcome)> {
    let new = || Searcher::<G>::new(settings.hash_mb);
    let (mut players, mut judge) = ([new(), new()], new());
    let mut outcomes = Vec::new();
    loop {
        let pair = next.fetch_add(1, Ordering::Relaxed);
        if pair >= settings.pairs {
            return outcomes;
        }
        let opening = level_opening(settings, pair, &mut judge);
        let mut game = |candidate_first: bool| {
            let (score, spent) = play(settings, params, &mut players, &opening, candidate_first);
            for (sum, part) in
                [(&nodes.nodes, spent[0]), (&nodes.depths, spent[1]), (&nodes.moves, spent[2])]
            {
                sum.fetch_add(part, Ordering::Relaxed);
            }
            score
        };
        outcomes.push((pair, PairOutcome { first: game(true), second: game(false) }));
    }
}

/// A random walk from the start that a search holds to be level.
fn level_opening<G: SearchGame>(settings: &Settings, pair: u64, judge: &mut Searcher<G>) -> G {
    let mut state = settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ pair.wrapping_mul(0xd1b5);
    let params = SearchParams::default();
    loop {
        let mut position = G::start();
        for _ in 0..settings.plies {
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.make(moves[(splitmix(&mut state) % moves.len() as u64) as usize]);
        }
        judge.new_game();
        let limits = Limits::nodes(3000);
        let found = judge.search(&mut position, &params, &limits, &StopSignal::never());
        if found.score.0.abs() <= LEVEL_CENTIPAWNS && position.result().is_none() {
            return position;
        }
    }
}

/// One game; the candidate's score, then nodes, depths and moves of both.
fn play<G: SearchGame>(
    settings: &Settings,
    params: &[SearchParams<G>],
    players: &mut [Searcher<G>; 2],
    opening: &G,
    candidate_first: bool,
) -> (GameScore, [u64; 3]) {
    let mut position = opening.clone();
    players.iter_mut().for_each(Searcher::new_game);
    let mut side = usize::from(!candidate_first);
    let mut nodes = [0; 3];
    for _ in 0..PLY_LIMIT {
        if let Some(result) = position.result() {
            let winner = match result.winner {
                RuleWinner::Draw => return (GameScore::Draw, nodes),
                RuleWinner::SideToMove => side,
                RuleWinner::Opponent => 1 - side,
            };
            return (if winner == 0 { GameScore::Win } else { GameScore::Loss }, nodes);
        }
        let limits = Limits::nodes(settings.nodes[side]);
        let stop = StopSignal::never();
        let found = players[side].search(&mut position, &params[side], &limits, &stop);
        nodes = [nodes[0] + found.nodes.0, nodes[1] + u64::from(found.depth), nodes[2] + 1];
        position.make(found.best.expect("the game is not over"));
        side = 1 - side;
    }
    (GameScore::Draw, nodes)
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn report(tally: &Tally, spent: &Spent, seconds: f64) {
    let pairs = tally.pairs().0 as f64;
    let score = |cell: usize| cell as f64 / 4.0;
    let cells = tally.pentanomial.0;
    let mean = (0..5).map(|c| score(c) * cells[c] as f64).sum::<f64>() / pairs;
    let variance = (0..5).map(|c| (score(c) - mean).powi(2) * cells[c] as f64).sum::<f64>() / pairs;
    let half = 1.96 * (variance / pairs).sqrt();
    let elo = |s: f64| -400.0 * (1.0 / s.clamp(1e-6, 1.0 - 1e-6) - 1.0).log10();
    let sum = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
    println!(
        "W {} D {} L {}  pentanomial {cells:?}  elo {:+.1} [{:+.1}, {:+.1}]  {:.2} Mnodes/s  {:.1} games/s  depth {:.2}",
        tally.wdl.wins,
        tally.wdl.draws,
        tally.wdl.losses,
        elo(mean),
        elo(mean - half),
        elo(mean + half),
        sum(&spent.nodes) / seconds / 1e6,
        2.0 * pairs / seconds,
        sum(&spent.depths) / sum(&spent.moves),
    );
}
