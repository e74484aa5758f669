// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.LockMode;
import io.declock.evaluation.data.Verbs;
import io.declock.evaluation.load.Chance;
import io.declock.evaluation.store.CacheRequest.Operation;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client of a store. One chain reads the bucket's head and the object's home slot; another READ follows only if the object is elsewhere or larger than usual. One chain writes object and head: nobody
 * reads between them, because of the lock.
 */
final class StoreClient implements ApplicationClient {
    private static final int HEAD = 0;
    private static final int OBJECT = 1;

    private final int number;
    private final ApplicationWorld world;
    private final StoreLayout layout;
    private final int locks;
    private final CacheLoad load;
    private final StoreObserver observer;
    private final CacheLoad.Requests requests;
    private long stamps;

    private long since;

    StoreClient(
            int number, ApplicationWorld world, StoreLayout layout, int locks, CacheLoad load, StoreObserver observer) {
        this.number = number;
        this.world = world;
        this.layout = layout;
        this.locks = locks;
        this.load = load;
        this.observer = observer;
        this.requests = load.requests(number, Chance.of(world));
    }

    @Override
    public void start() {
        CacheRequest next = requests.next();
        if (next == null) {
            return;
        }
        since = world.now();
        LockMode mode = next.operation() == Operation.GET ? LockMode.READ : LockMode.WRITE;
        world.acquire(lock(next), mode, () -> execute(next));
    }

    private int lock(CacheRequest asked) {
        return layout.bucket(asked.key().tag()) % locks;
    }

    private void execute(CacheRequest asked) {
        switch (asked.operation()) {
            case GET -> readObject(asked, this::got);
            case PREPEND -> readObject(asked, found -> prepend(asked, found));
            case SET -> readHead(asked, head -> set(asked, head));
            case DELETE -> readHead(asked, head -> delete(asked, head));
        }
    }

    private void end(CacheRequest asked) {
        world.release(lock(asked), () -> {
            world.done(asked.operation().ordinal(), since);
            world.after(0, this::start);
        });
    }

    // ---------------------------------------------------------------- reading

    /**
     * What was found of an object.
     *
     * @param slot its slot
     * @param object null if there is none
     */
    private record Found(
            CacheRequest asked, int slot, @Nullable StoredObject object) {}

    private void readHead(CacheRequest asked, Consumer<BucketHead> then) {
        long word = layout.head(layout.bucket(asked.key().tag()));
        Verbs.read(world, word, layout.headWords(), words -> then.accept(new BucketHead(layout, words)));
    }

    private void readObject(CacheRequest asked, Consumer<Found> then) {
        long tag = asked.key().tag();
        int bucket = layout.bucket(tag);
        int home = layout.home(tag);
        int usual = StoredObject.words(asked.key().length(), Math.min(load.usualValueBytes(), load.valueBytes()));
        world.post(Verbs.then(results -> {
                    BucketHead head = new BucketHead(layout, Verbs.words(results, HEAD, layout.headWords()));
                    int slot = head.find(tag);
                    if (slot == BucketHead.NONE) {
                        then.accept(new Found(asked, slot, null));
                        return;
                    }
                    int words = StoredObject.words(asked.key().length(), StoredObject.valueBytes(head.state(slot)));
                    if (slot == home && words <= usual) {
                        then.accept(found(asked, head, slot, Verbs.words(results, OBJECT, usual)));
                    } else {
                        Verbs.read(
                                world,
                                layout.object(bucket, slot),
                                words,
                                read -> then.accept(found(asked, head, slot, read)));
                    }
                })
                .read(world.address(layout.head(bucket)), layout.headWords())
                .read(world.address(layout.object(bucket, home)), usual));
    }

    private static Found found(CacheRequest asked, BucketHead head, int slot, long[] words) {
        return new Found(asked, slot, StoredObject.read(asked.key(), head.state(slot), words));
    }

    private void got(Found found) {
        StoredObject object = found.object();
        observer.got(found.asked().key(), object == null ? null : object.value(), since, world.now());
        end(found.asked());
    }

    // ---------------------------------------------------------------- writing

    private void set(CacheRequest asked, BucketHead head) {
        long tag = asked.key().tag();
        int slot = head.find(tag);
        if (slot == BucketHead.NONE) {
            slot = head.free(tag);
        }
        int victim = slot == BucketHead.NONE ? layout.home(tag) : BucketHead.NONE;
        int own = slot == BucketHead.NONE ? victim : slot;
        long evicted = victim == BucketHead.NONE ? 0 : head.tag(victim);
        int version = StoredObject.version(head.state(own)) + 1;
        write(asked, own, evicted, new StoredObject(asked.key(), version, newValue(asked)));
    }

    private byte[] newValue(CacheRequest asked) {
        return ObjectStore.value(
                Math.min(asked.valueBytes(), load.valueBytes()), (long) number + 1 << Integer.SIZE | ++stamps);
    }

    private void prepend(CacheRequest asked, Found found) {
        StoredObject old = found.object();
        if (old == null) {
            end(asked);
            return;
        }
        byte[] first = newValue(asked);
        byte[] all = Arrays.copyOf(first, Math.min(load.valueBytes(), first.length + old.value().length));
        System.arraycopy(old.value(), 0, all, first.length, all.length - first.length);
        write(asked, found.slot(), 0, new StoredObject(asked.key(), old.version() + 1, all));
    }

    /**
     * Writes an object and what its bucket's head says of it.
     *
     * @param evicted tag of the object that was in its slot and goes, zero if none goes
     */
    private void write(CacheRequest asked, int slot, long evicted, StoredObject object) {
        long tag = asked.key().tag();
        int bucket = layout.bucket(tag);
        long begun = world.now();
        world.post(Verbs.then(results -> {
                    long ended = world.now();
                    if (evicted != 0) {
                        observer.wrote(evicted, null, begun, ended);
                    }
                    observer.wrote(tag, object.value(), begun, ended);
                    end(asked);
                })
                .write(world.address(layout.object(bucket, slot)), object.words())
                .write(address(bucket, slot, 0), tag)
                .write(address(bucket, slot, 1), object.state()));
    }

    private long address(int bucket, int slot, int word) {
        return world.address(layout.head(bucket) + (long) slot * StoreLayout.HEAD_WORDS + word);
    }

    /** The state stays, so that the next object in the slot has another version. */
    private void delete(CacheRequest asked, BucketHead head) {
        long tag = asked.key().tag();
        int slot = head.find(tag);
        if (slot == BucketHead.NONE) {
            end(asked);
            return;
        }
        long begun = world.now();
        world.post(Verbs.then(results -> {
                    observer.wrote(tag, null, begun, world.now());
                    end(asked);
                })
                .write(address(layout.bucket(tag), slot, 0), 0));
    }
}
