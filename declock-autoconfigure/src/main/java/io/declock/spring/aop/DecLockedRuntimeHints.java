// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers for native images the members that key expressions read by reflection. {@link io.declock.spring.DecLocked} registers the
 * locked methods and their fallbacks itself.
 */
public final class DecLockedRuntimeHints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection().registerType(LockedCall.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
