// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Compute nodes on another provider than that of the memory node in the same process: DiSNI has one provider per process, so this
 * module and DiSNI are loaded a second time.
 */
final class OwnLibraries extends URLClassLoader {
    /** Names the directory of libdisni.so where there is one. */
    static final String DISNI = "declock.test.disni";

    private static final OwnLibraries ONLY = new OwnLibraries();

    private OwnLibraries() {
        super(classPath(), OwnLibraries.class.getClassLoader());
    }

    private static URL[] classPath() {
        List<URL> path = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            try {
                path.add(Path.of(each).toUri().toURL());
            } catch (MalformedURLException e) {
                throw new IllegalStateException(e);
            }
        }
        return path.toArray(new URL[0]);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("io.declock.rdma.") && !name.startsWith("com.ibm.disni.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? findClass(name) : known;
        }
    }

    /** Opens a fabric on DiSNI's native library. */
    static Fabric disni(TcpFabric tcp, NodeCounters counters) throws IOException {
        try {
            RdmaFabricProvider provider = (RdmaFabricProvider) ONLY.loadClass(VerbsFabricProvider.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            return provider.open(Map.of("provider", "disni", "address", RdmaRig.host()), tcp, counters);
        } catch (AdapterException | ReflectiveOperationException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
