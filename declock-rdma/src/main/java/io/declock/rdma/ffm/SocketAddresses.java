// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.declock.rdma.verbs.Layouts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;

/** Converts socket addresses to structs and back. */
final class SocketAddresses {
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;

    private SocketAddresses() {}

    static MemorySegment write(Arena arena, SocketAddress address) throws IOException {
        if (!(address instanceof InetSocketAddress inet) || inet.isUnresolved()) {
            throw new IOException(address + " is not a resolved internet address");
        }
        byte[] bytes = inet.getAddress().getAddress();
        boolean four = inet.getAddress() instanceof Inet4Address;
        MemorySegment struct = arena.allocate(four ? Layouts.SOCKADDR_IN : Layouts.SOCKADDR_IN6);
        struct.set(JAVA_SHORT, 0, four ? AF_INET : AF_INET6);
        struct.set(JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), Short.BYTES, (short) inet.getPort());
        long at = four
                ? Layouts.offset(Layouts.SOCKADDR_IN, "sin_addr")
                : Layouts.offset(Layouts.SOCKADDR_IN6, "sin6_addr");
        MemorySegment.copy(bytes, 0, struct, JAVA_BYTE, at, bytes.length);
        if (!four) {
            struct.set(
                    java.lang.foreign.ValueLayout.JAVA_INT,
                    Layouts.offset(Layouts.SOCKADDR_IN6, "sin6_scope_id"),
                    ((Inet6Address) inet.getAddress()).getScopeId());
        }
        return struct;
    }

    static InetSocketAddress read(MemorySegment struct) throws IOException {
        short family = struct.get(JAVA_SHORT, 0);
        int port = struct.get(JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), Short.BYTES) & 0xFFFF;
        if (family != AF_INET && family != AF_INET6) {
            throw new IOException("the address family " + family + " is neither IPv4 nor IPv6");
        }
        byte[] bytes = family == AF_INET
                ? struct.asSlice(Layouts.offset(Layouts.SOCKADDR_IN, "sin_addr"), 4)
                        .toArray(JAVA_BYTE)
                : struct.asSlice(Layouts.offset(Layouts.SOCKADDR_IN6, "sin6_addr"), 16)
                        .toArray(JAVA_BYTE);
        return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    }
}
