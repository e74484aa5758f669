// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.layout.FencingToken;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.layout.ResetClaim;
import io.declock.internal.local.Footing;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.protocol.CqlUpper;
import io.declock.internal.protocol.Effects;
import io.declock.internal.protocol.PositionState;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.time.Clock;
import io.declock.spi.GrantedValue;
import io.declock.spi.PeerMessage;
import io.declock.spi.StoredValue;
import io.declock.spi.VerbResults;
import java.util.List;
import java.util.function.Consumer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The advice that mutations weave in. Bodies are inlined into the mutated methods, so they may use only what is visible there. */
public final class Sabotage {
    private Sabotage() {}

    /** The method returns true. */
    public static final class Yes {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = true;
        }
    }

    /** The method returns false. */
    public static final class No {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = false;
        }
    }

    /** The method returns zero. */
    public static final class Zero {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int result) {
            result = 0;
        }
    }

    /** The method does nothing. */
    public static final class Nothing {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** The method does nothing and returns true. */
    public static final class OnlyYes {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = true;
        }
    }

    /** The method does nothing and returns false. */
    public static final class OnlyNo {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** H1: the answer to a request to join does not wait for the list of members. */
    public static final class JoinsUnlisted {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object session) {
            Sabotage.call(session, "listed");
        }
    }

    /** R2: a restored hold is over when its session has ended. */
    public static final class OverWithItsSession {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object claim,
                @Advice.Return(readOnly = false) boolean over) {
            over = Sabotage.isGone(claim);
        }
    }

    /** Returns whether the session of a claim has ended. */
    public static boolean isGone(Object claim) {
        try {
            var session = claim.getClass().getDeclaredMethod("session");
            session.setAccessible(true);
            Object of = session.invoke(claim);
            var gone = of.getClass().getDeclaredField("gone");
            gone.setAccessible(true);
            return gone.getBoolean(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** R1: the position is given back at once. */
    public static final class GivesBackFirst {
        @Advice.OnMethodEnter
        static void enter(@Advice.This Object minimum) {
            Sabotage.call(minimum, "giveBack");
        }
    }

    /** Calls a method without arguments that is not public. */
    public static void call(Object target, String method) {
        try {
            var declared = target.getClass().getDeclaredMethod(method);
            declared.setAccessible(true);
            declared.invoke(target);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** V5: the value that is being stored counts as stored. */
    public static final class KnowsBeforeTheAnswer {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(0) Hold hold, @Advice.Argument(1) Footing footing, @Advice.Argument(2) byte[] bytes) {
            Sabotage.knows(hold, footing, bytes);
        }
    }

    /** Has a process know a value. */
    public static void knows(Hold hold, Footing footing, byte[] bytes) {
        HeldLock.underMutex(hold, value -> value.learn(footing, new StoredValue(hold.token(), "early", bytes)));
    }

    /** V5: a grant that is not accepted is believed all the same. */
    public static final class BelievesEveryGrant {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object lock,
                @Advice.Argument(1) PeerMessage grant) {
            Sabotage.believe(lock, grant);
        }
    }

    /** Has the level above a lock believe what a grant tells. */
    public static void believe(Object lock, PeerMessage grant) {
        GrantedValue told = grant.value();
        if (told == null) {
            return;
        }
        try {
            var upper = lock.getClass().getDeclaredField("upper");
            upper.setAccessible(true);
            ((CqlUpper) upper.get(lock)).told(told);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** H2: a member of the former life is given no time. */
    public static final class DueAtOnce {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("startedAt") long startedAt, @Advice.Return(readOnly = false) long result) {
            result = startedAt;
        }
    }

    /** H3: a restored hold is as one that was granted in this session. */
    public static final class NotFrozen {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(typing = Assigner.Typing.DYNAMIC) Object side) {
            try {
                var field = side.getClass().getDeclaredField("lock");
                field.setAccessible(true);
                Sabotage.call(field.get(side), "thaw");
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** H6: a candidate counts on its term for longer than the engine's lease. */
    public static final class CountsOnMore {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long sentAt, @Advice.Return(readOnly = false) long result) {
            result = sentAt + 10 * (result - sentAt);
        }
    }

    /** H7: a memory node whose term ends takes its members off the list. */
    public static final class Unlists {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue(value = "sessions", typing = Assigner.Typing.DYNAMIC) Object sessions,
                @Advice.FieldValue(value = "listing", typing = Assigner.Typing.DYNAMIC) Object listing) {
            Sabotage.unlist(sessions, listing);
        }
    }

    /** Takes every session of a table off a list. */
    public static void unlist(Object table, Object listing) {
        try {
            var snapshot = table.getClass().getDeclaredMethod("snapshot");
            snapshot.setAccessible(true);
            for (Object session : (List<?>) snapshot.invoke(table)) {
                var remove = listing.getClass().getDeclaredMethod("remove", session.getClass());
                remove.setAccessible(true);
                remove.invoke(listing, session);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** H9: a candidate forgets what it has promised. */
    public static final class ForgetsPromise {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "promisedUntil", readOnly = false) long promisedUntil) {
            promisedUntil = 0;
        }
    }

    /** H9: a term is extended as if every other candidate had promised. */
    public static final class AsksNobody {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue(value = "basics", typing = Assigner.Typing.DYNAMIC) Object basics,
                @Advice.FieldValue(value = "mandate", typing = Assigner.Typing.DYNAMIC) Object mandate) {
            Sabotage.extend(basics, mandate);
        }
    }

    /** Extends a mandate by a lease from now on. */
    public static void extend(Object basics, Object mandate) {
        try {
            var clock = basics.getClass().getDeclaredField("clock");
            clock.setAccessible(true);
            var counted = basics.getClass().getDeclaredMethod("counted", long.class);
            counted.setAccessible(true);
            var extend = mandate.getClass().getDeclaredMethod("extend", long.class);
            extend.setAccessible(true);
            extend.invoke(mandate, counted.invoke(basics, ((Clock) clock.get(basics)).nanoTime()));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The decision to refetch becomes the decision to stop. */
    public static final class Done {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
            result = Sabotage.named(result, "REFETCH", "DONE");
        }
    }

    /** Replaces one constant by another. */
    public static Object named(Object result, String from, String to) {
        if (!result.toString().equals(from)) {
            return result;
        }
        for (Object constant : ((Enum<?>) result).getDeclaringClass().getEnumConstants()) {
            if (constant.toString().equals(to)) {
                return constant;
            }
        }
        throw new IllegalStateException("no " + to);
    }

    /** C11: a name whose memory node was never joined goes to one that was. */
    public static final class JoinedInstead {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result,
                @Advice.FieldValue("links") List<MemoryNodeLink> links) {
            result = Sabotage.joinedInstead(result, links);
        }
    }

    /** Returns a link that was joined, if one was not. */
    public static Object joinedInstead(Object link, List<MemoryNodeLink> links) {
        return link != null && !((MemoryNodeLink) link).memoryNodeId().isEmpty()
                ? link
                : links.stream()
                        .filter(other -> !other.memoryNodeId().isEmpty())
                        .findFirst()
                        .orElse(null);
    }

    /** A1: the successor is counted from the node's own index. */
    public static final class FromOwnIndex {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) long found, @Advice.Argument(3) int own) {
            long fromOwn = LockHeader.pack(
                    LockHeader.epoch(found), own, LockHeader.tail(found) - own, LockHeader.writers(found));
            found = LockHeader.isInReset(found) ? LockHeader.inReset(fromOwn) : fromOwn;
        }
    }

    /** A2: any version is accepted. */
    public static final class AnyVersion {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(0) long entry, @Advice.Argument(value = 1, readOnly = false) int version) {
            version = QueueEntry.version(entry);
        }
    }

    /** A3: a waiter never finds its grant by a self-check. */
    public static final class SeesNothing {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
            result = Sabotage.named(Sabotage.named(result, "GRANTED", "WAIT"), "ENTRY_MISSING", "WAIT");
        }
    }

    /** A3: a missing entry stays missing. */
    public static final class LeavesEntryMissing {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
            result = Sabotage.named(result, "ENTRY_MISSING", "WAIT");
        }
    }

    /** A3: a writer that is next takes the lock. */
    public static final class NextIsEnough {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(2) int index,
                @Advice.Argument(3) boolean exclusive,
                @Advice.Argument(4) VerbResults record,
                @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
            if (exclusive && LockHeader.head(record.word(0, 0)) + 1 == index) {
                result = Sabotage.named(result, "WAIT", "GRANTED");
            }
        }
    }

    /** A3 and D3: a reader trusts that the entries before it show the modes of the positions. */
    public static final class TrustsEntriesBefore {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) RecordLayout layout,
                @Advice.Argument(1) long epoch,
                @Advice.Argument(2) long header,
                @Advice.Argument(3) int index,
                @Advice.Argument(4) VerbResults record,
                @Advice.Return(readOnly = false) boolean result) {
            result = Sabotage.onlyReadersBefore(layout, epoch, header, index, record);
        }
    }

    /** Returns whether every entry from the head to the node's own one is a reader's. */
    public static boolean onlyReadersBefore(
            RecordLayout layout, long epoch, long header, int index, VerbResults record) {
        for (int i = LockHeader.head(header); i < index; i++) {
            long entry = record.word(0, 2 + layout.slot(i));
            if (!QueueEntry.isValid(entry, layout.version(i), epoch) || QueueEntry.isExclusive(entry)) {
                return false;
            }
        }
        return true;
    }

    /** A8: entries written after the header was read count too. */
    public static final class TakesReadForSnapshot {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) RecordLayout layout,
                @Advice.Argument(1) long epoch,
                @Advice.Argument(2) long header,
                @Advice.Argument(3) int index,
                @Advice.Argument(4) VerbResults record,
                @Advice.Return(readOnly = false) boolean result) {
            result = Sabotage.writersBehind(layout, epoch, index, record) >= LockHeader.writers(header);
        }
    }

    /** Counts valid writers in the whole ring behind an index. */
    public static int writersBehind(RecordLayout layout, long epoch, int index, VerbResults record) {
        int behind = 0;
        for (int i = index + 1; i < index + layout.capacity(); i++) {
            long entry = record.word(0, 2 + layout.slot(i));
            if (QueueEntry.isValid(entry, layout.version(i), epoch) && QueueEntry.isExclusive(entry)) {
                behind++;
            }
        }
        return behind;
    }

    /** A5: the index of a grant is not checked. */
    public static final class AnyIndex {
        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("state") PositionState state,
                @Advice.FieldValue("epoch") long epoch,
                @Advice.Argument(0) PeerMessage grant,
                @Advice.Return(readOnly = false) boolean result) {
            result = state == PositionState.WAITING && grant.epoch() == epoch;
        }
    }

    /** A5 and B5: the epoch of a grant is not checked. */
    public static final class AnyEpoch {
        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("state") PositionState state,
                @Advice.FieldValue("index") int index,
                @Advice.Argument(0) PeerMessage grant,
                @Advice.Return(readOnly = false) boolean result) {
            result = state == PositionState.WAITING && grant.index() == index;
        }
    }

    /** A5 and B6: a waiter that gave up its position accepts the grant for it. */
    public static final class TakesGrantTooLate {
        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("state") PositionState state,
                @Advice.FieldValue("index") int index,
                @Advice.FieldValue("epoch") long epoch,
                @Advice.Argument(0) PeerMessage grant,
                @Advice.Return(readOnly = false) boolean result) {
            result = result || state == PositionState.ABORTED && grant.epoch() == epoch && grant.index() == index;
        }
    }

    /** A6: the request is pending only once its entry has been written. */
    public static final class PendingAfterWrite {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object lock,
                @Advice.Return(readOnly = false) boolean result) {
            result = result && !Sabotage.isWritingEntry(lock);
        }
    }

    /** Returns whether the WRITE of a lock's entry is in flight. */
    public static boolean isWritingEntry(Object lockState) {
        return Sabotage.ask(Sabotage.part(lockState, "entryWrite"), "isInFlight");
    }

    /** Returns whether a lock's position is exclusive. */
    public static boolean isExclusive(Object lockState) {
        return Sabotage.ask(Sabotage.part(lockState, "position"), "isExclusive");
    }

    private static Object part(Object lockState, String name) {
        try {
            var field = lockState.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(lockState);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean ask(Object part, String question) {
        try {
            var method = part.getClass().getDeclaredMethod(question);
            method.setAccessible(true);
            return (boolean) method.invoke(part);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** E2: the old position is kept. */
    public static final class KeepsOldPosition {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(1) boolean exclusive, @Advice.Return(readOnly = false) long result) {
            result = LockHeader.acquire(exclusive);
        }
    }

    /** B7: a reset's WRITEs to the queue land later than their completions report. */
    public static final class WritesLate {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(
                @Advice.This Object memory,
                @Advice.Argument(0) SimulatedSession session,
                @Advice.Argument(1) Purpose purpose,
                @Advice.Argument(2) Verb verb,
                @Advice.Argument(3) long address,
                @Advice.Argument(4) long value) {
            if (verb != Verb.WRITE || purpose != Purpose.RESET) {
                return false;
            }
            Sabotage.writeLater(memory, session, address, value);
            return true;
        }
    }

    /** Writes a word some microseconds later. */
    public static void writeLater(Object memory, SimulatedSession session, long address, long value) {
        SimulatedWorld world = session.node().world();
        world.after(1 + world.exponential(50_000), null, () -> ((WatchedRegion) memory).poke(address, value));
    }

    /** B8: a reset changes the header even if it has changed meanwhile. */
    public static final class SwapsBlindly {
        @Advice.OnMethodEnter
        static long enter(
                @Advice.This WatchedRegion memory,
                @Advice.Argument(1) Purpose purpose,
                @Advice.Argument(2) Verb verb,
                @Advice.Argument(3) long address,
                @Advice.Argument(value = 4, readOnly = false) long expected) {
            long wanted = expected;
            if (verb == Verb.COMPARE_AND_SWAP && purpose == Purpose.RESET) {
                expected = memory.peek(address);
            }
            return wanted;
        }

        @Advice.OnMethodExit
        static void exit(
                @Advice.Enter long wanted,
                @Advice.Argument(1) Purpose purpose,
                @Advice.Argument(2) Verb verb,
                @Advice.Return(readOnly = false) long result) {
            if (verb == Verb.COMPARE_AND_SWAP && purpose == Purpose.RESET) {
                result = wanted;
            }
        }
    }

    /** B9: members are not fetched again in the marking phase. */
    public static final class OldMembersWhileMarking {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(
                @Advice.FieldValue(value = "phase", typing = Assigner.Typing.DYNAMIC) Object phase,
                @Advice.Argument(0) Consumer<Effects> then,
                @Advice.Argument(1) Effects effects) {
            if (!phase.toString().equals("MARKING")) {
                return false;
            }
            then.accept(effects);
            return true;
        }
    }

    /** B9: members are not fetched again while acknowledgements are awaited. */
    public static final class OldMembersWhileSignalling {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(
                @Advice.FieldValue(value = "phase", typing = Assigner.Typing.DYNAMIC) Object phase,
                @Advice.Argument(0) Consumer<Effects> then,
                @Advice.Argument(1) Effects effects) {
            if (!phase.toString().equals("SIGNALLING")) {
                return false;
            }
            then.accept(effects);
            return true;
        }
    }

    /** B9: a signal is sent once. */
    public static final class SignalsOnce {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.FieldValue(value = "phase", typing = Assigner.Typing.DYNAMIC) Object phase) {
            return phase.toString().equals("SIGNALLING");
        }
    }

    /** B10: a waiter is treated as a holder. */
    public static final class WaitingIsHolding {
        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("state") PositionState state, @Advice.Return(readOnly = false) boolean result) {
            result = result || state == PositionState.WAITING;
        }
    }

    /** B10: only a hold is claimed, not a waiting position. */
    public static final class ClaimsOnlyHolds {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int result) {
            result = result == PeerMessage.HAS_POSITION ? PeerMessage.NO_POSITION : result;
        }
    }

    /** B10: positions are counted although the queue has moved since the question. */
    public static final class CountsInAMovingQueue {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(0) long header,
                @Advice.FieldValue(value = "askedHeader", readOnly = false) long askedHeader) {
            askedHeader = header;
        }
    }

    /** B12: a deferred release is forgotten in the next acknowledgement. */
    public static final class ForgetsPutOff {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("state") PositionState state, @Advice.Return(readOnly = false) int result) {
            result = state == PositionState.PUT_OFF ? 0 : result;
        }
    }

    /** B16: a node id does not rest. */
    public static final class NeverRests {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("resting") boolean[] resting, @Advice.Argument(0) int id) {
            resting[id] = false;
        }
    }

    /** B16: a claim names no incarnation. */
    public static final class NoIncarnation {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) int incarnation) {
            incarnation = 0;
        }
    }

    /** B16: every session under the node id of a claim is taken for the claimant. */
    public static final class SameNode {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(0) long claim,
                @Advice.Argument(1) int nodeId,
                @Advice.Return(readOnly = false) boolean result) {
            result = ResetClaim.nodeId(claim) == nodeId;
        }
    }

    /** C3: the epoch of fresh records is always the same. */
    public static final class SameEpoch {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) long epoch) {
            epoch = (1 << 13) - 3;
        }
    }

    /** C5: an upgrade starts at the first token of its index. */
    public static final class UpgradesToFirstToken {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "sequence", readOnly = false) int sequence) {
            sequence = sequence == FencingToken.SEQUENCES - 1 ? 0 : sequence;
        }
    }

    /** D1: a caller that finds no writer is granted, even a writer that finds readers. */
    public static final class IgnoresReaders {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long found, @Advice.Return(readOnly = false) boolean result) {
            result = LockHeader.writers(found) == 0;
        }
    }

    /** D1: a position that no caller wants any more is kept. */
    public static final class KeepsOrphan {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This LocalLock lock) {
            return Sabotage.nobodyWaits(lock);
        }
    }

    /** Returns whether a local queue is empty. */
    public static boolean nobodyWaits(LocalLock lock) {
        boolean[] someone = new boolean[1];
        lock.visit(new LocalLock.Visitor() {
            @Override
            public void hold(Hold hold, boolean exclusive) {}

            @Override
            public void waiter(LocalWaiter waiter, long since, int position) {
                someone[0] = true;
            }
        });
        return !someone[0];
    }

    /** C1: the lease is renewed from the time of the answer. */
    public static final class RenewsFromAnswer {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue("clock") Clock clock, @Advice.Argument(value = 0, readOnly = false) long sentAt) {
            sentAt = clock.nanoTime();
        }
    }

    /** C1: the node forgets that its lease has lapsed. */
    public static final class LeaseComesBack {
        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(value = "lapsed", readOnly = false) boolean lapsed) {
            lapsed = false;
        }
    }

    /** C5: a token distinguishes grants of one epoch only. */
    public static final class TokenWithoutEpoch {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) long epoch) {
            epoch = 1;
        }
    }

    /** D3: an upgrade does not check for other holders. */
    public static final class NotAlone {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(1) long header, @Advice.Return(readOnly = false) boolean result) {
            result = !LockHeader.isInReset(header) && LockHeader.writers(header) == 0;
        }
    }

    /** D3: a downgrade sees no position behind its own. */
    public static final class NobodyBehind {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) long found) {
            found = LockHeader.pack(LockHeader.epoch(found), LockHeader.head(found), 1, 1);
        }
    }

    /** F: a writer grants in advance even while a reset is pending. */
    public static final class PreArmsInReset {
        @Advice.OnMethodExit
        static void exit(
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object lock,
                @Advice.Return(readOnly = false) boolean result) {
            result = Sabotage.isExclusive(lock);
        }
    }

    /** G1: what follows the end of a connection's data plane does not wait for the verbs that are under way. */
    public static final class QuietAtOnce {
        @Advice.OnMethodEnter
        static Runnable enter(@Advice.Argument(value = 0, readOnly = false) Runnable then) {
            Runnable early = then;
            then = Sabotage.nothing();
            return early;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Enter Runnable early) {
            early.run();
        }
    }

    /** Returns an action that does nothing. */
    public static Runnable nothing() {
        return () -> {};
    }

    /** G1: a session ends with its connection. */
    public static final class ExpelsTheDetached {
        @Advice.OnMethodExit
        static void exit(
                @Advice.This Object table,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object session) {
            Sabotage.expel(table, session);
        }
    }

    /** Ends a session at once. */
    public static void expel(Object table, Object session) {
        try {
            var method = table.getClass().getDeclaredMethod("expel", session.getClass(), String.class);
            method.setAccessible(true);
            method.invoke(table, session, "its connection broke");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** G2: the memory node does not look at the number of a chain. */
    public static final class AnyNumber {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(0) int sequence, @Advice.FieldValue(value = "next", readOnly = false) int next) {
            next = sequence;
        }
    }

    /** G2: all chains that were not answered are sent again. */
    public static final class ResumesAtOldest {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.Argument(value = 0, readOnly = false) int executed, @Advice.FieldValue("oldest") int oldest) {
            executed = oldest;
        }
    }

    /** G2: no chain is sent again. */
    public static final class SendsNothingAgain {
        @Advice.OnMethodExit
        static void exit(
                @Advice.FieldValue("next") int next,
                @Advice.FieldValue(value = "unsent", readOnly = false) int unsent) {
            unsent = next;
        }
    }

    /** G3: a resumption renews the lease. */
    public static final class ResumptionRenews {
        @Advice.OnMethodExit
        static void exit(@Advice.This SimulatedSession session) {
            Sabotage.renewLease(session);
        }
    }

    /** The compute node counts its lease from now. */
    public static void renewLease(SimulatedSession of) {
        of.node().eachRemote((lock, remote) -> {
            if (SimulatedSession.of(remote) == of) {
                try {
                    var method = remote.environment().getClass().getDeclaredMethod("renewed", long.class);
                    method.setAccessible(true);
                    method.invoke(
                            remote.environment(), remote.environment().clock().nanoTime());
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }
}
