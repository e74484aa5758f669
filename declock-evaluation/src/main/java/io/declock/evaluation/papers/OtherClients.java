// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.protocols.application.Application;

/** An application with the data of another one, whose clients it makes otherwise. */
interface OtherClients extends Application {
    /** Returns the application whose data it has. */
    Application application();

    @Override
    default String name() {
        return application().name();
    }

    @Override
    default int locks() {
        return application().locks();
    }

    @Override
    default long words() {
        return application().words();
    }

    @Override
    default void load(Loader loader) {
        application().load(loader);
    }
}
