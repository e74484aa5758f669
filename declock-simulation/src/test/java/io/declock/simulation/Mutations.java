// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.simulation.Sabotage.Done;
import io.declock.simulation.Sabotage.No;
import io.declock.simulation.Sabotage.Nothing;
import io.declock.simulation.Sabotage.Yes;
import io.declock.simulation.Sabotage.Zero;
import java.util.List;

/** Every rule of docs/protocol.md that has a mutation which the simulation must catch. */
final class Mutations {
    private static final String CQL = "io.declock.internal.protocol.CqlLock";
    private static final String STATE = "io.declock.internal.protocol.LockState";
    private static final String POSITION = "io.declock.internal.protocol.Position";
    private static final String TRYING = "io.declock.internal.protocol.Trying";
    private static final String ACQUISITION = "io.declock.internal.protocol.Acquisition";
    private static final String PENDING = "io.declock.internal.protocol.PendingRequest";
    private static final String SUCCESSORS = "io.declock.internal.protocol.Successors";
    private static final String CONVERSION = "io.declock.internal.protocol.Conversion";
    private static final String WANTING = "io.declock.internal.protocol.Wanting";
    private static final String KEEPING = "io.declock.internal.protocol.Keeping";
    private static final String HAND_OVER = "io.declock.internal.protocol.HandOver";
    private static final String SELF_CHECK = "io.declock.internal.protocol.SelfCheck";
    private static final String RUN = "io.declock.internal.protocol.ResetRun";
    private static final String RESET = "io.declock.internal.protocol.LockReset";
    private static final String TENURE = "io.declock.internal.protocol.Tenure";
    private static final String HOLD = "io.declock.internal.local.Hold";
    private static final String MINIMUM = "io.declock.internal.node.MinimumHold";
    private static final String LOCAL = "io.declock.internal.local.LocalLock";
    private static final String LOCK_VALUE = "io.declock.internal.local.LockValue";
    private static final String STORE = "io.declock.internal.node.GuardedStore";
    private static final String TURN = "io.declock.internal.local.Turn";
    private static final String HEADER = "io.declock.internal.layout.LockHeader";
    private static final String ENTRY = "io.declock.internal.layout.QueueEntry";
    private static final String CLAIM = "io.declock.internal.layout.ResetClaim";
    private static final String SERVER = "io.declock.internal.memorynode.";
    private static final String RELOCATION = "io.declock.internal.node.Relocation";
    private static final String ELECTION = "io.declock.internal.election.";
    private static final String CHAINS = "io.declock.internal.chains.";
    private static final String SIMULATION = "io.declock.simulation.";

    private Mutations() {}

