// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi.election;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * An engine that decides which of a memory node's candidates serves: etcd, ZooKeeper, a database or Kubernetes. It gives one candidate at a
 * time a <em>term</em>, which has a lease and a number that is higher than that of every term before. It also keeps a small map for each
 * memory node, which only the present term can change: so whoever is elected next finds all that former terms were told is kept.
 *
 * <p>Each method makes one attempt and blocks until the engine has answered or the attempt has failed. An attempt whose outcome is unknown
 * fails; the engine may carry it out later, but never after a later attempt of the same client and term to keep something. Implementations bound
 * each attempt by a time limit that they are opened with. Thread-safe.
 */
public interface ElectionEngine extends AutoCloseable {
    /**
     * {@return what the engine is and where, for messages, such as {@code etcd at http://etcd-1:2379}; without a password}
     */
    String title();

    /**
     * Tries to begin a term. It begins if no other term has a lease: none was ever begun, its holder resigned, or its lease has run out by
     * the engine's own judgement. A candidate does not get a term back whose lease still runs, not even one of its own: another process may
     * have begun it under the same address.
     *
     * @param memoryNode id of the memory node, at most 256 characters
     * @param candidate address of the candidate, for the others to read, at most 1,024 characters
     * @param lease how long the term lasts without a renewal, at least 1 s. The engine must not end it earlier; it may end it later if it can still
     *     tell that this process lives
     * @return the begun term, or who has the present one
     * @throws ElectionException if the engine cannot be reached or refuses; the term may have begun nevertheless, and then ends with its lease
     * @throws InterruptedException if the thread is interrupted
     */
    Answer acquire(String memoryNode, String candidate, Duration lease) throws ElectionException, InterruptedException;

    /**
     * Returns who has the present term, without beginning one.
     *
     * @param memoryNode id of the memory node
     * @return nothing if no term has a lease, as far as the engine can tell
     * @throws ElectionException if the engine cannot be reached or refuses
     * @throws InterruptedException if the thread is interrupted
     */
    Optional<Held> look(String memoryNode) throws ElectionException, InterruptedException;

    /**
     * Renews the lease of a term, which lasts for the given time from now on.
     *
     * @param memoryNode id of the memory node
     * @param term number of the term
     * @param lease as for {@link #acquire}
     * @return false if the term is over; it never begins again
     * @throws ElectionException if the engine cannot be reached or refuses; the lease may have been renewed nevertheless
     * @throws InterruptedException if the thread is interrupted
     */
    boolean renew(String memoryNode, long term, Duration lease) throws ElectionException, InterruptedException;

    /**
     * Changes what is kept for a memory node, all or nothing, unless the term is over. When this method returns true, the changes survive
     * the failure of every candidate, and every later term finds them. After a later term has begun, nothing is changed any more.
     *
     * @param memoryNode id of the memory node
     * @param term number of the term
     * @param changes values by name, empty values for entries to be removed; at most {@value #MOST_CHANGES}. A name has at most 100 letters,
     *     digits, dots and hyphens, and begins with a letter; a value has at most 4,096 bytes
     * @return false if the term is over
     * @throws ElectionException if the engine cannot be reached or refuses; the changes may have been made nevertheless
     * @throws InterruptedException if the thread is interrupted
     */
    boolean keep(String memoryNode, long term, Map<String, Optional<byte[]>> changes)
            throws ElectionException, InterruptedException;

    /**
     * Ends a term, so that another candidate can be elected at once. Does nothing if it is over.
     *
     * @param memoryNode id of the memory node
     * @param term number of the term
     * @throws ElectionException if the engine cannot be reached or refuses; then the term ends with its lease at the latest
     * @throws InterruptedException if the thread is interrupted
     */
    void resign(String memoryNode, long term) throws ElectionException, InterruptedException;

    /**
     * Has a task run whenever a term of a memory node may have ended, so that candidates need not wait for their next attempt. Best effort:
     * an engine that cannot tell never runs it. The task is short and does not block; it runs on any thread.
     *
     * @param memoryNode id of the memory node
     * @param mayHaveEnded the task
     */
    default void watch(String memoryNode, Runnable mayHaveEnded) {}

    /** Ends attempts under way, which fail, and frees what the engine's client occupies. Terms of this client end by this, or with their leases. */
    @Override
    void close();

    /** Most changes of one call of {@link #keep}. */
    int MOST_CHANGES = 64;

    /** The answer to an attempt to begin a term. */
    sealed interface Answer permits Elected, Held {}

    /**
     * The term has begun.
     *
     * @param term its number, at least 1
     * @param kept what is kept for the memory node
     */
    record Elected(long term, Map<String, byte[]> kept) implements Answer {
        /** Copies the map. */
        public Elected {
            kept = Map.copyOf(kept);
        }
    }

    /**
     * Another term has a lease.
     *
     * @param term its number
     * @param candidate address of the candidate that began it
     */
    record Held(long term, String candidate) implements Answer {}
}
