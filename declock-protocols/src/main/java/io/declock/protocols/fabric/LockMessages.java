// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The messages of a lock's clients, which travel as DecLock's grants do. Thread-safe. */
final class LockMessages {
    /** A word of the memory may name a client before this process has heard that its process has joined. */
    private static final long UNHEARD_MILLIS = 2;

    /** A message with more words than a grant has entries travels in parts. */
    private static final int KIND_SHIFT = 16;

    private static final int FOLLOWING = (1 << KIND_SHIFT) - 1;

    private final FabricLink link;
    private final Consumer<LockMessage> deliver;
    /** Words of messages whose last part has not arrived, by sender and receiver. */
    private final Map<Long, List<Long>> parts = new ConcurrentHashMap<>();

    /**
     * Makes it.
     *
     * @param deliver gets messages to clients of this process
     */
    LockMessages(FabricLink link, Consumer<LockMessage> deliver) {
        this.link = link;
        this.deliver = deliver;
    }

    /** Returns the member that has a party, or null while this process has not heard of it. */
    private @Nullable Member memberOf(int party) {
        Membership present = link.membership();
        return party == LockProtocol.SERVER
                ? present.members().stream()
                        .min(Comparator.comparingInt(Member::nodeId))
                        .orElseThrow()
                : present.byNodeId(party / FabricClients.MOST);
    }

    void send(LockMessage message) {
        Member to = memberOf(message.to());
        if (to == null) {
            link.after(TimeUnit.MILLISECONDS.toNanos(UNHEARD_MILLIS), () -> send(message));
            return;
        }
        if (to.nodeId() == link.joined().nodeId()) {
            // In order, and not before the sender has ended its step.
            link.soon(() -> deliver.accept(message));
            return;
        }
        List<Long> words = message.words();
        int parts = Math.max(1, (words.size() + PeerMessage.MAX_ENTRIES - 1) / PeerMessage.MAX_ENTRIES);
        for (int part = 0; part < parts; part++) {
            int from = part * PeerMessage.MAX_ENTRIES;
            link.session()
                    .send(
                            to,
                            part(
                                    message,
                                    to,
                                    parts - 1 - part,
                                    words.subList(from, Math.min(words.size(), from + PeerMessage.MAX_ENTRIES))));
        }
    }

    /** Returns a part of a message; its index is the kind, and how many more parts follow. */
    private PeerMessage part(LockMessage message, Member to, int following, List<Long> words) {
        return new PeerMessage(
                PeerMessage.Kind.GRANT,
                link.joined().memoryNodeIncarnation(),
                link.joined().nodeId(),
                link.joined().incarnation(),
                to.nodeId(),
                to.incarnation(),
                message.lock(),
                (long) message.from() << Integer.SIZE | message.to() & 0xFFFF_FFFFL,
                message.kind() << KIND_SHIFT | following,
                message.detail(),
                words.stream().mapToLong(Long::longValue).toArray());
    }

    /** Parts of one message arrive one after the other. */
    void received(PeerMessage part) {
        List<Long> words = parts.computeIfAbsent(part.epoch(), any -> new ArrayList<>());
        for (long word : part.entries()) {
            words.add(word);
        }
        if ((part.index() & FOLLOWING) == 0) {
            parts.remove(part.epoch());
            deliver.accept(new LockMessage(
                    (int) (part.epoch() >> Integer.SIZE),
                    (int) part.epoch(),
                    part.record(),
                    part.index() >> KIND_SHIFT,
                    part.detail(),
                    words));
        }
    }
}
