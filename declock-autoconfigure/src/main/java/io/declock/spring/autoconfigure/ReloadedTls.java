// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.TlsMaterial;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;

/**
 * The TLS context of an SSL bundle. It is made again when the bundle changes: with {@code reload-on-update} the registry has a new bundle
 * after the files have changed. New connections use the new context; established connections continue unchanged. Thread-safe.
 */
final class ReloadedTls implements Supplier<SSLContext> {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedTls.class);

    private final Supplier<@Nullable SslBundle> bundles;
    private volatile Made made;

    private record Made(SslBundle bundle, SSLContext context) {}

    private ReloadedTls(Supplier<@Nullable SslBundle> bundles, SslBundle first) {
        this.bundles = bundles;
        this.made = new Made(first, first.createSslContext());
    }

    /**
     * Returns the TLS material of the configured bundle, null if none is configured.
     *
     * @param client whether it is for connecting; otherwise it is for accepting
     */
    static @Nullable TlsMaterial of(DecLockConnectionDetails details, boolean client) {
        SslBundle bundle = details.getSslBundle();
        return bundle == null
                ? null
                : new TlsMaterial(
                        new ReloadedTls(details::getSslBundle, bundle), TcpFabricFactory.parameters(bundle, client));
    }

    @Override
    public SSLContext get() {
        Made last = made;
        try {
            SslBundle now = bundles.get();
            if (now != null && now != last.bundle) {
                last = new Made(now, now.createSslContext());
                made = last;
                LOG.info("The SSL bundle has changed; new connections use it");
            }
        } catch (RuntimeException e) {
            // The old certificate, which may still be valid, is better than none.
            LOG.warn("The changed SSL bundle cannot be used; new connections still use the previous one", e);
        }
        return last.context;
    }
}
