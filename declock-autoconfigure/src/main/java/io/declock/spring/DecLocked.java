// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import io.declock.LockMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method of a Spring bean while a distributed lock is held, and never without it.
 *
 * <pre>{@code
 * @DecLocked(name = "order", key = "#id")
 * public void ship(long id) { ... }              // holds "order:42" for writing
 * }</pre>
 *
 * <p>On a class it locks every public method that has no annotation of its own; on an interface every method of that
 * interface. The annotation nearest to the method wins. It may be repeated, and used as a meta-annotation with
 * {@link AliasFor @AliasFor}: all locks of one method are taken in one request, which cannot deadlock.
 *
 * <p>The lock is taken before a transaction begins and released after it ended, unless {@code declock.aop.order} says
 * otherwise. For methods that return a {@link java.util.concurrent.CompletionStage} or a reactive type, it is acquired
 * without blocking and held until the stage or publisher has terminated or was cancelled.
 *
 * @see DecLockContext
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DecLocks.class)
@Reflective(DecLockedReflectiveProcessor.class)
public @interface DecLocked {
    /**
     * Alias for {@link #key}.
     *
     * @return the expressions
     */
    @AliasFor("key")
    String[] value() default {};

    /**
     * SpEL expressions for the keys of the locks. An expression may use the parameters by name ({@code #id}) or position
     * ({@code #p0}, {@code #a0}), {@code #root.method}, {@code #root.methodName}, {@code #root.target},
     * {@code #root.targetClass}, {@code #root.args} and beans ({@code @bean}). Each expression yields one lock, or one lock per
     * element if it evaluates to a collection or array. Null, or an empty string, is an error.
     *
     * @return the expressions
     */
    @AliasFor("value")
    String[] key() default {};

    /**
     * First part of the lock's name, as plain text; placeholders are resolved. With a key, the lock's name is
     * {@code name:key}; without one, it is {@code name}.
     *
     * @return the text
     */
    String name() default "";

    /**
     * Whether readers may share the lock.
     *
     * @return the mode
     */
    LockMode mode() default LockMode.WRITE;

    /**
     * How long to wait for the lock, as {@code 5s} or {@code PT5S}; placeholders are resolved. Zero tries once without waiting.
     * Empty for {@code declock.wait-time}.
     *
     * @return the duration
     */
    String waitTime() default "";

    /**
     * Ceiling on one hold, as {@code 5s} or {@code PT5S}; placeholders are resolved. When the ceiling is reached, the lock is
     * released and counts as lost. Empty for no ceiling: the lock is held until the method ends.
     *
     * @return the duration
     */
    String leaseTime() default "";

    /**
     * How long the lock stays taken at least, as {@code 5s} or {@code PT5S}; placeholders are resolved. The time begins before the method is called, and
     * goes on if the method ends earlier, and also if this process leaves or dies. So a job that is started by the clocks of several machines runs once,
     * although it is shorter than these clocks differ. Only for the mode WRITE. Empty for a lock that is released with the method.
     *
     * @return the duration
     * @see io.declock.LockRequest#holdAtLeast
     */
    String holdAtLeast() default "";

    /**
     * What to do when the lock was not granted within the wait time.
     *
     * @return the strategy
     */
    OnFailure onFailure() default OnFailure.THROW;

    /**
     * For {@link OnFailure#FALLBACK}: name of a method of the same class to call instead, with the same parameters and
     * return type, and optionally one more parameter for the exception. The fallback runs without the lock. If its exception
     * parameter accepts a {@link io.declock.MemoryNodeUnavailableException}, the fallback is called for that failure as well.
     *
     * @return the method's name
     */
    String fallback() default "";

    /**
     * What to do when the method returned normally but its lock had been lost before.
     *
     * @return the strategy
     */
    OnLost onLost() default OnLost.THROW;

    /**
     * Whether the thread that runs the method is interrupted when the lock is lost, so that a long wait inside the method ends early.
     * A function of Kotlin that suspends, or the collection of a {@code Flow}, is cancelled. Not for methods that return a stage or another reactive type.
     *
     * @return whether it is interrupted
     */
    boolean interruptOnLost() default false;

    /**
     * When the lock is given back.
     *
     * @return the instant
     */
    Release release() default Release.AFTER_METHOD;
}
