// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.LockMode;
import io.declock.spring.DecLocked;
import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.OnFailure;
import io.declock.spring.OnLost;
import io.declock.spring.Release;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/** Compiles the annotations of each method once, and refuses annotations that cannot work. Thread-safe. */
final class LockedOperations {
    private final Map<MethodClassKey, LockedOperation> compiled = new ConcurrentHashMap<>();
    private final KeyCompiler keys;
    private final StringValueResolver placeholders;
    private final KotlinFunctions kotlin;

    LockedOperations(BeanFactory beanFactory) {
        this.keys = new KeyCompiler(beanFactory);
        this.kotlin = new KotlinFunctions(Coroutines.find(
                beanFactory instanceof ConfigurableBeanFactory factory
                        ? factory.getBeanClassLoader()
                        : Coroutines.class.getClassLoader()));
        this.placeholders = beanFactory instanceof ConfigurableBeanFactory factory
                ? new EmbeddedValueResolver(factory)
                : text -> text;
    }

    /**
     * Returns the operation for calls of that method on a target of that class.
     *
     * @throws DecLockedMisuseException if its annotations cannot work
     * @throws IllegalArgumentException if it has none
     */
    LockedOperation get(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        LockedOperation known = compiled.get(key);
        if (known != null) {
            return known;
        }
        List<DecLocked> annotations = DecLockedAnnotations.find(method, targetClass);
        if (annotations.isEmpty()) {
            throw new IllegalArgumentException(
                    Names.of(method) + " of " + targetClass.getName() + " is not @DecLocked");
        }
        LockedOperation operation = compile(
                AopUtils.getMostSpecificMethod(method, ClassUtils.getUserClass(targetClass)), targetClass, annotations);
        compiled.put(key, operation);
        return operation;
    }

    private LockedOperation compile(Method method, Class<?> targetClass, List<DecLocked> annotations) {
        OnFailure onFailure = common(method, annotations, "onFailure", DecLocked::onFailure, OnFailure.THROW);
        String fallback = common(method, annotations, "fallback", DecLocked::fallback, "");
        OnLost onLost = common(method, annotations, "onLost", DecLocked::onLost, OnLost.THROW);
        boolean interruptOnLost = common(method, annotations, "interruptOnLost", DecLocked::interruptOnLost, false);
        Release release = common(method, annotations, "release", DecLocked::release, Release.AFTER_METHOD);
        String waitTime = common(method, annotations, "waitTime", DecLocked::waitTime, "");
        String leaseTime = common(method, annotations, "leaseTime", DecLocked::leaseTime, "");
        String holdAtLeast = common(method, annotations, "holdAtLeast", DecLocked::holdAtLeast, "");
        checkLasting(method, annotations, holdAtLeast);
        ReturnKind kind = kind(method);
        ResolvableType declared = ResolvableType.forMethodReturnType(method, targetClass);
        ResolvableType result = switch (kind) {
            case PLAIN -> declared;
            case SUSPENDING -> KotlinFunctions.result(method, declared);
            case STAGE, REACTIVE, FLOW -> inner(declared);
        };
        if (kind == ReturnKind.SUSPENDING) {
            KotlinFunctions.checkSuspending(method, onFailure, result);
        }
        checkFailureStrategy(method, onFailure, fallback, kind, result);
        checkOneThread(method, kind, onLost, interruptOnLost, release);
        checkTransactions(method, release);
        return new LockedOperation(
                method,
                targetClass,
                annotations.stream().map(annotation -> lock(method, annotation)).toList(),
                duration(method, "waitTime", waitTime, true),
                duration(method, "leaseTime", leaseTime, false),
                duration(method, "holdAtLeast", holdAtLeast, false),
                onFailure,
                onFailure == OnFailure.FALLBACK ? Fallback.find(fallback, method, targetClass) : null,
                onLost,
                interruptOnLost,
                release,
                result,
                kind,
                keys);
    }

