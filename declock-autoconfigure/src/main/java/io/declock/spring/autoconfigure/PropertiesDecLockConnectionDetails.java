// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.InvalidSettingException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/** Adapts {@link DecLockProperties} to {@link DecLockConnectionDetails}. */
final class PropertiesDecLockConnectionDetails implements DecLockConnectionDetails {
    private final DecLockProperties properties;
    private final @Nullable SslBundles sslBundles;

    PropertiesDecLockConnectionDetails(DecLockProperties properties, @Nullable SslBundles sslBundles) {
        this.properties = properties;
        this.sslBundles = sslBundles;
    }

    @Override
    public List<String> getMemoryNodes() {
        return properties.memoryNodes();
    }

    @Override
    public @Nullable String getSecret() {
        return StringUtils.hasLength(properties.secret()) ? properties.secret() : null;
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        String bundle = properties.ssl().bundle();
        if (!StringUtils.hasLength(bundle)) {
            return null;
        }
        try {
            if (sslBundles != null) {
                return sslBundles.getBundle(bundle);
            }
        } catch (NoSuchSslBundleException e) {
            throw unknown(bundle, e);
        }
        throw unknown(bundle, null);
    }

    private InvalidSettingException unknown(String bundle, @Nullable Throwable cause) {
        String known = sslBundles == null || sslBundles.getBundleNames().isEmpty()
                ? "There are no SSL bundles"
                : "The SSL bundles are " + String.join(", ", sslBundles.getBundleNames());
        return new InvalidSettingException(
                "declock.ssl.bundle",
                bundle,
                "there is no SSL bundle of that name",
                known + ". Define it under spring.ssl.bundle.pem or spring.ssl.bundle.jks, or correct the name.",
                cause);
    }
}
