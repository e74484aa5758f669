// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.standard.SpelExpression;

/** One key, parsed once. Thread-safe. */
sealed interface KeyExpression {
    /** Returns the key's value for one call. */
    @Nullable
    Object evaluate(LockedCall call, Supplier<EvaluationContext> context);

    /** Returns the expression as the annotation has it. */
    String text();

    /** A key that is a single parameter: it is read without evaluating an expression. */
    record Argument(String text, int index) implements KeyExpression {
        @Override
        public @Nullable Object evaluate(LockedCall call, Supplier<EvaluationContext> context) {
            return call.getArgs()[index];
        }
    }

    /** A key that is the same for every call. */
    record Constant(String text, String value) implements KeyExpression {
        @Override
        public Object evaluate(LockedCall call, Supplier<EvaluationContext> context) {
            return value;
        }
    }

    /** Any other key. */
    record Spel(String text, SpelExpression expression) implements KeyExpression {
        @Override
        public @Nullable Object evaluate(LockedCall call, Supplier<EvaluationContext> context) {
            return expression.getValue(context.get());
        }
    }
}
