// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for locks: one or more names, each with a mode, a wait time, and a ceiling on the hold.
 *
 * <p>Several names are taken in one fixed order (the UTF-8 bytes of the names), each once and in the stronger of the modes
 * asked for, so that two requests for the same names never deadlock, whatever the order they were written in.
 *
 * <p>Immutable; each method returns a new request, so that a request can be kept and refined for each use.
 */
public final class LockRequest {
    /** The wait time of a request that sets none: 30 seconds. */
    public static final Duration DEFAULT_WAIT_TIME = Duration.ofSeconds(30);

    private final String name;
    private final LockMode mode;
    private final Map<String, LockMode> names;
    private final @Nullable Duration waitTime;
    private final @Nullable Duration leaseTime;
    private final @Nullable Duration holdAtLeast;

    private LockRequest(
            String name,
            LockMode mode,
            Map<String, LockMode> names,
            @Nullable Duration waitTime,
            @Nullable Duration leaseTime,
            @Nullable Duration holdAtLeast) {
        this.name = name;
        this.mode = mode;
        this.names = names;
        this.waitTime = waitTime;
        this.leaseTime = leaseTime;
        this.holdAtLeast = holdAtLeast;
        if (holdAtLeast != null && names.containsValue(LockMode.READ)) {
            throw new IllegalArgumentException(
                    "holdAtLeast needs locks in mode WRITE, but these are asked for: " + names);
        }
    }

    /**
     * Asks for {@code name} in {@link LockMode#READ} mode.
     *
     * @param name the lock's name
     * @return the request
     */
    public static LockRequest read(String name) {
        return of(name, LockMode.READ);
    }

    /**
     * Asks for {@code name} in {@link LockMode#WRITE} mode.
     *
     * @param name the lock's name
     * @return the request
     */
    public static LockRequest write(String name) {
        return of(name, LockMode.WRITE);
    }

    /**
     * Asks for {@code name} in {@code mode}.
     *
     * @param name the lock's name
     * @param mode the mode
     * @return the request
     */
    public static LockRequest of(String name, LockMode mode) {
        Map<String, LockMode> names =
                Map.of(Objects.requireNonNull(name, "name"), Objects.requireNonNull(mode, "mode"));
        return new LockRequest(name, mode, names, null, null, null);
    }

    /**
     * Asks for several names in {@link LockMode#READ} mode.
     *
     * @param names the locks' names; those that occur twice count once
     * @return the request
     * @throws IllegalArgumentException if there is none
     */
    public static LockRequest readAll(Collection<String> names) {
        return all(names, LockMode.READ);
    }

    /**
     * Asks for several names in {@link LockMode#WRITE} mode.
     *
     * @param names the locks' names; those that occur twice count once
     * @return the request
     * @throws IllegalArgumentException if there is none
     */
    public static LockRequest writeAll(Collection<String> names) {
        return all(names, LockMode.WRITE);
    }

    private static LockRequest all(Collection<String> names, LockMode mode) {
        LockRequest request = null;
        for (String name : names) {
            request = request == null ? of(name, mode) : request.and(name, mode);
        }
        if (request == null) {
            throw new IllegalArgumentException("a request needs the name of a lock, but the collection is empty");
        }
        return request;
    }

    /**
     * Asks for {@code name} in {@code mode} as well; the stronger mode wins where a name is asked for twice.
     *
     * @param name another lock's name
     * @param mode the mode for it
     * @return the new request
     */
    public LockRequest and(String name, LockMode mode) {
        Map<String, LockMode> more = new LinkedHashMap<>(names);
        more.merge(name, mode, (had, asked) -> had.isExclusive() ? had : asked);
        LockMode ofFirst = more.getOrDefault(this.name, this.mode);
        return new LockRequest(this.name, ofFirst, Collections.unmodifiableMap(more), waitTime, leaseTime, holdAtLeast);
    }

    /**
     * Asks for {@code name} in read mode as well.
     *
     * @param name another lock's name
     * @return the new request
     */
    public LockRequest andRead(String name) {
        return and(name, LockMode.READ);
    }

