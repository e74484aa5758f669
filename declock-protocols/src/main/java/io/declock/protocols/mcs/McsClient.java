// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.mcs;

import io.declock.LockMode;
import io.declock.protocols.LockClient;
import io.declock.protocols.LockMessage;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** A client that has a place in a queue for each lock that it holds or waits for, and no readers. Not thread-safe. */
public abstract class McsClient implements LockClient {
    private final String protocol;
    private final Map<Long, McsPlace> places = new HashMap<>();

    /**
     * Makes one.
     *
     * @param protocol name of the protocol, for messages
     */
    protected McsClient(String protocol) {
        this.protocol = protocol;
    }

    /**
     * Makes a place, for one acquisition.
     *
     * @param granted to be called once when the client holds the lock
     */
    protected abstract McsPlace place(long lock, Runnable granted);

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the mode is not to write
     */
    @Override
    public final void acquire(long lock, LockMode mode, Runnable granted) {
        if (mode != LockMode.WRITE) {
            throw new IllegalArgumentException(protocol + " has no readers");
        }
        McsPlace place = place(lock, granted);
        places.put(lock, place);
        place.enter();
    }

    @Override
    public final void release(long lock, Runnable released) {
        placeAt(lock).leave(() -> {
            places.remove(lock);
            released.run();
        });
    }

    @Override
    public final void received(LockMessage message) {
        placeAt(message.lock()).received(message);
    }

    private McsPlace placeAt(long lock) {
        return Objects.requireNonNull(places.get(lock), "no place in the queue");
    }
}
