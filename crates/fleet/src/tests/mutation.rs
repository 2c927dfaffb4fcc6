//! What can be broken on purpose, so that each check is seen to fail.

/// One thing that a node does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutation {
    /// Fetches whatever its fetch_deadline is.
    IgnoresTenure,
    /// Contacts the hosts of a partition that it took at once.
    ForgetsDelays,
    /// Writes its log before the links of others are published.
    LogsFirst,
    /// Does not know what has ended when it takes a partition.
    ForgetsEnded,
    /// Leaves out links of a partition before the log says that it is let go.
    DropsEarly,
    /// Says that it has read what is not in its log.
    SaysWhatIsOffered,
    /// Is never idle.
    NeverIdle,
    /// Trims nothing.
    NeverTrims,
    /// Spends more of a budget than it was granted.
    Overspends,
    /// Says what it has observed twice.
    ObservesTwice,
    /// Finds no segment of observations.
    LosesSegments,
    /// Does not read copies of what is spoilt.
    ForgetsCopies,
    /// Leaves partitions where hashing puts them.
    NeverBalances,
    /// Gives others a much shorter lease than it keeps itself.
    EvictsEarly,
}
