// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.ibm.disni.verbs.RdmaProvider;
import io.declock.rdma.disni.DisniBackend;
import io.declock.rdma.ffm.FfmBackend;
import io.declock.rdma.verbs.VerbsBackend;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses the provider of verbs, once per process: DiSNI never changes its provider. Thread-safe. */
public final class Providers {
    /** The name that stands for the first provider that loads. */
    static final String AUTO = "auto";

    private static final Logger LOG = LoggerFactory.getLogger(Providers.class);
    private static final ReentrantLock LOCK = new ReentrantLock();

    @GuardedBy("LOCK")
    private static @Nullable VerbsBackend chosen;

    private Providers() {}

    /**
     * Returns the provider of that name; the first one requested remains the provider of the process.
     *
     * @param name {@code ffm}, {@code disni}, or {@code auto} for the first of them that loads
     * @throws IOException if it cannot be used; the message says what to do
     */
    public static VerbsBackend provider(String name) throws IOException {
        LOCK.lock();
        try {
            VerbsBackend known = chosen;
            if (known == null) {
                known = load(name);
                chosen = known;
            } else if (!name.equals(AUTO) && !name.equals(known.name())) {
                throw new IOException("declock.rdma.provider is " + name + ", but this process already uses "
                        + known.name() + ", and DiSNI cannot change its provider");
            }
            return known;
        } finally {
            LOCK.unlock();
        }
    }

    static VerbsBackend load(String name) throws IOException {
        return switch (name) {
            case FfmBackend.NAME -> ffm();
            case DisniBackend.NAME -> disni();
            case AUTO -> firstThatLoads(Providers::ffm, Providers::disni);
            default -> throw new IOException("declock.rdma.provider is '" + name + "', but must be ffm, disni or auto");
        };
    }

    /** Loads a provider. */
    @FunctionalInterface
    interface Loader {
        VerbsBackend load() throws IOException;
    }

    static VerbsBackend firstThatLoads(Loader first, Loader second) throws IOException {
        try {
            return first.load();
        } catch (IOException e) {
            try {
                VerbsBackend backend = second.load();
                LOG.info(
                        "Verbs use the provider '{}', because the first one failed: {}",
                        backend.name(),
                        e.getMessage());
                return backend;
            } catch (IOException alternative) {
                // Report the first failure: most users lack rdma-core, and few have a libdisni.
                e.addSuppressed(alternative);
                throw e;
            }
        }
    }

    private static VerbsBackend disni() throws IOException {
        DisniBackend backend = DisniBackend.load();
        install(backend.provider());
        return backend;
    }

    private static VerbsBackend ffm() throws IOException {
        FfmBackend backend = FfmBackend.load();
        install(backend.provider());
        return backend;
    }

    /** Sets DiSNI's provider in its private field, which DiSNI fills at first use if it is empty; there is no other way. */
    static void install(RdmaProvider provider) throws IOException {
        try {
            Field field = RdmaProvider.class.getDeclaredField("provider");
            field.setAccessible(true);
            field.set(null, provider);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IOException("this release of DiSNI accepts no other provider; use com.ibm.disni:disni:2.0", e);
        }
    }
}
