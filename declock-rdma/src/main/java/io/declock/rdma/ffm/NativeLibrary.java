// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.declock.rdma.verbs.Errno;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * One shared library. Its functions are bound once, by C name, and {@code errno} is captured in the call itself, because the JVM may
 * change it between two calls. Not for the fast path. Thread-safe.
 */
@SuppressWarnings("restricted") // This class binds native functions.
final class NativeLibrary {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURED.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final String name;
    private final SymbolLookup symbols;

    /** Makes a library whose functions a symbol look-up finds. */
    NativeLibrary(String name, SymbolLookup symbols) {
        this.name = name;
        this.symbols = symbols;
    }

    /**
     * Loads a library for the life of the JVM.
     *
     * @param soname name with its version, as the dynamic linker knows it
     * @throws IOException if it does not exist
     */
    static NativeLibrary load(String soname) throws IOException {
        try {
            return new NativeLibrary(soname, SymbolLookup.libraryLookup(soname, Arena.global()));
        } catch (IllegalArgumentException e) {
            throw new IOException("cannot load " + soname + ": " + e.getMessage(), e);
        }
    }

    /** Returns the C library that the JVM itself uses. */
    static NativeLibrary libc() {
        return new NativeLibrary("libc", LINKER.defaultLookup());
    }

    /**
     * Binds a function.
     *
     * @throws IOException if the library has no function of that name
     */
    Function bind(String function, FunctionDescriptor descriptor) throws IOException {
        MemorySegment address =
                symbols.find(function).orElseThrow(() -> new IOException(name + " has no function " + function));
        return new Function(
                function, LINKER.downcallHandle(address, descriptor, Linker.Option.captureCallState("errno")));
    }

    /** Binds {@code int function(arguments)}. */
    Function bindInt(String function, MemoryLayout... arguments) throws IOException {
        return bind(function, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    /** Binds {@code void *function(arguments)}. */
    Function bindPointer(String function, MemoryLayout... arguments) throws IOException {
        return bind(function, FunctionDescriptor.of(ADDRESS, arguments));
    }

    /** A bound function. Thread-safe. */
    static final class Function {
        private final String name;
        private final MethodHandle handle;

        private Function(String name, MethodHandle handle) {
            this.name = name;
            this.handle = handle;
        }

        /** Calls a function that returns 0 or more, or -1 with {@code errno} set. */
        int orMinusOne(Object... arguments) throws NativeCallException {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment captured = arena.allocate(CAPTURED);
                int result = (int) call(captured, arguments);
                if (result < 0) {
                    throw new NativeCallException(name, (int) ERRNO.get(captured, 0L));
                }
                return result;
            }
        }

        /** Calls a function that returns 0 or more, or -1 with {@code errno} set; returns false for EAGAIN and EINTR. */
        boolean orNotYet(Object... arguments) throws NativeCallException {
            try {
                orMinusOne(arguments);
                return true;
            } catch (NativeCallException e) {
                if (e.errno() == Errno.EAGAIN.number() || e.errno() == Errno.EINTR.number()) {
                    return false;
                }
                throw e;
            }
        }

        /** Calls a function that returns 0 or the error's number. */
        void orErrno(Object... arguments) throws NativeCallException {
            try (Arena arena = Arena.ofConfined()) {
                int result = (int) call(arena.allocate(CAPTURED), arguments);
                if (result != 0) {
                    throw new NativeCallException(name, Math.abs(result));
                }
            }
        }

        /** Calls a function that returns a pointer, or NULL with {@code errno} set. */
        MemorySegment orNull(Object... arguments) throws NativeCallException {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment captured = arena.allocate(CAPTURED);
                MemorySegment result = (MemorySegment) call(captured, arguments);
                if (result.address() == 0) {
                    throw new NativeCallException(name, (int) ERRNO.get(captured, 0L));
                }
                return result;
            }
        }

        /** Calls a function that returns nothing. */
        void orNothing(Object... arguments) {
            try (Arena arena = Arena.ofConfined()) {
                call(arena.allocate(CAPTURED), arguments);
            }
        }

        private Object call(MemorySegment captured, Object... arguments) {
            Object[] all = new Object[arguments.length + 1];
            all[0] = captured;
            System.arraycopy(arguments, 0, all, 1, arguments.length);
            try {
                return handle.invokeWithArguments(all);
            } catch (Throwable e) {
                // A downcall throws only for wrong arguments.
                throw new IllegalStateException("calling " + name + " failed", e);
            }
        }
    }
}
