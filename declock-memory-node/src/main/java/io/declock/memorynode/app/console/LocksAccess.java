// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;

/** What the page can ask of the Actuator endpoint {@code locks}. Thread-safe. */
class LocksAccess {
    private static final EndpointId LOCKS = EndpointId.of("locks");

    private final PathMappedEndpoints endpoints;
    private final EndpointAccessResolver access;

    LocksAccess(PathMappedEndpoints endpoints, EndpointAccessResolver access) {
        this.endpoints = endpoints;
        this.access = access;
    }

    /** Returns its path, or null if it is not exposed. */
    @Nullable
    String path() {
        return endpoints.getPath(LOCKS);
    }

    /** Returns why a user cannot end holds, empty if the user can. */
    String cannotEnd(boolean operator) {
        if (!operator) {
            return "Only the user 'operator' ends holds.";
        }
        return access.accessFor(LOCKS, Access.READ_ONLY) == Access.UNRESTRICTED
                ? ""
                : "Holds are ended here if management.endpoint.locks.access is 'unrestricted'.";
    }
}