    /**
     * Asks for {@code name} in write mode as well.
     *
     * @param name another lock's name
     * @return the new request
     */
    public LockRequest andWrite(String name) {
        return and(name, LockMode.WRITE);
    }

    /**
     * Bounds the wait for all names together. A request with zero tries once and never queues.
     *
     * @param waitTime the bound
     * @return the new request
     * @throws IllegalArgumentException if negative
     */
    public LockRequest waitTime(Duration waitTime) {
        if (waitTime.isNegative()) {
            throw new IllegalArgumentException("waitTime must not be negative: " + waitTime);
        }
        return new LockRequest(name, mode, names, waitTime, leaseTime, holdAtLeast);
    }

    /**
     * Sets a ceiling: when it is reached the library releases the lock, the handle is lost and {@code onLost} fires. Without it a lock is
     * held until it is closed, or until the session ends. The ceiling of the acquisition that began to hold the lock ends every acquisition
     * of its owner; that of a reentrant acquisition ends only this one, and never an enclosing one.
     *
     * @param leaseTime the ceiling on the hold
     * @return the new request
     * @throws IllegalArgumentException if zero or negative
     */
    public LockRequest leaseTime(Duration leaseTime) {
        if (leaseTime.isZero() || leaseTime.isNegative()) {
            throw new IllegalArgumentException("leaseTime must be positive: " + leaseTime);
        }
        return new LockRequest(name, mode, names, waitTime, leaseTime, holdAtLeast);
    }

    /**
     * Has the locks stay taken for a while even if the handle is closed earlier, or this process leaves or dies: they are released that long after they
     * were granted, by the memory node's clock, or when the handle is closed if that is later. So a job that is started by the clocks of several
     * machines runs once, although it is shorter than these clocks differ: let the time be longer than that difference, and shorter than the job's
     * period.
     *
     * <p>Only for locks in {@link LockMode#WRITE} mode. Once the handle is closed nobody holds the locks, so the same owner cannot acquire them again
     * before the time is over. A ceiling ends the handle, and not this time. Each acquisition needs one more round trip to the memory node. A memory
     * node that starts again forgets the times of processes that have left.
     *
     * @param holdAtLeast how long the locks stay taken at least
     * @return the new request
     * @throws IllegalArgumentException if zero or negative, or if a lock is asked for in READ mode
     */
    public LockRequest holdAtLeast(Duration holdAtLeast) {
        if (holdAtLeast.isZero() || holdAtLeast.isNegative()) {
            throw new IllegalArgumentException("holdAtLeast must be positive: " + holdAtLeast);
        }
        return new LockRequest(name, mode, names, waitTime, leaseTime, holdAtLeast);
    }

    /** {@return whether only one name is asked for} */
    public boolean isSingle() {
        return names.size() == 1;
    }

    /** {@return the name that was asked for first; most requests have only one} */
    public String name() {
        return name;
    }

    /** {@return the mode of {@link #name}} */
    public LockMode mode() {
        return mode;
    }

    /** {@return the names asked for, each with its mode, in the order in which they were first asked for} */
    public Map<String, LockMode> names() {
        return names;
    }

    /** {@return how long to wait, or null for the default of the {@link DistributedReadWriteLock} it is given to} */
    public @Nullable Duration waitTime() {
        return waitTime;
    }

    /** {@return the ceiling on one hold, or null for none} */
    public @Nullable Duration leaseTime() {
        return leaseTime;
    }

    /** {@return how long the locks stay taken at least, or null if they are released with their handle} */
    public @Nullable Duration holdAtLeast() {
        return holdAtLeast;
    }

    @Override
    public String toString() {
        return "LockRequest" + names + (waitTime == null ? "" : " wait " + waitTime)
                + (leaseTime == null ? "" : " lease " + leaseTime)
                + (holdAtLeast == null ? "" : " at least " + holdAtLeast);
    }
}
