//! Solves a suite of othello endings and compares with the published scores:
//! `cargo run --release -p engine --example ffo -- FILE [LAST]`, the file with a heading and lines of
//! `number,board,side,empties,score,best moves`.

use engine::StopSignal;
use engine::othello::Solver;
use games::Game;
use games::othello::Othello;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: ffo FILE [LAST NUMBER]")?;
    let last: u32 = args.next().map_or(Ok(u32::MAX), |text| text.parse())?;
    let text = std::fs::read_to_string(file)?;
    let (mut nodes, mut wrong, began) = (0, 0, Instant::now());
    for line in text.lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let &[number, board, side, _, score, best] = fields.as_slice() else {
            return Err(format!("six fields, found `{line}`").into());
        };
        if number.parse::<u32>()? > last {
            continue;
        }
        let position = Othello::from_fen(&format!("{board} {side}"))?;
        let started = Instant::now();
        let solved = Solver::new(256).solve(&position, &StopSignal::never()).ok_or("stopped")?;
        let seconds = started.elapsed().as_secs_f64();
        nodes += solved.nodes.0;
        wrong += u32::from(solved.score != score.parse::<i32>()?);
        let mv = solved.best.map(|mv| mv.to_string()).unwrap_or_default();
        println!(
            "{number}: {:+} {mv}, {} nodes, {seconds:.2} s; published {score} {best}",
            solved.score, solved.nodes
        );
    }
    println!("{nodes} nodes, {:.2} s, {wrong} wrong", began.elapsed().as_secs_f64());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
