// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.ibm.disni.verbs.RdmaProvider;
import io.declock.rdma.ffm.FfmBackend;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Chooses the provider of verbs, once per process: DiSNI keeps one for good. Thread-safe. */
public final class Providers {
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static @Nullable VerbsBackend chosen;

    private Providers() {}

    /**
     * Returns the provider of that name; the first one asked for stays that of the process.
     *
     * @param name {@code ffm}, or {@code auto} for the best that there is
     * @throws IOException if it cannot be had; says what to do
     */
    public static VerbsBackend provider(String name) throws IOException {
        LOCK.lock();
        try {
            VerbsBackend known = chosen;
            if (known == null) {
                known = load(name);
                chosen = known;
            } else if (!name.equals("auto") && !name.equals(known.name())) {
                throw new IOException("declock.rdma.provider is " + name + ", but this process uses " + known.name()
                        + " already and DiSNI keeps its provider for good");
            }
            return known;
        } finally {
            LOCK.unlock();
        }
    }

    private static VerbsBackend load(String name) throws IOException {
        return switch (name) {
            case FfmBackend.NAME, "auto" -> ffm();
            default -> throw new IOException("declock.rdma.provider is '" + name + "', but must be ffm or auto");
        };
    }

    private static VerbsBackend ffm() throws IOException {
        FfmBackend backend = FfmBackend.load();
        install(backend.provider());
        return backend;
    }

    /** DiSNI has no other way to be given a provider than its private field, which it fills at first use if it is empty. */
    private static void install(RdmaProvider provider) throws IOException {
        try {
            Field field = RdmaProvider.class.getDeclaredField("provider");
            field.setAccessible(true);
            field.set(null, provider);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IOException("this release of DiSNI takes no other provider; use com.ibm.disni:disni:2.0", e);
        }
    }
}
