//! exploring
mod mode;
mod replay;
mod session;
use mode::Mode;
use newt_fold::*;
use session::*;
fn main() {
    let n = 1000;
    let head = head();
    let tot: usize = groups(Wire::Chat, User::Once)
        .take(n + 1)
        .map(|g| g.iter().map(String::len).sum::<usize>())
        .sum();
    println!("head {} round avg {}", head.len(), tot / n);
    let any = Config {
        results: Results::Any,
        ..Config::default()
    };
    let mut modes = vec![
        ("nothing".to_string(), Mode::Nothing),
        ("clear3".into(), Mode::Clear { keep: 3 }),
        ("ancestor".into(), Mode::OneLineThenFold),
    ];
    for g in [Grouping::Runs, Grouping::All] {
        for m in [1, 2, 5, 10, 15, 20, 30, 50, 100] {
            modes.push((
                format!("{g:?} min_rounds {m}"),
                Mode::Fold(Config {
                    grouping: g,
                    min_rounds: m,
                    ..any.clone()
                }),
            ));
        }
        for m in [1000, 2000, 4000, 8000, 16000] {
            modes.push((
                format!("{g:?} min_reclaim {m}"),
                Mode::Fold(Config {
                    grouping: g,
                    min_reclaim: m,
                    ..any.clone()
                }),
            ));
        }
    }
    for w in [32000, 64000, 128000] {
        modes.push((
            format!("half {w}"),
            Mode::FoldAllAtHalf {
                config: Config {
                    min_rounds: 10,
                    ..any.clone()
                },
                window: w,
            },
        ));
    }
    for user in [User::Once, User::Every(USER_EVERY)] {
        println!("{user:?}");
        for (name, mode) in &modes {
            let t = std::time::Instant::now();
            let b = replay::bill(mode, &head, "]}", groups(Wire::Chat, user).take(n + 1));
            println!(
                "{name:24} cached {:.3} billed {:9.0} largest {} last {} ({:?})",
                b.cached(),
                b.tokens,
                b.largest,
                b.last,
                t.elapsed()
            );
        }
    }
}
