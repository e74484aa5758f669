// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test.shop;

import io.declock.spring.DecLocked;
import io.declock.spring.OnFailure;
import org.springframework.stereotype.Service;

/** Its locked methods. */
@Service
public class Shop {
    /** Runs the step while it holds the lock of the order. */
    @DecLocked(name = "order", key = "#id")
    public String ship(long id, Runnable step) {
        step.run();
        return "shipped";
    }

    /** Does not wait for another one that ships the order. */
    @DecLocked(name = "order", key = "#id", waitTime = "0", onFailure = OnFailure.FALLBACK, fallback = "later")
    public String tryShip(long id) {
        return "shipped";
    }

    private String later(long id) {
        return "later";
    }
}
