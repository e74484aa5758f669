// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.election.zookeeper;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.spi.election.ElectionEngine;
import io.declock.spi.election.ElectionException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZooKeeper as an engine. Each memory node has a node {@code leader}, ephemeral, so that it lives as long as the session of its candidate; a node
 * {@code term} with the number of the last term, whose version every election changes; and one node for each value that is kept. The lease of a
 * term is the time-out of the session, which is the lease of the first election. Thread-safe.
 */
final class ZooKeeperEngine implements ElectionEngine {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperEngine.class);
    private static final int RETRY_MILLIS = 100;
    private static final int TRIES = 3;

    private final String servers;
    private final String root;
    private final String auth;
    private final Duration timeout;
    private final ReentrantLock lock = new ReentrantLock();
    /** The terms that this client began, and the names that are kept in them. */
    private final Map<List<Object>, Own> own = new ConcurrentHashMap<>();

    private final Map<String, Runnable> watchers = new ConcurrentHashMap<>();
    // Written with the lock held.
    private volatile @Nullable CuratorFramework client;

    @GuardedBy("lock")
    private Duration sessionLease = Duration.ZERO;

    @GuardedBy("lock")
    private boolean closed;

    /** A term that this client began: its session, the version of the term's node, and the names that are kept. */
    private record Own(long session, int version, Set<String> names) {}

    ZooKeeperEngine(String servers, String root, String auth, Duration timeout) {
        this.servers = servers;
        this.root = root;
        this.auth = auth;
        this.timeout = timeout;
    }

    @Override
    public String title() {
        return "ZooKeeper at " + servers + root;
    }

    // ---------------------------------------------------------------- the client

    /** The steps of one attempt, which share its time. */
    private interface Work<T> {
        T by(CuratorFramework client) throws Exception;
    }

    /** Makes the steps of an attempt on a thread of their own, because Curator waits for a connection without a limit. */
    private <T> T attempt(String what, Duration lease, Work<T> work) throws ElectionException, InterruptedException {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(work.by(connected(lease)));
                    } catch (Exception | Error e) {
                        result.completeExceptionally(e);
                    }
                },
                "declock-zookeeper");
        thread.setDaemon(true);
        thread.start();
        try {
            return result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
            throw new ElectionException(
                    what + " failed: " + title() + " did not answer within " + timeout.toMillis()
                            + " ms; check that it runs and has a quorum",
                    e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw cause instanceof ElectionException known
                    ? known
                    : new ElectionException(what + " at " + title() + " failed: " + cause.getMessage(), cause);
        }
    }

    private CuratorFramework connected(Duration lease) throws Exception {
        CuratorFramework present = clientFor(lease);
        present.blockUntilConnected();
        int granted = present.getZookeeperClient().getZooKeeper().getSessionTimeout();
        Duration wanted = presentLease();
        if (granted < wanted.toMillis()) {
            throw new ElectionException(
                    title() + " gives sessions of at most " + granted + " ms, and the lease of a term is "
                            + wanted.toMillis()
                            + " ms: lower the lease, or raise maxSessionTimeout at the servers",
                    null);
        }
        return present;
    }

    private CuratorFramework clientFor(Duration lease) throws ElectionException {
        lock.lock();
        try {
            if (closed) {
                throw new ElectionException("the client of " + title() + " is closed", null);
            }
            CuratorFramework present = client;
            if (present == null) {
                sessionLease = lease;
                present = build(lease);
                present.start();
                client = present;
                watchers.keySet().forEach(this::watchAgain);
            }
            return present;
        } finally {
            lock.unlock();
        }
    }

    private CuratorFramework build(Duration lease) {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(servers)
                .sessionTimeoutMs((int) lease.toMillis())
                .connectionTimeoutMs((int) timeout.toMillis())
                .waitForShutdownTimeoutMs(0)
                // An attempt ends by its time limit, which interrupts it.
                .retryPolicy(new RetryForever(RETRY_MILLIS));
        if (!auth.isEmpty()) {
            int colon = auth.indexOf(':');
            builder.authorization(
                    auth.substring(0, colon), auth.substring(colon + 1).getBytes(StandardCharsets.UTF_8));
        }
        return builder.build();
    }

    private String path(String memoryNode, String name) {
        return root + "/" + URLEncoder.encode(memoryNode, StandardCharsets.UTF_8) + "/" + name;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long session(CuratorFramework client) throws Exception {
        return client.getZookeeperClient().getZooKeeper().getSessionId();
    }

    // ---------------------------------------------------------------- elections

    @Override
    public Answer acquire(String memoryNode, String candidate, Duration lease)
            throws ElectionException, InterruptedException {
        return attempt("The election of a candidate for memory node '" + memoryNode + "'", lease, client -> {
            for (int i = 0; i < TRIES; i++) {
                Optional<Answer> answer = tryOnce(client, memoryNode, candidate);
                if (answer.isPresent()) {
                    return answer.get();
                }
            }
            throw new IllegalStateException("other candidates began and ended terms meanwhile");
        });
    }

    /** Returns nothing if others changed the nodes meanwhile. */
    private Optional<Answer> tryOnce(CuratorFramework client, String memoryNode, String candidate) throws Exception {
        String leader = path(memoryNode, "leader");
        String term = path(memoryNode, "term");
        Optional<Held> present = leader(client, memoryNode);
        if (present.isPresent()) {
            return freed(client, memoryNode, present.get()) ? Optional.empty() : Optional.of(present.get());
        }
        createIfMissing(client, term, "0");
        createIfMissing(client, path(memoryNode, "kept"), "");
        Stat stat = new Stat();
        long number = Long.parseLong(text(client.getData().storingStatIn(stat).forPath(term))) + 1;
        long session = session(client);
        try {
            client.transaction()
                    .forOperations(
                            client.transactionOp()
                                    .setData()
                                    .withVersion(stat.getVersion())
                                    .forPath(term, bytes(Long.toString(number))),
                            client.transactionOp()
                                    .create()
                                    .withMode(CreateMode.EPHEMERAL)
                                    .forPath(leader, bytes(number + " " + candidate)));
        } catch (KeeperException e) {
            if (e.code() == Code.NODEEXISTS || e.code() == Code.BADVERSION) {
                return Optional.empty();
            }
            throw e;
        }
        Map<String, byte[]> kept = kept(client, memoryNode);
        own.put(List.of(memoryNode, number), new Own(session, stat.getVersion() + 1, new HashSet<>(kept.keySet())));
        return Optional.of(new Elected(number, kept));
    }

    /**
     * Ends a term that this client's session has and does not know of: one whose election or resignation had an unknown outcome. It would last as long
     * as the session.
     */
    private boolean freed(CuratorFramework client, String memoryNode, Held held) throws Exception {
        Stat stat = client.checkExists().forPath(path(memoryNode, "leader"));
        boolean stray = stat != null
                && stat.getEphemeralOwner() == session(client)
                && !own.containsKey(List.of(memoryNode, held.term()));
        if (stray) {
            client.delete().withVersion(stat.getVersion()).forPath(path(memoryNode, "leader"));
        }
        return stray;
    }

    private static void createIfMissing(CuratorFramework client, String path, String data) throws Exception {
        if (client.checkExists().forPath(path) == null) {
            try {
                client.create().creatingParentsIfNeeded().forPath(path, bytes(data));
            } catch (KeeperException.NodeExistsException e) {
                log.debug("Another candidate has created {} meanwhile", path);
            }
        }
    }

    private Map<String, byte[]> kept(CuratorFramework client, String memoryNode) throws Exception {
        Map<String, byte[]> kept = new HashMap<>();
        for (String name : client.getChildren().forPath(path(memoryNode, "kept"))) {
            kept.put(name, client.getData().forPath(path(memoryNode, "kept/" + name)));
        }
        return kept;
    }

    private Optional<Held> leader(CuratorFramework client, String memoryNode) throws Exception {
        try {
            String[] parts =
                    text(client.getData().forPath(path(memoryNode, "leader"))).split(" ", 2);
            return Optional.of(new Held(Long.parseLong(parts[0]), parts.length > 1 ? parts[1] : ""));
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        }
    }

    private static String text(byte[] data) {
        return new String(data, StandardCharsets.UTF_8);
    }

    @Override
    public Optional<Held> look(String memoryNode) throws ElectionException, InterruptedException {
        Duration lease = presentLease();
        if (lease.isZero()) {
            // The lease of the session is not known before the first election: nothing is known of the term.
            return lookOnce(memoryNode);
        }
        return attempt("Looking who serves memory node '" + memoryNode + "'", lease, client -> {
            client.sync().forPath(path(memoryNode, "leader"));
            return leader(client, memoryNode);
        });
    }

    /** Looks by a client of its own, so that it does not decide on the lease of the session. */
    private Optional<Held> lookOnce(String memoryNode) throws ElectionException, InterruptedException {
        try (ZooKeeperEngine once = new ZooKeeperEngine(servers, root, auth, timeout)) {
            return once.attempt(
                    "Looking who serves memory node '" + memoryNode + "'",
                    timeout.multipliedBy(4),
                    client -> once.leader(client, memoryNode));
        }
    }

    private Duration presentLease() {
        lock.lock();
        try {
            return sessionLease;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean renew(String memoryNode, long term, Duration lease) throws ElectionException, InterruptedException {
        Own mine = own.get(List.of(memoryNode, term));
        if (mine == null) {
            return false;
        }
        boolean lasts = attempt(
                "The renewal of term " + term + " of memory node '" + memoryNode + "'",
                lease,
                client -> isMine(client, memoryNode, mine));
        if (!lasts) {
            own.remove(List.of(memoryNode, term));
        }
        return lasts;
    }

    /** The session sends heartbeats by itself; that the server answers it with this node shows that both live. */
    private boolean isMine(CuratorFramework client, String memoryNode, Own mine) throws Exception {
        // A write by the session: a server that has fallen behind cannot answer it.
        client.sync().forPath(path(memoryNode, "leader"));
        Stat stat = client.checkExists().forPath(path(memoryNode, "leader"));
        return stat != null && stat.getEphemeralOwner() == mine.session() && session(client) == mine.session();
    }

    @Override
    public boolean keep(String memoryNode, long term, Map<String, Optional<byte[]>> changes)
            throws ElectionException, InterruptedException {
        Own mine = own.get(List.of(memoryNode, term));
        if (mine == null) {
            return false;
        }
        return attempt("Writing the members of memory node '" + memoryNode + "'", presentLease(), client -> {
            try {
                write(client, memoryNode, mine, changes);
            } catch (KeeperException e) {
                if (e.code() == Code.NODEEXISTS || e.code() == Code.NONODE) {
                    // An attempt whose outcome was unknown was carried out.
                    mine.names().clear();
                    mine.names().addAll(kept(client, memoryNode).keySet());
                    write(client, memoryNode, mine, changes);
                } else if (e.code() == Code.BADVERSION) {
                    return false;
                } else {
                    throw e;
                }
            }
            return true;
        });
    }

    private void write(CuratorFramework client, String memoryNode, Own mine, Map<String, Optional<byte[]>> changes)
            throws Exception {
        List<CuratorOp> operations = new ArrayList<>();
        // Every election and every resignation changes this version.
        operations.add(
                client.transactionOp().check().withVersion(mine.version()).forPath(path(memoryNode, "term")));
        Set<String> names = new HashSet<>(mine.names());
        for (Map.Entry<String, Optional<byte[]>> change : changes.entrySet()) {
            String path = path(memoryNode, "kept/" + change.getKey());
            boolean there = names.contains(change.getKey());
            if (change.getValue().isPresent()) {
                byte[] value = change.getValue().get();
                operations.add(
                        there
                                ? client.transactionOp().setData().forPath(path, value)
                                : client.transactionOp().create().forPath(path, value));
                names.add(change.getKey());
            } else if (there) {
                operations.add(client.transactionOp().delete().forPath(path));
                names.remove(change.getKey());
            }
        }
        client.transaction().forOperations(operations);
        mine.names().clear();
        mine.names().addAll(names);
    }

    @Override
    public void resign(String memoryNode, long term) throws ElectionException, InterruptedException {
        Own mine = own.remove(List.of(memoryNode, term));
        if (mine == null) {
            return;
        }
        attempt("The end of term " + term + " of memory node '" + memoryNode + "'", presentLease(), client -> {
            try {
                client.transaction()
                        .forOperations(
                                client.transactionOp()
                                        .setData()
                                        .withVersion(mine.version())
                                        .forPath(path(memoryNode, "term"), bytes(Long.toString(term))),
                                client.transactionOp().delete().forPath(path(memoryNode, "leader")));
            } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
                log.debug("Term {} of {} was over already", term, memoryNode);
            }
            return true;
        });
    }

    // ---------------------------------------------------------------- watching

    @Override
    public void watch(String memoryNode, Runnable mayHaveEnded) {
        watchers.put(memoryNode, mayHaveEnded);
        lock.lock();
        try {
            if (client != null) {
                watchAgain(memoryNode);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sets the watch, in the background. */
    private void watchAgain(String memoryNode) {
        CuratorFramework present = client;
        if (present == null) {
            return;
        }
        try {
            present.checkExists()
                    .usingWatcher((Watcher) event -> changed(memoryNode, event))
                    .inBackground()
                    .forPath(path(memoryNode, "leader"));
        } catch (Exception e) {
            log.debug("The watch on {} cannot be set", memoryNode, e);
        }
    }

    private void changed(String memoryNode, WatchedEvent event) {
        Runnable told = watchers.get(memoryNode);
        if (event.getType() == Watcher.Event.EventType.NodeDeleted && told != null) {
            told.run();
        }
        if (event.getType() != Watcher.Event.EventType.None
                || event.getState() == Watcher.Event.KeeperState.SyncConnected) {
            watchAgain(memoryNode);
        }
    }

    @Override
    public void close() {
        CuratorFramework closing;
        lock.lock();
        try {
            closed = true;
            closing = client;
            client = null;
        } finally {
            lock.unlock();
        }
        if (closing != null) {
            closing.close();
        }
    }
}
