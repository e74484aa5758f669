// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/** Makes the tables after DecLock has started and before the first request can arrive. */
@Component
class ShopOpening implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(ShopOpening.class);
    /** DecLock starts at the default phase minus 4096, the web server at the default phase minus 2048. */
    private static final int BEFORE_WEB_SERVER = DEFAULT_PHASE - 3072;

    private final ShopSchema schema;
    private final ShopProperties properties;
    private volatile boolean running;

    ShopOpening(ShopSchema schema, ShopProperties properties) {
        this.schema = schema;
        this.properties = properties;
    }

    @Override
    public void start() {
        if (!properties.isLocking()) {
            log.warn(
                    "shop.locking=off: ORDERS ARE TAKEN WITHOUT A LOCK AND WITHOUT A FENCE. This shop will sell more than it"
                            + " has: this setting exists to show that.");
        }
        schema.create();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return BEFORE_WEB_SERVER;
    }
}
