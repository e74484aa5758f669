// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Several {@link DecLocked} on one element. All locks are taken in one request. Attributes other than name, key and mode
 * apply to the request as a whole: set them on one annotation, or to the same value on all of them.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DecLocks {
    /**
     * The locks.
     *
     * @return the annotations
     */
    DecLocked[] value();
}
