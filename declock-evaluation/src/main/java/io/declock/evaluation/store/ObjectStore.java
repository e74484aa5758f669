// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.protocols.application.Application;
import io.declock.protocols.application.ApplicationClient;
import io.declock.protocols.application.ApplicationWorld;
import java.util.HashMap;
import java.util.Map;

/**
 * An object store: objects in fixed slots, in buckets by hash, each bucket behind one of the locks. A client reads under the bucket's read lock, and writes under its write lock. Immutable,
 * apart from what its clients have.
 */
public final class ObjectStore implements Application {
    private final Settings settings;
    private final CacheLoad load;
    private final StoreObserver observer;
    private final StoreLayout layout;

    /**
     * How large the store is.
     *
     * @param buckets number of buckets
     * @param slots slots of a bucket, a power of two
     * @param locks number of locks, at most one for each bucket
     */
    public record Settings(int buckets, int slots, int locks) {
        /** Returns settings with room for twice as many objects, and a lock for each bucket. */
        public static Settings forObjects(int objects) {
            int buckets = Math.max(1, (objects + 1) / 2);
            return new Settings(buckets, 4, buckets);
        }
    }

    /** Makes a store. */
    public ObjectStore(Settings settings, CacheLoad load) {
        this(settings, load, StoreObserver.NONE);
    }

    /** Makes a store that is observed. */
    public ObjectStore(Settings settings, CacheLoad load, StoreObserver observer) {
        if (settings.locks() < 1 || settings.locks() > settings.buckets()) {
            throw new IllegalArgumentException(settings.locks() + " locks for " + settings.buckets() + " buckets");
        }
        this.settings = settings;
        this.load = load;
        this.observer = observer;
        this.layout = new StoreLayout(
                settings.buckets(), settings.slots(), StoredObject.words(load.keyBytes(), load.valueBytes()));
    }

    @Override
    public String name() {
        return "object store, " + load.name();
    }

    @Override
    public int locks() {
        return settings.locks();
    }

    @Override
    public long words() {
        return layout.words();
    }

    /** {@inheritDoc} An object whose bucket is full is left out, as a cache's objects are. */
    @Override
    public void load(Loader loader) {
        Map<Integer, long[]> heads = new HashMap<>();
        load.objects(request -> {
            long tag = request.key().tag();
            int bucket = layout.bucket(tag);
            BucketHead head =
                    new BucketHead(layout, heads.computeIfAbsent(bucket, any -> new long[layout.headWords()]));
            int slot = head.find(tag) == BucketHead.NONE ? head.free(tag) : BucketHead.NONE;
            if (slot != BucketHead.NONE) {
                StoredObject object = new StoredObject(
                        request.key(), 1, value(Math.min(request.valueBytes(), load.valueBytes()), tag));
                head.put(slot, tag, object.state());
                loader.write(layout.object(bucket, slot), object.words());
            }
        });
        heads.forEach((bucket, words) -> loader.write(layout.head(bucket), words));
    }

    /** Returns the value with a stamp. */
    static byte[] value(int length, long stamp) {
        byte[] bytes = new byte[length];
        Bytes.fill(bytes, stamp);
        return bytes;
    }

    @Override
    public ApplicationClient client(int number, ApplicationWorld world) {
        return new StoreClient(number, world, layout, settings.locks(), load, observer);
    }
}
