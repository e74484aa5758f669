// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.protocols.LockMessage;
import io.declock.protocols.LockProtocol;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** The messages of a lock's clients, which travel as DecLock's grants do, and arrive in the order of sending. Thread-safe. */
final class LockMessages {
    /** The first entry of a grant is the message's number, for {@link Arrivals}; the others are words. */
    private static final int MOST_WORDS = PeerMessage.MAX_ENTRIES - 1;

    /** A message with more words travels in parts. */
    private static final int KIND_SHIFT = 16;

    private static final int FOLLOWING = (1 << KIND_SHIFT) - 1;

    private final FabricLink link;
    private final Consumer<LockMessage> deliver;
    /** By the receiver's node id. */
    private final Map<Integer, Departures> departures = new ConcurrentHashMap<>();
    /** By the sender's node id and incarnation. */
    private final Map<Long, Arrivals> arrivals = new ConcurrentHashMap<>();
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

    /** Returns the node id of a party's process. */
    private int nodeOf(int party) {
        return party == LockProtocol.SERVER
                ? link.membership().members().stream()
                        .mapToInt(Member::nodeId)
                        .min()
                        .orElseThrow()
                : party / FabricClients.MOST;
    }

    void send(LockMessage message) {
        int node = nodeOf(message.to());
        if (node == link.joined().nodeId()) {
            // In order, and not before the sender has ended its step.
            link.soon(() -> deliver.accept(message));
            return;
        }
        departures
                .computeIfAbsent(
                        node,
                        to -> new Departures(
                                () -> link.membership().byNodeId(to), link::after, this::sendParts, link::fail))
                .send(message);
    }

    private long sendParts(Member to, LockMessage message, long number) {
        List<Long> words = message.words();
        int parts = Math.max(1, (words.size() + MOST_WORDS - 1) / MOST_WORDS);
        for (int part = 0; part < parts; part++) {
            int from = part * MOST_WORDS;
            List<Long> own = words.subList(from, Math.min(words.size(), from + MOST_WORDS));
            link.session().send(to, part(message, to, parts - 1 - part, number + part, own));
        }
        return number + parts;
    }

    /** Returns a part of a message; its index is the kind, and how many more parts follow. */
    private PeerMessage part(LockMessage message, Member to, int following, long number, List<Long> words) {
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
                LongStream.concat(LongStream.of(number), words.stream().mapToLong(Long::longValue))
                        .toArray());
    }

    void received(PeerMessage part) {
        arrivals.computeIfAbsent(
                        (long) part.fromNode() << Integer.SIZE | part.fromIncarnation(),
                        any -> new Arrivals(link::after, this::arrived, link::fail))
                .received(part.entries()[0], part);
    }

    /** Parts of one message arrive one after the other. */
    private void arrived(PeerMessage part) {
        List<Long> words = parts.computeIfAbsent(part.epoch(), any -> new ArrayList<>());
        LongStream.of(part.entries()).skip(1).forEach(words::add);
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
