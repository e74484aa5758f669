// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/** The name of this instance: the configured one, or one made from the port it listens on. Thread-safe. */
@Component
public class InstanceName implements ApplicationListener<WebServerInitializedEvent> {
    private final @Nullable String configured;
    private volatile int port;

    /** Takes the name from the properties. */
    public InstanceName(ShopProperties properties) {
        this.configured = properties.instance();
    }

    @Override
    public void onApplicationEvent(WebServerInitializedEvent event) {
        port = event.getWebServer().getPort();
    }

    /** Returns the name. */
    public String get() {
        return configured != null && !configured.isEmpty() ? configured : "shop-" + port;
    }

    /** Returns the address of this instance's page, empty before the page is served. */
    public String url() {
        return port == 0 ? "" : "http://localhost:" + port + "/";
    }
}
