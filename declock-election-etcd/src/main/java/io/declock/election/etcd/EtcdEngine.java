// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.etcd;

import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionException;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * etcd as an engine. Below its prefix each memory node has a key {@code leader}, which lives as long as the lease of the present term, a key
 * {@code term} with the number of the last term, a key {@code changes} that counts the changes in a term, and one key for each value that is
 * kept. A term begins by one transaction on these keys, and what is kept changes by transactions that require the same {@code leader} and fewer
 * {@code changes}. Thread-safe.
 */
final class EtcdEngine implements ElectionEngine {
    private static final Logger log = LoggerFactory.getLogger(EtcdEngine.class);
    private static final int TRIES = 3;
    private static final String CHANGES = "changes";

    private final Client client;
    private final String prefix;
    private final String endpoints;
    private final Duration timeout;
    /** The terms that this client began. */
    private final Map<List<Object>, Own> own = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /** A term that this client began: the lease, the revision at which its leader key was made, and how often it has changed what is kept. */
    private record Own(long lease, long created, AtomicLong changes) {}

    EtcdEngine(Client client, String prefix, String endpoints, Duration timeout) {
        this.client = client;
        this.prefix = prefix;
        this.endpoints = endpoints;
        this.timeout = timeout;
    }

    @Override
    public String title() {
        return "etcd at " + endpoints;
    }

