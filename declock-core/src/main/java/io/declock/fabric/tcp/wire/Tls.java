// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.fabric.tcp.wire;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** Puts TLS below a connection. */
public final class Tls {
    private static final String VERIFY_HOST = "HTTPS";

    private Tls() {}

    /** Adds the accepting side; nothing without a context. */
    public static void addServer(
            ChannelPipeline pipeline, @Nullable SSLContext context, @Nullable SSLParameters parameters) {
        if (context != null) {
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            if (parameters != null) {
                engine.setSSLParameters(parameters);
            }
            pipeline.addLast(new SslHandler(engine));
        }
    }

    /**
     * Adds the connecting side; nothing without a context.
     *
     * @param parameters null: the defaults, and the certificate must be for the host that was asked for
     * @param verifyHost false: the certificate need not be for the host, whatever the parameters say
     */
    public static void addClient(
            ChannelPipeline pipeline,
            @Nullable SSLContext context,
            @Nullable SSLParameters parameters,
            boolean verifyHost,
            String host,
            int port) {
        if (context != null) {
            SSLEngine engine = context.createSSLEngine(host, port);
            engine.setUseClientMode(true);
            if (parameters != null) {
                engine.setSSLParameters(parameters);
            }
            // A copy of what was just set: the given object is shared.
            SSLParameters used = engine.getSSLParameters();
            if (!verifyHost) {
                used.setEndpointIdentificationAlgorithm(null);
            } else if (parameters == null) {
                used.setEndpointIdentificationAlgorithm(VERIFY_HOST);
            }
            engine.setSSLParameters(used);
            pipeline.addLast(new SslHandler(engine));
        }
    }
}