    static final List<Mutation> CAUGHT = List.of(
            // A: queue and hand-over
            Mutation.of(
                    "A1",
                    "the successor is this node's own index + 1",
                    Scenario.CALM,
                    HAND_OVER,
                    "afterRelease",
                    Sabotage.FromOwnIndex.class),
            Mutation.of(
                    "A2", "an entry's version is ignored", Scenario.CALM, ENTRY, "isValid", Sabotage.AnyVersion.class),
            Mutation.of(
                    "A2",
                    "an unfilled entry is treated as a reader's",
                    Scenario.NOTIFIED,
                    HAND_OVER,
                    "grantWriter",
                    Done.class),
            Mutation.of("A3", "no self-check", Scenario.UNSUSPICIOUS, SELF_CHECK, "judge", Sabotage.SeesNothing.class),
            Mutation.of(
                    "A3",
                    "a writer that is next takes the lock",
                    Scenario.CALM,
                    SELF_CHECK,
                    "judge",
                    Sabotage.NextIsEnough.class),
            Mutation.of(
                    "A3",
                    "a reader does not check for writers before it",
                    Scenario.CALM,
                    SELF_CHECK,
                    "everyWriterBehind",
                    Yes.class),
            Mutation.of(
                    "A3",
                    "a reader trusts the entries before it",
                    Scenario.UPGRADES,
                    SELF_CHECK,
                    "everyWriterBehind",
                    Sabotage.TrustsEntriesBefore.class),
            Mutation.of(
                            "A4",
                            "only sent grants help, no self-check and no reset",
                            Scenario.LOSSY,
                            SELF_CHECK,
                            "judge",
                            Sabotage.SeesNothing.class)
                    .and("io.declock.internal.session.ResetCoordinator", "request", Nothing.class),
            Mutation.of(
                    "A3",
                    "a missing entry is not written again",
                    Scenario.OVERWRITTEN,
                    SELF_CHECK,
                    "judge",
                    Sabotage.LeavesEntryMissing.class),
            Mutation.of(
                    "A3",
                    "a newer entry is treated as an unfilled one",
                    Scenario.ROUND_THE_RING,
                    ENTRY,
                    "isNewer",
                    No.class),
            Mutation.of(
                    "A5", "a grant's index is ignored", Scenario.LOSSY, POSITION, "isMeantBy", Sabotage.AnyIndex.class),
            Mutation.of(
                    "A5, B5",
                    "a grant's epoch is ignored",
                    Scenario.LATE_GRANTS,
                    POSITION,
                    "isMeantBy",
                    Sabotage.AnyEpoch.class),
            Mutation.of(
                    "A6",
                    "a request is pending only after its entry was written",
                    Scenario.NOTIFIED,
                    PENDING,
                    "accepts",
                    Sabotage.PendingAfterWrite.class),
            Mutation.of(
                    "A7",
                    "a writer does not wait for entries to be filled",
                    Scenario.NOTIFIED,
                    HAND_OVER,
                    "grantFollowers",
                    Done.class),
            Mutation.of(
                    "A8",
                    "entries newer than the header are counted",
                    Scenario.TORN,
                    SELF_CHECK,
                    "everyWriterBehind",
                    Sabotage.TakesReadForSnapshot.class),
            Mutation.of(
                    "A9",
                    "an entry is written into another waiter's slot",
                    Scenario.OVERFLOW,
                    PENDING,
                    "isFree",
                    Yes.class),
            // B: reset
            Mutation.of(
                    "B1",
                    "a position taken during a reset counts",
                    Scenario.JOINS,
                    ACQUISITION,
                    "isTakenInReset",
                    No.class),
            Mutation.of(
                    "B2",
                    "the data plane of a dead node is not cut",
                    Scenario.CUT_OFF,
                    SERVER + "DataPlaneGate",
                    "enter",
                    Yes.class),
            Mutation.of(
                    "B3", "a hold is acknowledged as no hold", Scenario.RESETS, POSITION, "holdForReset", Zero.class),
            Mutation.of(
                    "B3, B12.3",
                    "the local level continues during a reset",
                    Scenario.RESETS,
                    CQL,
                    "isFrozen",
                    No.class),
            Mutation.of(
                    "B4",
                    "an acknowledgement ignores operations in flight",
                    Scenario.RESETS,
                    STATE,
                    "isChanging",
                    No.class),
            Mutation.of(
                    "B6",
                    "a waiter keeps its position when a reset is signalled",
                    Scenario.RESETS,
                    POSITION,
                    "abortWaiting",
                    Nothing.class),
            Mutation.of(
                    "B6",
                    "an FAA that completes after the signal waits",
                    Scenario.EVERYTHING,
                    ACQUISITION,
                    "mayWait",
                    Yes.class),
            Mutation.of(
                    "B7",
                    "the header is changed before the queue is clear",
                    Scenario.NOTIFIED_RESETS,
                    SIMULATION + "WatchedRegion",
                    "execute",
                    Sabotage.WritesLate.class),
            Mutation.of(
                    "B8",
                    "a reset writes the header without a condition",
                    Scenario.RESETS,
                    SIMULATION + "WatchedRegion",
                    "execute",
                    Sabotage.SwapsBlindly.class),
            Mutation.of(
                    "B9",
                    "members are fetched before the mark",
                    Scenario.JOINS,
                    RUN,
                    "fetchMembers",
                    Sabotage.OldMembersWhileMarking.class),
            Mutation.of(
                            "B9",
                            "members are not updated while answers are awaited",
                            Scenario.CRASHES,
                            RUN,
                            "fetchMembers",
                            Sabotage.OldMembersWhileSignalling.class)
                    .and(RESET, "membershipChanged", Nothing.class),
            Mutation.of("B9", "a signal is sent once", Scenario.EVERYTHING, RUN, "later", Sabotage.SignalsOnce.class),
            Mutation.of(
                    "B9",
                    "the memory node forgets which members know a record",
                    Scenario.RESETS,
                    SERVER + "KnownRecords",
                    "contains",
                    No.class),
            Mutation.of(
                    "B10, C4",
                    "no member is asked before a reset",
                    Scenario.LONG_HOLDS,
                    "io.declock.internal.protocol.ResetReason",
                    "asksFirst",
                    No.class),
            Mutation.of(
                    "B10",
                    "a waiter is treated as a holder",
                    Scenario.CRASHES,
                    POSITION,
                    "holdsIn",
                    Sabotage.WaitingIsHolding.class),
            Mutation.of(
                    "B10",
                    "a waiting position is not claimed",
                    Scenario.LONG_HOLDS,
                    CQL,
                    "claimIn",
                    Sabotage.ClaimsOnlyHolds.class),
            Mutation.of(
                    "B10",
                    "positions are counted in a queue that moves",
                    Scenario.LONG_HOLDS,
                    "io.declock.internal.protocol.HoldQuestion",
                    "hasMorePositionsThanClaimed",
                    Sabotage.CountsInAMovingQueue.class),
            Mutation.of(
                    "B10",
                    "a caller that only tries does not ask the members",
                    Scenario.DEAD_ONLY,
                    TRYING,
                    "findsTaken",
                    Nothing.class),
            Mutation.of(
                    "B10",
                    "the end of a member does not cause a question",
                    Scenario.DEAD_ONLY,
                    "io.declock.internal.protocol.Suspicion",
                    "memberEnded",
                    Nothing.class),
            Mutation.of(
                    "B10",
                    "only the end of a member causes a question",
                    Scenario.LATE_COMERS,
                    "io.declock.internal.protocol.Suspicion",
                    "isNew",
                    No.class),
            Mutation.of(
                    "B10",
                    "after a first question, later ones wait",
                    Scenario.DEAD_ONLY,
                    "io.declock.internal.protocol.Suspicion",
                    "isImpatient",
                    No.class),
            Mutation.of(
                    "B14", "a living initiator's claim is taken over", Scenario.JOINS, RESET, "isMembers", No.class),
            Mutation.of(
                    "B14",
                    "a claim of the present epoch is taken for an earlier one",
                    Scenario.JOINS,
                    RESET,
                    "isOfEarlierEpoch",
                    Yes.class),
            Mutation.of(
                    "B14", "a claim that led to no reset is kept", Scenario.EVERYTHING, RESET, "giveUp", Nothing.class),
            Mutation.of(
                            "B16",
                            "a claim does not name the incarnation, and a node id is assigned again at once",
                            Scenario.SUCCEEDED,
                            CLAIM,
                            "pack",
                            Sabotage.NoIncarnation.class)
                    .and(SERVER + "NodeIds", "free", Sabotage.NeverRests.class)
                    .and(CLAIM, "isOf", Sabotage.SameNode.class),
            Mutation.of(
                    "B11",
                    "a release that found a reset grants",
                    Scenario.RESETS,
                    SUCCESSORS,
                    "mayGrantAfter",
                    Yes.class),
            Mutation.of("B12.1", "a release is not deferred", Scenario.RESETS, STATE, "keepsHold", No.class),
            Mutation.of(
                    "B12.2",
                    "a deferred release is forgotten",
                    Scenario.RESETS,
                    POSITION,
                    "holdForReset",
                    Sabotage.ForgetsPutOff.class),
            Mutation.of(
                    "B13",
                    "the end of the index range does not stop acquisitions",
                    Scenario.WALL,
                    STATE,
                    "isWalled",
                    No.class),
            // C: the parts in this simulation
            Mutation.of(
                    "C1",
                    "a node does not check its own lease",
                    Scenario.CUT_OFF,
                    "io.declock.internal.session.NodeSession",
                    "leaseValid",
                    Yes.class),
            Mutation.of(
                    "C1",
                    "the lease counts from the answer to a heartbeat",
                    Scenario.HALF_HEALED,
                    "io.declock.internal.session.OwnLease",
                    "renewed",
                    Sabotage.RenewsFromAnswer.class),
            Mutation.of(
                    "C1",
                    "an expired lease counts again when the clock goes back",
                    Scenario.BROKEN_CLOCKS,
                    "io.declock.internal.session.OwnLease",
                    "leftAt",
                    Sabotage.LeaseComesBack.class),
            Mutation.of(
                    "C1, B2",
                    "the data plane is not cut behind a broken clock",
                    Scenario.BROKEN_CLOCKS,
                    SERVER + "DataPlaneGate",
                    "enter",
                    Yes.class),
            Mutation.of(
                    "C2",
                    "an entry's incarnation is ignored",
                    Scenario.STALE_ENTRIES,
                    ENTRY,
                    "sameIncarnation",
                    Yes.class),
            Mutation.of(
                    "C3",
                    "a memory node that lost its memory serves at once",
                    Scenario.ERASED,
                    SERVER + "OldLeases",
                    "check",
                    Nothing.class),
            Mutation.of(
                    "C3, C5",
                    "a memory node that lost its memory begins at the same epoch",
                    Scenario.RESTARTS,
                    SERVER + "HighWaterMark",
                    "current",
                    Sabotage.SameEpoch.class),
            Mutation.of(
                    "C3, C5",
                    "compute nodes report the epochs of names, not of resets",
                    Scenario.ERASED,
                    "io.declock.internal.session.NodeSession",
                    "sawEpoch",
                    Nothing.class),
            Mutation.of("C5", "local grants share a token", Scenario.CALM, TENURE, "nextToken", Nothing.class),
            Mutation.of("C5", "the local sequence overflows", Scenario.LOCAL_ONLY, TENURE, "hasNextToken", Yes.class),
            Mutation.of(
                    "C5",
                    "an upgrade repeats a reader's token",
                    Scenario.CALM,
                    TENURE,
                    "upgrade",
                    Sabotage.UpgradesToFirstToken.class),
            Mutation.of(
                    "C5",
                    "a token does not carry the epoch",
                    Scenario.BROKEN_CLOCKS,
                    "io.declock.internal.layout.FencingToken",
                    "pack",
                    Sabotage.TokenWithoutEpoch.class),
            Mutation.of(
                    "C5",
                    "the resource checks no token",
                    Scenario.BROKEN_CLOCKS,
                    SIMULATION + "FenceChecker",
                    "accepts",
                    Yes.class),
            Mutation.of(
                    "C6",
                    "a process joins again and keeps its holds",
                    Scenario.DISCONNECTS,
                    "io.declock.internal.session.NodeSession",
                    "lose",
                    Nothing.class),
            Mutation.of(
                    "C6, B2",
                    "a session is replaced while its verbs can still land",
                    Scenario.DISCONNECTS,
                    SERVER + "DataPlaneGate",
                    "enter",
                    Yes.class),
            Mutation.of(
                    "C6",
                    "an overtaken request to join is granted",
                    Scenario.LATE_JOINS,
                    SERVER + "Admission",
                    "isOvertaken",
                    No.class),
            Mutation.of(
                    "C7",
                    "a memory node does not ask for its predecessor",
                    Scenario.OVERLAP,
                    SERVER + "Predecessors",
                    "check",
                    Nothing.class),
            Mutation.of(
                    "C11",
                    "names of a memory node that was not joined go to another one",
                    Scenario.SPREAD,
                    "io.declock.internal.node.MemoryNodeLinks",
                    "linkWith",
                    Sabotage.JoinedInstead.class),
            Mutation.of(
                    "C9",
                    "a veto against reclaiming a record is ignored",
                    Scenario.RECLAIM,
                    SERVER + "ReclaimRound",
                    "keep",
                    Nothing.class),
            Mutation.of(
                    "C9",
                    "a compute node vetoes no record",
                    Scenario.RECLAIM,
                    "io.declock.internal.node.LockTable",
                    "forget",
                    Yes.class),
            // D: callers
            Mutation.of("D4", "closing forgets the waiters", Scenario.DRAIN, LOCAL, "shutDown", Nothing.class),
            Mutation.of(
                    "D1",
                    "a writer does not check for readers",
                    Scenario.CALM,
                    HEADER,
                    "grants",
                    Sabotage.IgnoresReaders.class),
            Mutation.of(
                    "D1", "an orphaned position is kept", Scenario.CALM, LOCAL, "granted", Sabotage.KeepsOrphan.class),
            Mutation.of(
                    "D2",
                    "a reentrant caller queues",
                    Scenario.CALM,
                    "io.declock.internal.local.Arrival",
                    "reenter",
                    Nothing.class),
            Mutation.of(
                    "D3",
                    "an upgrade does not check for other holders",
                    Scenario.CALM,
                    CONVERSION,
                    "isAlone",
                    Sabotage.NotAlone.class),
            Mutation.of(
                    "D3",
                    "a downgrade notifies no waiter",
                    Scenario.NOTIFIED,
                    HAND_OVER,
                    "afterDowngrade",
                    Sabotage.NobodyBehind.class),
            // E: the two levels
            Mutation.of("E1", "shared becomes exclusive locally", Scenario.CALM, TURN, "mustReacquire", No.class),
            Mutation.of(
                    "E2",
                    "a second position is taken",
                    Scenario.CALM,
                    HEADER,
                    "requeue",
                    Sabotage.KeepsOldPosition.class),
            Mutation.of(
                    "E5",
                    "local grants may pass a remote waiter without bound",
                    Scenario.CALM,
                    TENURE,
                    "isUnsureBeyond",
                    No.class),
            Mutation.of("E5", "no check for remote waiters", Scenario.CALM, TENURE, "mayBePreceded", No.class),
            Mutation.of(
                    "E5", "known remote waiters are passed", Scenario.CALM, TENURE, "remoteIsEarlierThan", No.class),
            Mutation.of(
                    "E5",
                    "local grants may pass a known waiter without bound",
                    Scenario.CALM,
                    TENURE,
                    "mayPassKnown",
                    Yes.class),
            Mutation.of(
                    "E9",
                    "readers pass a writer without bound",
                    Scenario.CALM,
                    "io.declock.internal.local.LocalWaiter",
                    "mayBePassed",
                    Yes.class),
            // F: pre-armed hand-over
            Mutation.of(
                    "F",
                    "a writer behind readers is granted in advance",
                    Scenario.CALM,
                    SUCCESSORS,
                    "isBehindReaders",
                    No.class),
            Mutation.of(
                    "F, B12.3",
                    "a writer grants in advance during a reset",
                    Scenario.LATE_ANSWERS,
                    SUCCESSORS,
                    "mayPreArm",
                    Sabotage.PreArmsInReset.class),
            // G: resumption
            Mutation.of(
                    "G1",
                    "the next connection does not wait for the last one's verbs",
                    Scenario.RESUMPTIONS,
                    SERVER + "DataPlaneGate",
                    "close",
                    Sabotage.QuietAtOnce.class),
            Mutation.of(
                    "G1",
                    "a chain of the last connection is executed late",
                    Scenario.RESUMPTIONS,
                    SERVER + "DataPlaneGate",
                    "enter",
                    Yes.class),
            Mutation.of(
                    "G1, G3",
                    "a session ends with its connection",
                    Scenario.RESUMPTIONS,
                    SERVER + "SessionTable",
                    "detach",
                    Sabotage.ExpelsTheDetached.class),
            Mutation.of(
                            "G2",
                            "executed chains are executed again",
                            Scenario.RESUMPTIONS,
                            CHAINS + "ChainWindow",
                            "resume",
                            Sabotage.ResumesAtOldest.class)
                    .and(CHAINS + "ExecutedChains", "begin", Sabotage.AnyNumber.class)
                    .and(CHAINS + "ExecutedChains", "replay", Nothing.class),
            Mutation.of(
                            "G2",
                            "chains that were not executed are not sent again",
                            Scenario.RESUMPTIONS,
                            CHAINS + "ChainWindow",
                            "resume",
                            Sabotage.SendsNothingAgain.class)
                    .and(CHAINS + "ExecutedChains", "begin", Sabotage.AnyNumber.class),
            Mutation.of(
                    "G2",
                    "the results of executed chains are not sent again",
                    Scenario.RESUMPTIONS,
                    CHAINS + "ExecutedChains",
                    "replay",
                    Nothing.class),
            Mutation.of(
                    "G2",
                    "unanswered requests are not sent again",
                    Scenario.RESUMPTIONS,
                    SIMULATION + "SimulatedRequests",
                    "resumed",
                    Nothing.class),
            Mutation.of(
                    "G3",
                    "a resumption renews the lease",
                    Scenario.RESUMED_LATE,
                    SIMULATION + "SimulatedSession",
                    "resumed",
                    Sabotage.ResumptionRenews.class),
            Mutation.of(
                    "G3",
                    "a session without a connection vetoes no record",
                    Scenario.RESUMED_RECLAIM,
                    SERVER + "ReclaimRound",
                    "keepKnown",
                    Nothing.class),
            Mutation.of(
                    "G1",
                    "the next connection does not wait for the verbs of the adapter's last one",
                    Scenario.REPLACEMENTS,
                    SERVER + "DataPlaneGate",
                    "close",
                    Sabotage.QuietAtOnce.class),
            Mutation.of(
                    "G6",
                    "no reset follows an operation of unknown outcome",
                    Scenario.REPLACEMENTS,
                    STATE,
                    "doubt",
                    Nothing.class),
            Mutation.of("G6", "a lock in doubt is used as before", Scenario.REPLACEMENTS, STATE, "isInDoubt", No.class),
            Mutation.of(
                    "G6",
                    "every epoch that is learnt ends the doubt",
                    Scenario.REPLACEMENTS,
                    "io.declock.internal.protocol.ResetMember",
                    "staysInDoubt",
                    No.class),
            Mutation.of(
                    "G6",
                    "a step of a reset is not repeated",
                    Scenario.REPLACEMENTS,
                    RUN + "$Step",
                    "outcomeUnknown",
                    Nothing.class),
            Mutation.of(
                    "G6", "the own claim is taken for another one's", Scenario.REPLACEMENTS, RESET, "isOwn", No.class),
            // R: reservations
            Mutation.of(
                    "R1",
                    "a position is given back before its reservation has ended",
                    Scenario.MINIMUMS,
                    MINIMUM,
                    "askEnd",
                    Sabotage.GivesBackFirst.class),
            Mutation.of(
                    "R2",
                    "the memory node takes no position over",
                    Scenario.MINIMUMS,
                    SERVER + "Trustee",
                    "has",
                    Nothing.class),
            Mutation.of(
                    "R2",
                    "a reset goes on when a user has ended, without looking who is a user in its place",
                    Scenario.MINIMUMS,
                    RUN,
                    "toMembers",
                    No.class),
            Mutation.of(
                    "R2",
                    "a restored hold that is reserved ends with its session",
                    Scenario.MINIMUMS,
                    SERVER + "Claims",
                    "isOver",
                    Sabotage.OverWithItsSession.class),
            Mutation.of(
                    "R3",
                    "a position is given back during a reset that counts it",
                    Scenario.MINIMUMS,
                    SERVER + "Trustee",
                    "mustWait",
                    No.class),
            Mutation.of(
                    "R3",
                    "the memory node gives nothing back",
                    Scenario.MINIMUMS,
                    SERVER + "Trustee",
                    "giveBack",
                    Nothing.class),
            Mutation.of(
                    "R4",
                    "an owner enters a lock again that it has released",
                    Scenario.MINIMUMS,
                    HOLD,
                    "isOnlyReserved",
                    No.class),
            // V: values of guarded locks
            Mutation.of(
                    "V1",
                    "a value is stored by a position that was given back",
                    Scenario.VALUES_ENDED,
                    SERVER + "Values",
                    "checkPosition",
                    Nothing.class),
            Mutation.of(
                    "V3",
                    "a value that was read before the lock was held counts",
                    Scenario.VALUES,
                    STORE,
                    "shows",
                    Yes.class),
            Mutation.of(
                    "V4",
                    "the copy of another position counts",
                    Scenario.VALUES,
                    LOCK_VALUE + "$Copy",
                    "isOf",
                    Yes.class),
            Mutation.of(
                    "V4",
                    "the copy is read while another value is being stored",
                    Scenario.VALUES,
                    LOCK_VALUE,
                    "isBusy",
                    No.class),
            Mutation.of(
                    "V5",
                    "the value is told behind another writer",
                    Scenario.VALUES,
                    HAND_OVER,
                    "hadWriterBetween",
                    No.class),
            Mutation.of(
                    "V5",
                    "the former value is told while another one is being stored",
                    Scenario.VALUES,
                    LOCK_VALUE,
                    "isConfirmed",
                    Yes.class),
            Mutation.of(
                            "V5",
                            "a value is told that the memory node has not confirmed",
                            Scenario.VALUES_ENDED,
                            LOCK_VALUE,
                            "isConfirmed",
                            Yes.class)
                    .and(STORE, "post", Sabotage.KnowsBeforeTheAnswer.class)
                    .and(LOCAL, "mayStoreYet", No.class),
            Mutation.of(
                    "V5",
                    "the lock is granted beforehand while a value is being stored",
                    Scenario.VALUES_ENDED,
                    LOCAL,
                    "mayStoreYet",
                    No.class),
            Mutation.of(
                    "V5",
                    "what a grant of another position tells is believed",
                    Scenario.VALUES,
                    PENDING,
                    "accepts",
                    Sabotage.BelievesEveryGrant.class),
            // H: the memory node's next life
            Mutation.of(
                    "H1",
                    "a compute node joins before it is on the list",
                    Scenario.MOVES_OFTEN,
                    SERVER + "Listing",
                    "add",
                    Sabotage.JoinsUnlisted.class),
            Mutation.of(
                    "H1",
                    "the mark of epochs is not written down",
                    Scenario.LISTED_DEATHS,
                    SERVER + "Listing",
                    "raiseMark",
                    Nothing.class),
            Mutation.of("H2", "there is no grace", Scenario.MOVES_OFTEN, SERVER + "Grace", "isOver", Yes.class),
            Mutation.of(
                    "H2",
                    "the grace does not wait for members that do not move",
                    Scenario.MOVES_OFTEN,
                    SERVER + "Grace",
                    "deadline",
                    Sabotage.DueAtOnce.class),
            Mutation.of(
                    "H3",
                    "a restored hold is handed on during the grace",
                    Scenario.MOVES_OFTEN,
                    CQL,
                    "restored",
                    Sabotage.NotFrozen.class),
            Mutation.of(
                    "H4",
                    "a lock is not frozen for the next life",
                    Scenario.MOVES_OFTEN,
                    "io.declock.internal.local.LocalState",
                    "suspend",
                    Nothing.class),
            Mutation.of(
                    "H8",
                    "waiters do not ask anew in the next life",
                    Scenario.MOVES_OFTEN,
                    "io.declock.internal.local.Moving",
                    "startOver",
                    Nothing.class),
            Mutation.of(
                    "H5",
                    "the record of a restored hold is not written",
                    Scenario.MOVES_OFTEN,
                    SERVER + "Claims",
                    "store",
                    Nothing.class),
            Mutation.of(
                    "H5",
                    "a hold counts before its compute node has moved",
                    Scenario.MOVES_SLOWLY,
                    SERVER + "Grace",
                    "counts",
                    Yes.class),
            // H: stand-bys
            Mutation.of(
                            "H6",
                            "a candidate does not look at its term",
                            Scenario.PROMISES,
                            ELECTION + "Mandate",
                            "lasts",
                            Sabotage.OnlyYes.class)
                    .and(ELECTION + "TermKeeper", "watch", Nothing.class),
            Mutation.of(
                    "H6",
                    "a candidate counts on its term for ten leases",
                    Scenario.PROMISES,
                    ELECTION + "CandidateBasics",
                    "counted",
                    Sabotage.CountsOnMore.class),
            Mutation.of(
                    "H7",
                    "the former life takes its members off the list",
                    Scenario.ELECTIONS,
                    SERVER + "MemoryNode",
                    "breakOff",
                    Sabotage.Unlists.class),
            Mutation.of(
                    "H9",
                    "a candidate promises although it may be elected",
                    Scenario.PROMISES,
                    ELECTION + "CandidateState",
                    "promise",
                    Yes.class),
            Mutation.of(
                    "H9",
                    "a candidate is elected although it has promised",
                    Scenario.PROMISES,
                    ELECTION + "CandidateState",
                    "promise",
                    Sabotage.ForgetsPromise.class),
            Mutation.of(
                    "H9",
                    "a candidate that starts forgets what it may have promised",
                    Scenario.PROMISES,
                    ELECTION + "CandidateState",
                    "start",
                    Sabotage.ForgetsPromise.class),
            Mutation.of(
                    "H9",
                    "a term goes on without promises",
                    Scenario.PROMISES,
                    ELECTION + "TermKeeper",
                    "askForPromises",
                    Sabotage.AsksNobody.class),
            // M: another list of memory nodes
            Mutation.of(
                    "M1",
                    "a memory node agrees to two lists of one number",
                    Scenario.LISTS,
                    SERVER + "ListAgreement",
                    "checkAgreed",
                    Nothing.class),
            Mutation.of(
                    "M2",
                    "a compute node answers for a lock that has left",
                    Scenario.LISTS,
                    "io.declock.internal.session.SessionLocks",
                    "hasDeparted",
                    No.class),
            Mutation.of(
                    "M3",
                    "a list is declared before the holds are restored",
                    Scenario.LISTS,
                    RELOCATION + "$Departure",
                    "isLast",
                    Yes.class),
            Mutation.of(
                    "M4",
                    "a source does not wait for compute nodes",
                    Scenario.LISTS,
                    SERVER + "SessionTable",
                    "undeclared",
                    Zero.class),
            Mutation.of(
                    "M4",
                    "a target does not wait for the source",
                    Scenario.LISTS,
                    SERVER + "TakingOver",
                    "park",
                    Sabotage.OnlyNo.class),
            Mutation.of(
                    "M4",
                    "the epochs of the source are not told",
                    Scenario.LISTS,
                    SERVER + "GivingUp",
                    "raiseAbove",
                    Nothing.class),
            Mutation.of(
                    "M5",
                    "a memory node forgets its list",
                    Scenario.LISTS,
                    SERVER + "CurrentList",
                    "begin",
                    Nothing.class),
            Mutation.of(
                    "M5",
                    "a memory node resolves names of others",
                    Scenario.LISTS,
                    SERVER + "CurrentList",
                    "isHome",
                    Yes.class),
            Mutation.of(
                    "M6",
                    "locks are bound by the answer to a former mapping",
                    Scenario.LISTS,
                    "io.declock.internal.node.Mapping",
                    "is",
                    Yes.class),
            Mutation.of(
                    "M6",
                    "names are looked up at a memory node without the list",
                    Scenario.LISTS,
                    "io.declock.internal.node.Mapping",
                    "mayAsk",
                    Yes.class),
            Mutation.of(
                    "M7",
                    "a list is not confirmed once another one has followed",
                    Scenario.LISTS_RESUMED,
                    SERVER + "NameTransfer",
                    "hasDeclaredBefore",
                    No.class),

            // K: kept positions
            Mutation.of(
                    "K1", "a position is kept although somebody waits", Scenario.KEPT, KEEPING, "isAlone", Yes.class),
            Mutation.of("K2", "a newcomer does not ask for a kept lock", Scenario.KEPT, ENTRY, "isKept", No.class),
            Mutation.of("K3", "a wish for a kept lock is ignored", Scenario.KEPT, KEEPING, "isMeant", No.class),
            Mutation.of(
                    "K6",
                    "the head is not moved on for the tokens of a kept position",
                    Scenario.KEPT,
                    POSITION,
                    "moveOn",
                    Nothing.class),
            Mutation.of(
                    "K7",
                    "a shared position is kept although a writer waits",
                    Scenario.KEPT,
                    KEEPING,
                    "hasNoWriter",
                    Yes.class),
            Mutation.of("K7", "a writer does not ask readers", Scenario.KEPT, WANTING, "isMarked", No.class));

    /** Rules that matter only when another rule is broken. */
    static final List<SecondLine> SECOND_LINES = List.of(SecondLine.of(
            Mutation.of(
                    "B6",
                    "a waiter that gave up accepts its grant",
                    Scenario.STEADY_RESETS,
                    POSITION,
                    "isMeantBy",
                    Sabotage.TakesGrantTooLate.class),
            "B6, B11",
            "and a release that found a reset grants",
            SUCCESSORS,
            "mayGrantAfter",
            Yes.class));
}