    private static void checkLasting(Method method, List<DecLocked> annotations, String holdAtLeast) {
        boolean shared = annotations.stream().anyMatch(each -> each.mode() == LockMode.READ);
        if (shared && !holdAtLeast.isEmpty()) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method)
                            + " has holdAtLeast for a lock of mode READ, which others may share meanwhile. Use mode WRITE, or leave holdAtLeast out.",
                    null);
        }
    }

    private LockedOperation.Lock lock(Method method, DecLocked annotation) {
        String name = resolve(method, "name", annotation.name());
        if (annotation.key().length == 0 && name.isBlank()) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method)
                            + " has neither a key nor a name, so there is nothing to lock. Set key = \"#parameter\", or a name.",
                    null);
        }
        List<KeyExpression> expressions = new ArrayList<>();
        for (String key : annotation.key()) {
            expressions.add(keys.compile(key, method));
        }
        LockMode mode = annotation.mode();
        return new LockedOperation.Lock(name, List.copyOf(expressions), mode);
    }

    private static <T> T common(
            Method method, List<DecLocked> annotations, String what, Function<DecLocked, T> attribute, T unset) {
        T common = unset;
        for (DecLocked annotation : annotations) {
            T value = attribute.apply(annotation);
            if (!value.equals(unset) && !common.equals(unset) && !value.equals(common)) {
                throw new DecLockedMisuseException(
                        "The @DecLocked annotations on " + Names.of(method) + " disagree in " + what + ": '" + common
                                + "' and '" + value + "'. They form one request: set it on one of them.",
                        null);
            }
            common = value.equals(unset) ? common : value;
        }
        return common;
    }

    private static void checkFailureStrategy(
            Method method, OnFailure onFailure, String fallback, ReturnKind kind, ResolvableType result) {
        if (onFailure == OnFailure.FALLBACK && fallback.isEmpty()) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " has onFailure = FALLBACK, but names no fallback method.",
                    null);
        }
        if (onFailure != OnFailure.FALLBACK && !fallback.isEmpty()) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " names the fallback '" + fallback + "', but has onFailure = "
                            + onFailure + ", so the fallback would never be called. Set onFailure = FALLBACK.",
                    null);
        }
        Class<?> emitted = result.resolve(Object.class);
        boolean hasResult = emitted != void.class && emitted != Void.class && !KotlinTypes.isUnit(emitted);
        if (onFailure == OnFailure.SKIP && hasResult) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " has onFailure = SKIP, but the method has a result ("
                            + (kind == ReturnKind.PLAIN || kind == ReturnKind.SUSPENDING ? "" : "of ")
                            + emitted.getSimpleName()
                            + "). Set RETURN_DEFAULT to return null or an empty value.",
                    null);
        }
    }

    private static void checkTransactions(Method method, Release release) {
        if (release == Release.AFTER_COMPLETION && !DecLockedInterceptor.TRANSACTIONS) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method)
                            + " has release = AFTER_COMPLETION, but there are no transactions: spring-tx is not on the class path.",
                    null);
        }
    }

    private static void checkOneThread(
            Method method, ReturnKind kind, OnLost onLost, boolean interruptOnLost, Release release) {
        boolean isCancellable = kind == ReturnKind.SUSPENDING || kind == ReturnKind.FLOW;
        String needsOne = interruptOnLost && !isCancellable
                ? "interruptOnLost"
                : onLost == OnLost.ROLL_BACK
                        ? "onLost = ROLL_BACK"
                        : release == Release.AFTER_COMPLETION ? "release = AFTER_COMPLETION" : "";
        if (kind != ReturnKind.PLAIN && !needsOne.isEmpty()) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " has " + needsOne
                            + ", but the method's work continues after its return, perhaps on other threads. Use LockHandle.onLost,"
                            + " or let the writes check the fencing token.",
                    null);
        }
    }

    private @Nullable Duration duration(Method method, String what, String text, boolean zeroAllowed) {
        String resolved = resolve(method, what, text);
        if (resolved.isBlank()) {
            return null;
        }
        Duration duration;
        try {
            duration = DurationStyle.detectAndParse(resolved.trim());
        } catch (IllegalArgumentException e) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " has " + what + " = '" + resolved
                            + "', which is not a duration. Write for example 5s, 200ms or PT5S.",
                    e);
        }
        if (duration.isNegative() || (duration.isZero() && !zeroAllowed)) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " has " + what + " = '" + resolved + "', which must "
                            + (zeroAllowed ? "not be negative." : "be positive."),
                    null);
        }
        return duration;
    }

    private String resolve(Method method, String what, String text) {
        if (text.isEmpty()) {
            return text;
        }
        try {
            String resolved = placeholders.resolveStringValue(text);
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " has " + what + " = '" + text + "': " + e.getMessage(), e);
        }
    }

    private ReturnKind kind(Method method) {
        Class<?> type = method.getReturnType();
        ReturnKind ofKotlin = kotlin.kind(method);
        if (ofKotlin != null) {
            return ofKotlin;
        }
        if (CompletionStage.class.isAssignableFrom(type)) {
            if (!type.isAssignableFrom(CompletableFuture.class)) {
                throw new DecLockedMisuseException(
                        "@DecLocked on " + Names.of(method)
                                + ": the return type must be CompletionStage or CompletableFuture, not "
                                + type.getSimpleName() + ".",
                        null);
            }
            return ReturnKind.STAGE;
        }
        return adapter(type) == null ? ReturnKind.PLAIN : ReturnKind.REACTIVE;
    }

    /** Returns what runs functions of Kotlin; there is one if such a function was compiled. */
    Coroutines coroutines() {
        return kotlin.coroutines();
    }

    /** Returns the adapter that converts that type to a publisher and back, null if the type is not reactive. */
    static @Nullable ReactiveAdapter adapter(Class<?> type) {
        return type == void.class || type == Object.class || type.isPrimitive()
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    private static ResolvableType inner(ResolvableType declared) {
        ResolvableType stage = declared.as(CompletionStage.class);
        return (stage.hasGenerics() ? stage : declared).getGeneric(0);
    }
}
