//! Low watermarks of the exchange: how far all holders have read it.

use super::{Partition, Partitions};

/// The read progress of a live session.
#[derive(Debug, Clone, Copy)]
pub struct ReadProgress<'a> {
    /// The partitions that it holds and has caught up with.
    pub held: &'a [Partition],
    /// For each shard: the position that is in its log.
    pub positions: &'a [u64],
}

/// Returns for each shard the lowest position of the holders of its partitions, or `None` if one of them is held by no
/// session that has caught up. Messages up to there will never be read again: the position of a partition only grows,
/// regardless of its holder.
pub fn reached<'a>(readings: impl IntoIterator<Item = ReadProgress<'a>>, partitions: &Partitions) -> Vec<Option<u64>> {
    let mut of_partition: Vec<Option<u64>> = vec![None; usize::from(partitions.count())];
    for reading in readings {
        for partition in reading.held {
            let position = reading.positions.get(usize::from(partitions.shard(*partition))).copied().unwrap_or(0);
            if let Some(known) = of_partition.get_mut(usize::from(partition.0)) {
                *known = Some(known.map_or(position, |known| known.min(position)));
            }
        }
    }
    let of_shard = |shard: u16| {
        let in_shard = partitions.all().filter(|partition| partitions.shard(*partition) == shard);
        let positions = in_shard.map(|partition| of_partition[usize::from(partition.0)]);
        positions.reduce(|a, b| Some(a?.min(b?))).flatten()
    };
    (0..partitions.shards()).map(of_shard).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partitions() -> Partitions {
        Partitions::new(4, 2)
    }

    #[test]
    fn a_shard_is_read_as_far_as_the_slowest_of_its_holders() {
        let (a, b) = ([Partition(0), Partition(1), Partition(3)], [Partition(2)]);
        let readings = [ReadProgress { held: &a, positions: &[9, 5] }, ReadProgress { held: &b, positions: &[7, 1] }];
        assert_eq!(reached(readings, &partitions()), [Some(7), Some(5)]);
    }

    #[test]
    fn while_one_of_its_partitions_is_held_by_nobody_a_shard_is_not_read() {
        let held = [Partition(0), Partition(1), Partition(3)];
        assert_eq!(reached([ReadProgress { held: &held, positions: &[9, 5] }], &partitions()), [None, Some(5)]);
        assert_eq!(reached([], &partitions()), [None, None]);
    }

    #[test]
    fn who_says_nothing_of_a_shard_has_read_nothing_of_it() {
        let held: Vec<Partition> = partitions().all().collect();
        assert_eq!(reached([ReadProgress { held: &held, positions: &[9] }], &partitions()), [Some(9), Some(0)]);
    }
}
