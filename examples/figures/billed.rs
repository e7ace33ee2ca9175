//! What a loop of 1,000 rounds is billed, and what share of it is cached.

use crate::markdown::{percent, table, thousands};
use crate::mode::{self, Mode, side_by_side};
use crate::picture::{self, Bar, Curve, short};
use crate::replay::{Bill, bill};
use crate::session::{self, USER_EVERY, User};
use newt_fold::{Config, Wire};
use std::error::Error;
use std::path::Path;

/// Requests after the first: one a round.
const ROUNDS: usize = 1_000;

/// The bill of the made-up session.
fn of_session(mode: &Mode, user: User) -> Bill {
    let groups = session::groups(Wire::Chat, user).take(ROUNDS + 1);
    bill(mode, &session::head(), "]}", groups)
}

/// Bills of several modes, the first of which is to do nothing.
pub fn print(heading: &str, bills: &[(&'static str, Bill)]) {
    let rows: Vec<_> = bills
        .iter()
        .map(|(name, bill)| {
            vec![
                (*name).to_owned(),
                percent(bill.cached()),
                thousands(bill.tokens as usize),
                percent(bill.tokens / bills[0].1.tokens),
                thousands(bill.largest),
                thousands(bill.last),
            ]
        })
        .collect();
    let head = [
        "",
        "cached",
        "tokens billed",
        "of doing nothing",
        "largest request",
        "last request",
    ];
    table(heading, &head, &rows);
}

/// Every mode, where the user speaks once, sometimes, and often. Returns the
/// bills of the first.
pub fn by_mode(pictures: &Path) -> Result<Vec<(&'static str, Bill)>, Box<dyn Error>> {
    let modes = mode::all();
    let bills_with = |user| side_by_side(&modes, |mode| of_session(mode, user));
    let once = bills_with(User::Once);
    print("1,000 rounds, one unbroken stretch", &once);
    for rounds in [USER_EVERY, 3] {
        print(
            &format!("1,000 rounds, a user's message every {rounds}"),
            &bills_with(User::Every(rounds)),
        );
    }

    let bars: Vec<_> = once
        .iter()
        .enumerate()
        .map(|(colour, (name, bill))| Bar {
            name: (*name).to_owned(),
            colour,
            length: bill.tokens,
            label: format!(
                "{} ({})",
                short(bill.tokens),
                percent(bill.tokens / once[0].1.tokens)
            ),
        })
        .collect();
    let title = "Tokens billed over 1,000 rounds, cached input at a tenth of the price";
    picture::bars(&pictures.join("billed.svg"), title, &bars)?;
    Ok(once)
}

/// Both groupings, where a fold waits for so many rounds or tokens.
pub fn by_batch(pictures: &Path) -> Result<(), Box<dyn Error>> {
    let mut rows = Vec::new();
    let mut measure = |name: String, config: Config| {
        let [runs, all] = [config.clone(), mode::in_one_card(config)]
            .map(|config| of_session(&Mode::Fold(config), User::Once));
        let mut row = vec![name];
        for bill in [runs, all] {
            row.extend([percent(bill.cached()), thousands(bill.tokens as usize)]);
        }
        rows.push(row);
        [runs.cached(), all.cached()]
    };
    let (mut runs, mut all) = (Vec::new(), Vec::new());
    for min_rounds in [1, 2, 5, 10, 15, 20, 50, 100] {
        let config = Config {
            min_rounds,
            ..mode::any_result()
        };
        let cached = measure(format!("`min_rounds` {min_rounds}"), config);
        runs.push((min_rounds as f64, cached[0]));
        all.push((min_rounds as f64, cached[1]));
    }
    for min_reclaim in [1_000, 2_000, 4_000, 8_000, 16_000] {
        let config = Config {
            min_reclaim,
            ..mode::any_result()
        };
        measure(format!("`min_reclaim` {}", thousands(min_reclaim)), config);
    }
    let head = ["", "RUNS: cached", "billed", "ALL: cached", "billed"];
    table("How often to fold", &head, &rows);

    // The ways that have nothing to wait for are level.
    let mut curves: Vec<_> = mode::others()
        .into_iter()
        .enumerate()
        .map(|(colour, (name, mode))| {
            let share = of_session(&mode, User::Once).cached();
            Curve {
                name: name.to_owned(),
                colour,
                points: vec![(1.0, share), (100.0, share)],
            }
        })
        .collect();
    for (name, points) in [("RUNS", runs), ("ALL", all)] {
        curves.push(Curve {
            name: name.to_owned(),
            colour: curves.len(),
            points,
        });
    }
    picture::share_curves(
        &pictures.join("cached.svg"),
        "Cached share of a request, by the rounds that a fold waits for",
        "min_rounds",
        1.0..100.0,
        &curves,
    )
}
