// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.disni;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.impl.NativeDispatcher;
import com.ibm.disni.verbs.impl.RdmaProviderNat;
import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;

/**
 * DiSNI's native library, loaded and checked.
 *
 * @param provider DiSNI's provider on it
 * @param dispatcher the library's functions
 */
record LibDisni(RdmaProviderNat provider, NativeDispatcher dispatcher) {
    private static final String BUILD =
            "Build libdisni.so from the sources of DiSNI 2.0 (https://github.com/zrlio/disni, directory libdisni: ./autoprepare.sh,"
                    + " ./configure --with-jdk=..., make install; needs the headers of libibverbs and librdmacm), and put its directory"
                    + " into LD_LIBRARY_PATH or -Djava.library.path; or set declock.rdma.provider to ffm, which needs none of this.";
    private static final String EXPORT =
            "Start Java with --add-exports java.base/sun.nio.ch=ALL-UNNAMED; or set declock.rdma.provider to ffm, which does not need it.";
    private static final String OTHER =
            "Use com.ibm.disni:disni:2.0 and a libdisni.so built from the same release; or set"
                    + " declock.rdma.provider to ffm.";

    /**
     * Loads it.
     *
     * @throws DisniUnavailableException if it cannot be used; its action says what to do
     */
    static LibDisni load() throws DisniUnavailableException {
        RdmaProviderNat provider = newProvider();
        needsExport();
        NativeDispatcher dispatcher = dispatcherOf(provider);
        checkLayouts(dispatcher);
        return new LibDisni(provider, dispatcher);
    }

    private static RdmaProviderNat newProvider() throws DisniUnavailableException {
        try {
            return new RdmaProviderNat();
        } catch (LinkageError e) {
            // Once loading has failed, the class stays unusable. Later messages say less, but the first one was
            // reported.
            throw new DisniUnavailableException(
                    "DiSNI's native library cannot be loaded (java.library.path is "
                            + System.getProperty("java.library.path") + "): " + e.getMessage(),
                    BUILD,
                    e);
        } catch (IOException e) {
            throw new DisniUnavailableException(
                    "DiSNI's native library does not match its classes: " + e.getMessage(), OTHER, e);
        }
    }

    /** Checks that DiSNI may use the internal class of the JDK from which it gets the addresses of its buffers. */
    static void needsExport() throws DisniUnavailableException {
        try {
            MemoryUtils.getAddress(ByteBuffer.allocateDirect(Long.BYTES));
        } catch (IllegalAccessError e) {
            throw new DisniUnavailableException(
                    "DiSNI's classes may not use sun.nio.ch in this JVM: " + e.getMessage(), EXPORT, e);
        }
    }

    /** Returns DiSNI's functions, which take requests from memory as they are; its stateful calls cannot write an atomic. */
    private static NativeDispatcher dispatcherOf(RdmaProviderNat provider) throws DisniUnavailableException {
        try {
            Field field = RdmaProviderNat.class.getDeclaredField("nativeDispatcher");
            field.setAccessible(true);
            return (NativeDispatcher) field.get(provider);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new DisniUnavailableException("this release of DiSNI has other internal classes", OTHER, e);
        }
    }

    private static void checkLayouts(NativeDispatcher dispatcher) throws DisniUnavailableException {
        check("struct ibv_send_wr", dispatcher._getIbvSendWRSize(), Layouts.IBV_SEND_WR.byteSize());
        check("struct ibv_recv_wr", dispatcher._getIbvRecvWRSize(), Layouts.IBV_RECV_WR.byteSize());
        check("struct ibv_sge", dispatcher._getIbvSgeSize(), Layouts.IBV_SGE.byteSize());
        check("struct ibv_wc", dispatcher._getIbvWCSize(), Layouts.IBV_WC.byteSize());
        check(
                "the remote address in struct ibv_send_wr",
                dispatcher._getRemoteAddressOffset(),
                Layouts.offset(Layouts.IBV_SEND_WR, "remote_addr"));
        check(
                "the key in struct ibv_send_wr",
                dispatcher._getRKeyOffset(),
                Layouts.offset(Layouts.IBV_SEND_WR, "compare_add"));
    }

    static void check(String what, long found, long expected) throws DisniUnavailableException {
        if (found != expected) {
            throw new DisniUnavailableException(
                    "libdisni was built for another layout: " + what + " is " + found + ", but " + expected
                            + " is expected",
                    OTHER);
        }
    }
}
