// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/** Addresses with ports as text. Only literal addresses are used: a host name would need a look-up. */
public final class SocketAddresses {
    private static final int MAX_PORT = 65_535;

    private SocketAddresses() {}

    /** Returns {@code address:port}, with an IPv6 address in brackets and without the interface's name on this host. */
    public static String text(InetAddress address, int port) {
        String bare = NetUtil.toAddressString(address);
        return (bare.indexOf(':') >= 0 ? "[" + bare + "]" : bare) + ":" + port;
    }

    /** Returns {@code address:port} of a socket, empty if it has none. */
    public static String textOf(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress internet && internet.getAddress() != null
                ? text(internet.getAddress(), internet.getPort())
                : "";
    }

    /** Returns an address and port, or null for anything else. A name is not looked up. */
    public static @Nullable InetSocketAddress parse(String hostAndPort) {
        try {
            URI uri = new URI("tcp://" + hostAndPort);
            String host = uri.getHost();
            if (host == null || uri.getPort() < 0 || uri.getPort() > MAX_PORT) {
                return null;
            }
            String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            InetAddress address = bare.indexOf('%') >= 0 ? null : NetUtil.createInetAddressFromIpAddressString(bare);
            return address == null ? null : new InetSocketAddress(address, uri.getPort());
        } catch (URISyntaxException e) {
            return null;
        }
    }
}