    private ByteSequence key(String memoryNode, String name) {
        return bytes(prefix + URLEncoder.encode(memoryNode, StandardCharsets.UTF_8) + "/" + name);
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    /** The time of one attempt, which its requests share. */
    private final class Attempt {
        private final String what;
        private final long until = System.nanoTime() + timeout.toNanos();

        Attempt(String what) {
            this.what = what;
        }

        <T> T await(CompletableFuture<T> answer) throws ElectionException, InterruptedException {
            try {
                return awaitAnswer(answer);
            } catch (ExecutionException e) {
                throw failed(e.getCause() == null ? e : e.getCause());
            }
        }

        <T> T awaitAnswer(CompletableFuture<T> answer)
                throws ElectionException, InterruptedException, ExecutionException {
            if (closed) {
                throw new ElectionException(what + " failed: the client of " + title() + " is closed", null);
            }
            try {
                return answer.get(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                throw new ElectionException(
                        what + " failed: " + title() + " did not answer within " + timeout.toMillis()
                                + " ms; check that it runs and has a leader",
                        e);
            }
        }

        ElectionException failed(Throwable cause) {
            return new ElectionException(what + " at " + title() + " failed: " + cause.getMessage(), cause);
        }
    }

    @Override
    public Answer acquire(String memoryNode, String candidate, Duration lease)
            throws ElectionException, InterruptedException {
        Attempt attempt = new Attempt("The election of a candidate for memory node '" + memoryNode + "'");
        for (int i = 0; i < TRIES; i++) {
            Optional<Answer> answer = tryOnce(attempt, memoryNode, candidate, lease);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        throw attempt.failed(new IllegalStateException("other candidates began and ended terms meanwhile"));
    }

    /** Returns nothing if others changed the keys meanwhile. */
    private Optional<Answer> tryOnce(Attempt attempt, String memoryNode, String candidate, Duration lease)
            throws ElectionException, InterruptedException {
        ByteSequence leader = key(memoryNode, "leader");
        ByteSequence term = key(memoryNode, "term");
        // The term first: a leader that begins after it was read makes the transaction fail.
        GetResponse lastTerm = attempt.await(client.getKVClient().get(term));
        GetResponse present = attempt.await(client.getKVClient().get(leader));
        if (present.getCount() > 0) {
            return Optional.of(held(present.getKvs().get(0)));
        }
        long number = lastTerm.getCount() == 0
                ? 1
                : Long.parseLong(lastTerm.getKvs().get(0).getValue().toString(StandardCharsets.UTF_8)) + 1;
        long revision = lastTerm.getCount() == 0 ? 0 : lastTerm.getKvs().get(0).getModRevision();
        long granted =
                attempt.await(client.getLeaseClient().grant(secondsOf(lease))).getID();
        boolean elected = false;
        try {
            TxnResponse done = attempt.await(client.getKVClient()
                    .txn()
                    .If(
                            new Cmp(leader, Cmp.Op.EQUAL, CmpTarget.version(0)),
                            new Cmp(term, Cmp.Op.EQUAL, CmpTarget.modRevision(revision)))
                    .Then(
                            Op.put(
                                    leader,
                                    bytes(number + " " + candidate),
                                    PutOption.builder().withLeaseId(granted).build()),
                            Op.put(term, bytes(Long.toString(number)), PutOption.DEFAULT),
                            Op.put(key(memoryNode, CHANGES), changesText(0), PutOption.DEFAULT),
                            Op.get(key(memoryNode, "kept/"), below()))
                    .commit());
            elected = done.isSucceeded();
            if (!elected) {
                return Optional.empty();
            }
            own.put(
                    List.of(memoryNode, number),
                    new Own(granted, done.getHeader().getRevision(), new AtomicLong()));
            return Optional.of(
                    new Elected(number, kept(memoryNode, done.getGetResponses().get(0))));
        } finally {
            if (!elected) {
                revoke(granted);
            }
        }
    }

    private static GetOption below() {
        return GetOption.builder().isPrefix(true).build();
    }

    /** Returns a lease in whole seconds, never a shorter one. */
    private static long secondsOf(Duration lease) {
        return lease.plusNanos(999_999_999).toSeconds();
    }

    private static Held held(KeyValue leader) {
        String[] parts = leader.getValue().toString(StandardCharsets.UTF_8).split(" ", 2);
        return new Held(Long.parseLong(parts[0]), parts.length > 1 ? parts[1] : "");
    }

    private Map<String, byte[]> kept(String memoryNode, GetResponse found) {
        int length = key(memoryNode, "kept/").size();
        Map<String, byte[]> kept = new HashMap<>();
        for (KeyValue entry : found.getKvs()) {
            kept.put(
                    entry.getKey().substring(length).toString(StandardCharsets.UTF_8),
                    entry.getValue().getBytes());
        }
        return kept;
    }

    /** Does not wait: a lease that stays runs out. */
    private void revoke(long lease) {
        if (!closed) {
            client.getLeaseClient().revoke(lease).whenComplete((done, failure) -> {
                if (failure != null) {
                    log.debug("Lease {} runs out by itself", lease, failure);
                }
            });
        }
    }

    @Override
    public Optional<Held> look(String memoryNode) throws ElectionException, InterruptedException {
        Attempt attempt = new Attempt("Looking who serves memory node '" + memoryNode + "'");
        GetResponse present = attempt.await(client.getKVClient().get(key(memoryNode, "leader")));
        return present.getKvs().stream().findFirst().map(EtcdEngine::held);
    }

    @Override
    public boolean renew(String memoryNode, long term, Duration lease) throws ElectionException, InterruptedException {
        Own mine = own.get(List.of(memoryNode, term));
        if (mine == null) {
            return false;
        }
        Attempt attempt = new Attempt("The renewal of term " + term + " of memory node '" + memoryNode + "'");
        try {
            attempt.awaitAnswer(client.getLeaseClient().keepAliveOnce(mine.lease()));
        } catch (ExecutionException e) {
            if (isGone(e.getCause())) {
                own.remove(List.of(memoryNode, term));
                return false;
            }
            throw attempt.failed(e.getCause() == null ? e : e.getCause());
        }
        GetResponse present = attempt.await(client.getKVClient().get(key(memoryNode, "leader")));
        return present.getCount() > 0 && present.getKvs().get(0).getCreateRevision() == mine.created();
    }

    private static boolean isGone(@Nullable Throwable cause) {
        return cause instanceof EtcdException known && known.getErrorCode() == ErrorCode.NOT_FOUND;
    }

    @Override
    public boolean keep(String memoryNode, long term, Map<String, Optional<byte[]>> changes)
            throws ElectionException, InterruptedException {
        Own mine = own.get(List.of(memoryNode, term));
        if (mine == null) {
            return false;
        }
        return keep(memoryNode, mine.created(), mine.changes().incrementAndGet(), changes);
    }

    /**
     * Makes one of the numbered changes of a term, unless a later one was made. The client sends a request again when its connection breaks:
     * without the number, one that was thought to have failed could undo what followed it.
     */
    boolean keep(String memoryNode, long created, long number, Map<String, Optional<byte[]>> changes)
            throws ElectionException, InterruptedException {
        List<Op> operations = new ArrayList<>();
        operations.add(Op.put(key(memoryNode, CHANGES), changesText(number), PutOption.DEFAULT));
        changes.forEach((name, value) -> {
            ByteSequence key = key(memoryNode, "kept/" + name);
            operations.add(
                    value.isPresent()
                            ? Op.put(key, ByteSequence.from(value.get()), PutOption.DEFAULT)
                            : Op.delete(key, DeleteOption.DEFAULT));
        });
        ByteSequence leader = key(memoryNode, "leader");
        Attempt attempt = new Attempt("Writing the members of memory node '" + memoryNode + "'");
        TxnResponse done = attempt.await(client.getKVClient()
                .txn()
                .If(
                        new Cmp(leader, Cmp.Op.EQUAL, CmpTarget.createRevision(created)),
                        new Cmp(key(memoryNode, CHANGES), Cmp.Op.LESS, CmpTarget.value(changesText(number))))
                .Then(operations.toArray(new Op[0]))
                .Else(Op.get(leader, GetOption.DEFAULT), Op.get(key(memoryNode, CHANGES), GetOption.DEFAULT))
                .commit());
        return done.isSucceeded() || wasMade(attempt, done.getGetResponses(), created, number);
    }

    /** Returns whether the change was made already, or the term is over. */
    private static boolean wasMade(Attempt attempt, List<GetResponse> found, long created, long number)
            throws ElectionException {
        List<KeyValue> leader = found.get(0).getKvs();
        if (leader.isEmpty() || leader.get(0).getCreateRevision() != created) {
            return false;
        }
        List<KeyValue> changes = found.get(1).getKvs();
        if (changes.isEmpty() || !changes.get(0).getValue().equals(changesText(number))) {
            throw attempt.failed(new IllegalStateException("a later change was made meanwhile"));
        }
        return true;
    }

    /** Returns the number of a change as text of a fixed length, which etcd can compare. */
    private static ByteSequence changesText(long number) {
        return bytes(String.format(Locale.ROOT, "%019d", number));
    }

    @Override
    public void resign(String memoryNode, long term) throws ElectionException, InterruptedException {
        Own mine = own.remove(List.of(memoryNode, term));
        if (mine == null) {
            return;
        }
        Attempt attempt = new Attempt("The end of term " + term + " of memory node '" + memoryNode + "'");
        try {
            attempt.awaitAnswer(client.getLeaseClient().revoke(mine.lease()));
        } catch (ExecutionException e) {
            if (!isGone(e.getCause())) {
                throw attempt.failed(e.getCause() == null ? e : e.getCause());
            }
        }
    }

    @Override
    public void watch(String memoryNode, Runnable mayHaveEnded) {
        client.getWatchClient()
                .watch(
                        key(memoryNode, "leader"),
                        WatchOption.builder().withNoPut(true).build(),
                        Watch.listener(
                                answer -> mayHaveEnded.run(),
                                failure -> log.debug("The watch on {} was broken", memoryNode, failure)));
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
