// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.DecLockException;
import io.declock.Guarded;
import io.declock.GuardedValues;
import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNames;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.ValueCodec;
import io.declock.internal.local.LocalLock;
import io.declock.spi.StoredValue;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Guarded values for callers that wait with a thread. Thread-safe. */
final class GuardedLocks implements GuardedValues {
    private final RequestRunner requests;
    private final GuardedStore store;

    GuardedLocks(RequestRunner requests, GuardedStore store) {
        this.requests = requests;
        this.store = store;
    }

    @Override
    public <T> Guarded<T> of(String name, ValueCodec<T> codec) {
        LockTable.checkName(name);
        return new OneValue<>(name, codec);
    }

    /** The value of one lock. */
    private final class OneValue<T> implements Guarded<T> {
        private final String name;
        private final ValueCodec<T> codec;

        OneValue(String name, ValueCodec<T> codec) {
            this.name = name;
            this.codec = codec;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Held<T> acquire() throws InterruptedException {
            return acquire(LockRequest.write(name));
        }

        @Override
        public Held<T> acquire(LockRequest request) throws InterruptedException {
            if (!request.isSingle() || !request.name().equals(name)) {
                throw new IllegalArgumentException(
                        "the value of lock " + LockNames.quoted(name) + " needs a request for that name alone, not "
                                + request.names().keySet());
            }
            LockOwner owner = LockOwner.named(Thread.currentThread().getName());
            ReadAhead ahead = new ReadAhead();
            HandleImpl handle = requests.acquireSingle(request, owner, ahead);
            boolean held = false;
            try {
                StoredValue found =
                        await(store.read(handle.hold(), ahead.asked)).orElse(null);
                HeldValue<T> value = new HeldValue<>(handle, codec, found);
                held = true;
                return value;
            } finally {
                if (!held) {
                    handle.giveBack();
                }
            }
        }

        @Override
        public Optional<T> read() throws InterruptedException {
            try (Held<T> held = acquire(LockRequest.read(name))) {
                return held.value();
            }
        }

        @Override
        public Optional<T> update(Function<Optional<T>, @Nullable T> change) throws InterruptedException {
            try (Held<T> held = acquire()) {
                T next = change.apply(held.value());
                if (next == null) {
                    held.clear();
                } else {
                    held.set(next);
                }
                return held.value();
            }
        }

        @Override
        public String toString() {
            return "Guarded[" + name + "]";
        }
    }

    /** Asks for the value as soon as the lock was asked for. */
    private final class ReadAhead implements Consumer<LocalLock> {
        private GuardedStore.@Nullable Ahead asked;

        @Override
        public void accept(LocalLock lock) {
            asked = store.ahead(lock);
        }
    }

    private static <V> V await(CompletableFuture<V> result) throws InterruptedException {
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw asThrown(e.getCause() == null ? e : e.getCause());
        }
    }

    private static RuntimeException asThrown(Throwable failure) {
        if (failure instanceof LockLostException lost) {
            // With the stack of the caller, too.
            return new LockLostException(lost.getMessage(), lost);
        }
        return failure instanceof RuntimeException known
                ? known
                : new DecLockException(String.valueOf(failure.getMessage()), failure);
    }

    /** A hold with its value. */
    private final class HeldValue<T> implements Guarded.Held<T> {
        private final HandleImpl handle;
        private final ValueCodec<T> codec;
        private final @Nullable StoredValue found;
        private final ReentrantLock mutex = new ReentrantLock();
        private final Condition storeEnded = mutex.newCondition();

        /** Whether a value is being stored, for which other stores and the end of the hold wait. */
        @GuardedBy("mutex")
        private boolean storing;

        @GuardedBy("mutex")
        private @Nullable T value;

        /** How often the value was set or cleared here. */
        @GuardedBy("mutex")
        private long changes;

        /** The bytes to be stored at the end, if something was set. */
        @GuardedBy("mutex")
        private byte @Nullable [] unsaved;

