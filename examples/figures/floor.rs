//! What a request costs after everything foldable is folded, up to 10,000
//! rounds.

use crate::markdown::{table, thousands};
use crate::mode::{self, Mode, side_by_side};
use crate::picture::{self, Curve, short};
use crate::replay::tokens;
use crate::session::{self, USER_EVERY, User};
use crate::transcript::Transcript;
use newt_fold::Wire;
use std::error::Error;
use std::path::Path;

/// Rounds up to which the floor is followed.
pub const ROUNDS: usize = 10_000;

/// Tokens of a request, after so many rounds.
type Floor = Vec<(usize, usize)>;

/// The floor of a session that is folded after every round.
fn of_session(mode: &Mode, user: User) -> Floor {
    // Ten to every power of ten, from the first ten rounds on.
    let marks: Vec<usize> = (10..=40)
        .map(|tenth| 10f64.powf(f64::from(tenth) / 10.0).round() as usize)
        .collect();
    let mut transcript = Transcript::new(mode.clone(), &session::head(), "]}");
    let mut floor = Floor::new();
    let groups = session::groups(Wire::Chat, user).take(ROUNDS + 1);
    for (round, messages) in groups.enumerate() {
        transcript.take(messages);
        if marks.contains(&round) {
            floor.push((round, tokens(&transcript.document)));
        }
    }
    floor
}

/// Follows the floor with one stretch of rounds, and with many.
pub fn follow(pictures: &Path) -> Result<(), Box<dyn Error>> {
    let mut modes = mode::others();
    modes.push(("RUNS", Mode::Fold(mode::any_result())));
    modes.push(("ALL", Mode::Fold(mode::in_one_card(mode::any_result()))));
    draw(
        &pictures.join("floor.svg"),
        "Tokens of a request after so many rounds, one unbroken stretch",
        side_by_side(&modes, |mode| of_session(mode, User::Once)),
    )?;
    modes.push((
        "RUNS, ALL at half of 64k",
        mode::runs_then_all(mode::any_result()),
    ));
    draw(
        &pictures.join("floor-user.svg"),
        "Tokens of a request after so many rounds, a user's message every 20",
        side_by_side(&modes, |mode| of_session(mode, User::Every(USER_EVERY))),
    )
}

fn draw(
    path: &Path,
    title: &str,
    floors: Vec<(&'static str, Floor)>,
) -> Result<(), Box<dyn Error>> {
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for (colour, (name, floor)) in floors.into_iter().enumerate() {
        let mut row = vec![name.to_owned()];
        let whole_powers = floor
            .iter()
            .filter(|(round, _)| [100, 1_000, ROUNDS].contains(round));
        row.extend(whole_powers.map(|(_, tokens)| thousands(*tokens)));
        rows.push(row);
        let last = floor.last().map_or(0, |(_, tokens)| *tokens);
        curves.push(Curve {
            name: format!("{name}: {}", short(last as f64)),
            colour,
            points: floor
                .iter()
                .map(|(round, tokens)| (*round as f64, *tokens as f64))
                .collect(),
        });
    }
    table(
        title,
        &["", "100 rounds", "1,000 rounds", "10,000 rounds"],
        &rows,
    );
    let axes = (10.0..ROUNDS as f64, 1e3..1e7);
    picture::log_curves(path, title, "rounds", axes, &curves)
}
