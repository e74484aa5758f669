// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import io.declock.spring.DecLockedMisuseException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.expression.spel.support.StandardTypeLocator;

/** Parses keys, refuses keys that cannot work, and makes the context in which they are evaluated. Thread-safe. */
final class KeyCompiler {
    private static final ParameterNameDiscoverer PARAMETERS = DefaultParameterNameDiscoverer.getSharedInstance();

    /** Words that hyphens, dots, slashes or colons join. */
    private static final Pattern NAME = Pattern.compile("\\p{Alpha}\\w*(?:[-./:]\\p{Alpha}\\w*)*");

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    KeyCompiler(BeanFactory beanFactory) {
        shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
        if (beanFactory instanceof ConfigurableBeanFactory configurable) {
            shared.setTypeLocator(new StandardTypeLocator(configurable.getBeanClassLoader()));
            if (configurable.getConversionService() != null) {
                shared.setTypeConverter(new StandardTypeConverter(configurable::getConversionService));
            }
        }
    }

    KeyExpression compile(String text, Method method) {
        if (text.isBlank()) {
            throw new DecLockedMisuseException("@DecLocked on " + Names.of(method) + " has an empty key.", null);
        }
        SpelExpression expression;
        try {
            expression = parser.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " has the key '" + text
                            + "', which is not a SpEL expression: " + e.getMessage()
                            + ". A plain text belongs in 'name', or in quotes.",
                    e);
        }
        @Nullable String @Nullable [] parameters = PARAMETERS.getParameterNames(method);
        checkVariables(expression.getAST(), variables(method, parameters), text, method);
        checkProperties(expression.getAST(), text, method, parameters);
        if (expression.getAST() instanceof VariableReference reference) {
            int index = argument(reference.toStringAST().substring(1), method, parameters);
            if (index >= 0) {
                return new KeyExpression.Argument(text, index);
            }
        }
        if (expression.getAST() instanceof StringLiteral literal) {
            String value = String.valueOf(literal.getLiteralValue().getValue());
            if (value.isEmpty()) {
                throw new DecLockedMisuseException(
                        "@DecLocked on " + Names.of(method) + " has the key '" + text + "', which is empty.", null);
            }
            return new KeyExpression.Constant(text, value);
        }
        return new KeyExpression.Spel(text, expression);
    }

    EvaluationContext context(LockedCall call) {
        MethodBasedEvaluationContext context =
                // It takes the continuation of a suspending function away itself.
                new MethodBasedEvaluationContext(call, call.getMethod(), call.invocationArgs(), PARAMETERS);
        shared.applyDelegatesTo(context);
        return context;
    }

    private static int parameterCount(Method method) {
        return KotlinTypes.parameters(method).length;
    }

    private static int argument(String variable, Method method, @Nullable String @Nullable [] parameters) {
        for (int i = 0; i < parameterCount(method); i++) {
            if (variable.equals("p" + i)
                    || variable.equals("a" + i)
                    || (parameters != null && i < parameters.length && variable.equals(parameters[i]))) {
                return i;
            }
        }
        return -1;
    }

    private static Set<String> variables(Method method, @Nullable String @Nullable [] parameters) {
        Set<String> known = new HashSet<>(Set.of("root", "this"));
        for (int i = 0; i < parameterCount(method); i++) {
            known.add("p" + i);
            known.add("a" + i);
        }
        if (parameters != null) {
            Arrays.stream(parameters)
                    .limit(parameterCount(method))
                    .filter(name -> name != null)
                    .forEach(known::add);
        }
        return known;
    }

    /**
     * Refuses a bare word that is no property of the root object: its author meant a name or a parameter. Checks only those parts of
     * the expression that are certainly evaluated against the root object, and leaves the rest to the evaluation.
     */
    private static void checkProperties(
            SpelNode node, String text, Method method, @Nullable String @Nullable [] parameters) {
        if (node instanceof PropertyOrFieldReference property
                && BeanUtils.getPropertyDescriptor(LockedCall.class, property.getName()) == null) {
            String word = property.getName();
            boolean isParameter =
                    parameters != null && Arrays.asList(parameters).contains(word);
            throw new DecLockedMisuseException(
                    "@DecLocked on " + Names.of(method) + " has the key '" + text + "', in which '" + word
                            + "' is neither a parameter nor a text. Did you mean "
                            + (isParameter
                                    ? "the parameter #" + word
                                    : looksLikeAName(text)
                                            ? "name = \"" + text + "\""
                                            : "the text '" + word + "' in quotes")
                            + "?",
                    null);
        }
        if (node instanceof CompoundExpression) {
            checkProperties(node.getChild(0), text, method, parameters);
        } else if (node instanceof Operator || node instanceof Ternary || node instanceof Elvis) {
            for (int i = 0; i < node.getChildCount(); i++) {
                checkProperties(node.getChild(i), text, method, parameters);
            }
        }
    }

    /** Returns whether a text without operators that need more than a hyphen is the name of a lock, as in "nightly-report". */
    private static boolean looksLikeAName(String text) {
        return NAME.matcher(text).matches();
    }

    private static void checkVariables(SpelNode node, Set<String> known, String text, Method method) {
        if (node instanceof VariableReference reference) {
            String variable = reference.toStringAST().substring(1);
            if (!known.contains(variable)) {
                boolean nameless = parameterCount(method) > 0 && known.size() == 2 + 2 * parameterCount(method);
                throw new DecLockedMisuseException(
                        "@DecLocked on " + Names.of(method) + " has the key '" + text + "', but there is no parameter '"
                                + variable + "'."
                                + (nameless
                                        ? " The class has no parameter names: compile it with -parameters, or write #p0."
                                        : ""),
                        null);
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkVariables(node.getChild(i), known, text, method);
        }
    }
}