        @GuardedBy("mutex")
        private boolean changed;

        @GuardedBy("mutex")
        private boolean closed;

        HeldValue(HandleImpl handle, ValueCodec<T> codec, @Nullable StoredValue found) {
            this.handle = handle;
            this.codec = codec;
            this.found = found;
            this.value = found == null ? null : codec.decode(found.bytes().clone());
        }

        @Override
        public Optional<T> value() {
            mutex.lock();
            try {
                return Optional.ofNullable(value);
            } finally {
                mutex.unlock();
            }
        }

        @Override
        public Optional<Guarded.Stored> stored() {
            return Optional.ofNullable(found).map(by -> new Guarded.Stored(by.token(), by.writer()));
        }

        @Override
        public void set(T next) {
            change(next, encode(next));
        }

        @Override
        public void clear() {
            change(null, null);
        }

        @Override
        public void store(T next) {
            byte[] bytes = encode(next);
            long before = beginStore();
            boolean done = false;
            try {
                write(bytes);
                done = true;
            } finally {
                endStore(next, done, before);
            }
        }

        /** Waits for a store that is under way; returns how often the value was changed before this one. */
        private long beginStore() {
            mutex.lock();
            try {
                awaitStore();
                checkMayChange();
                storing = true;
                return changes;
            } finally {
                mutex.unlock();
            }
        }

        /** If the memory node has the value, it is this one now, unless it was set to another one meanwhile. */
        private void endStore(T next, boolean done, long before) {
            mutex.lock();
            try {
                if (done && changes == before) {
                    value = next;
                    unsaved = null;
                    changed = false;
                }
                storing = false;
                storeEnded.signalAll();
            } finally {
                mutex.unlock();
            }
        }

        @GuardedBy("mutex")
        private void awaitStore() {
            while (storing) {
                storeEnded.awaitUninterruptibly();
            }
        }

        private byte[] encode(T next) {
            byte[] bytes = codec.encode(next);
            if (bytes.length > StoredValue.MAX_BYTES) {
                throw new IllegalArgumentException(
                        "the value of " + handle.hold().lock().title() + " would have " + bytes.length
                                + " bytes; at most " + StoredValue.MAX_BYTES + " are stored");
            }
            return bytes;
        }

        private void change(@Nullable T next, byte @Nullable [] bytes) {
            mutex.lock();
            try {
                checkMayChange();
                value = next;
                unsaved = bytes;
                changed = true;
                changes++;
            } finally {
                mutex.unlock();
            }
        }

        @GuardedBy("mutex")
        private void checkMayChange() {
            if (handle.mode() == LockMode.READ) {
                throw new IllegalStateException(
                        handle.hold().lock().title() + " is held for reading; its value is changed under a write lock");
            }
            if (closed) {
                throw new IllegalStateException(handle.hold().lock().title() + " was given back already");
            }
        }

        private void write(byte @Nullable [] bytes) {
            try {
                store.write(handle.hold(), bytes).join();
            } catch (CompletionException e) {
                throw asThrown(e.getCause() == null ? e : e.getCause());
            }
        }

        @Override
        public LockHandle handle() {
            return handle;
        }

        @Override
        public void close() {
            mutex.lock();
            try {
                if (closed) {
                    return;
                }
                closed = true;
                awaitStore();
            } finally {
                mutex.unlock();
            }
            boolean done = false;
            try {
                save();
                done = true;
            } finally {
                if (done) {
                    handle.close();
                } else {
                    handle.giveBack();
                }
            }
        }

        /** Stores what was set. */
        private void save() {
            byte[] last;
            mutex.lock();
            try {
                if (!changed) {
                    return;
                }
                last = unsaved;
            } finally {
                mutex.unlock();
            }
            write(last);
        }

        @Override
        public String toString() {
            return "Guarded.Held[" + handle + "]";
        }
    }
}
