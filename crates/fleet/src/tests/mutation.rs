//! Deliberate faults, with which each check is shown to fail.

/// A fault of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutation {
    /// Fetches although its lease has expired.
    IgnoresTenure,
    /// Contacts the hosts of a newly taken partition without delay.
    ForgetsDelays,
    /// Writes its log before it publishes the links of other nodes.
    LogsFirst,
    /// Ignores finished URLs when it takes a partition.
    ForgetsEnded,
    /// Drops links of a partition before the log says that it is released.
    DropsEarly,
    /// Reports positions that are not in its log yet.
    SaysWhatIsOffered,
    /// Is never idle.
    NeverIdle,
    /// Never trims.
    NeverTrims,
    /// Spends more of a budget than it was granted.
    Overspends,
    /// Reports each observation twice.
    ObservesTwice,
    /// Finds no segment of observations.
    LosesSegments,
    /// Does not read the copies of corrupt objects.
    ForgetsCopies,
    /// Leaves partitions where hashing puts them.
    NeverBalances,
    /// Uses a much shorter lease for others than for itself.
    EvictsEarly,
}
