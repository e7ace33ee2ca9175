//! Which blocks one card replaces.

use super::reading::{Block, Reading};
use newt_fold::{Config, Grouping};

/// What one card will stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The blocks, by index, in order.
    pub blocks: Vec<usize>,
    /// Rounds that fold for the first time.
    pub new_rounds: usize,
    /// Rounds that the card counts.
    pub stands_for: usize,
}

impl Reading<'_> {
    /// The cards that a fold would write, before any is weighed.
    pub fn groups(&self, config: &Config) -> Vec<Group> {
        let horizon = self.horizon(config);
        // What may go into a card: an eligible round, or an aged card.
        let parts: Vec<(usize, Group)> = self
            .blocks
            .iter()
            .enumerate()
            .filter_map(|(index, block)| {
                let (new_rounds, stands_for) = match block {
                    Block::Round { .. } if self.is_eligible(block, config) => (1, 1),
                    Block::Card { messages, rounds } if messages.end <= horizon => (0, *rounds),
                    _ => return None,
                };
                let group = Group {
                    blocks: vec![index],
                    new_rounds,
                    stands_for,
                };
                Some((index, group))
            })
            .collect();
        let groups = match config.grouping {
            Grouping::All => {
                let mut all = Group {
                    blocks: Vec::new(),
                    new_rounds: 0,
                    stands_for: 0,
                };
                for (_, part) in parts {
                    all.take(part);
                }
                vec![all]
            }
            Grouping::Runs => self.runs(parts),
        };
        groups
            .into_iter()
            .filter(|group| group.new_rounds > 0)
            .collect()
    }

    fn runs(&self, parts: Vec<(usize, Group)>) -> Vec<Group> {
        // First the runs: rounds side by side.
        let mut standing: Vec<Group> = Vec::new();
        for (index, part) in parts {
            let side_by_side = standing
                .last()
                .is_some_and(|last| self.touches(last, index));
            match standing.last_mut() {
                Some(last) if side_by_side && last.is_run(self) && part.new_rounds > 0 => {
                    last.take(part)
                }
                _ => standing.push(part),
            }
        }
        // Then each run, oldest first, takes the card directly before it, again
        // and again, while that one stands for at most twice as many rounds.
        let mut done: Vec<Group> = Vec::new();
        for group in standing {
            let is_run = group.new_rounds > 0;
            done.push(group);
            while is_run && done.len() > 1 {
                let (last, before) = (&done[done.len() - 1], &done[done.len() - 2]);
                if !self.touches(before, last.blocks[0]) || before.stands_for > 2 * last.stands_for
                {
                    break;
                }
                let last = done.pop().expect("two groups");
                done.last_mut().expect("one group").take(last);
            }
        }
        done
    }

    /// Whether a block begins where a group ends.
    fn touches(&self, group: &Group, block: usize) -> bool {
        let last = group.blocks.last().expect("a block");
        self.blocks[*last].messages().end == self.blocks[block].messages().start
    }

    /// The messages that a group's card replaces.
    pub fn messages_of(&self, group: &Group) -> Vec<usize> {
        group
            .blocks
            .iter()
            .flat_map(|block| self.blocks[*block].messages())
            .collect()
    }

    /// Bytes of the rounds of a group that fold for the first time, each.
    pub fn round_bytes(&self, group: &Group) -> Vec<usize> {
        let rounds = group.blocks.iter().map(|block| &self.blocks[*block]);
        rounds
            .filter(|block| matches!(block, Block::Round { .. }))
            .map(|block| block.messages().map(|at| self.messages[at].raw.len()).sum())
            .collect()
    }
}

impl Group {
    fn take(&mut self, other: Group) {
        self.blocks.extend(other.blocks);
        self.new_rounds += other.new_rounds;
        self.stands_for += other.stands_for;
    }

    fn is_run(&self, reading: &Reading<'_>) -> bool {
        self.blocks
            .iter()
            .all(|block| matches!(reading.blocks[*block], Block::Round { .. }))
    }
}
