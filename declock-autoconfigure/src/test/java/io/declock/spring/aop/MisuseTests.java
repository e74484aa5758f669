// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.LockMode;
import io.declock.spring.Contexts;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.DecLockedMisuseException;
import io.declock.spring.OnFailure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.PriorityOrdered;
import reactor.core.publisher.Mono;

/** Uses of the annotation that cannot work are reported when the application starts, all at once, and each message says what to do. */
@ExtendWith(OutputCaptureExtension.class)
class MisuseTests {
    static Stream<Arguments> misuses() {
        return Stream.of(
                misuse(PrivateMethod.class, "PrivateMethod.locked()", "private"),
                misuse(StaticMethod.class, "StaticMethod.locked()", "static"),
                misuse(FinalMethod.class, "FinalMethod.locked()", "final"),
                misuse(FinalMethodOfLockedClass.class, "FinalMethodOfLockedClass.locked()", "final"),
                misuse(FinalClass.class, "FinalClass", "is final"),
                misuse(ARecord.class, "ARecord", "is final"),
                misuse(BadSpel.class, "BadSpel.locked(int)", "'#id +'", "not a SpEL expression"),
                misuse(PlainTextKey.class, "PlainTextKey.locked()", "'order 42'", "belongs in 'name'"),
                misuse(BareWord.class, "BareWord.locked()", "'report'", "Did you mean name = \"report\"?"),
                misuse(HyphenatedWord.class, "Did you mean name = \"nightly-report\"?"),
                misuse(BareParameter.class, "BareParameter.locked(int)", "Did you mean the parameter #id?"),
                misuse(BareWordInText.class, "BareWordInText.locked(int)", "Did you mean the text 'order' in quotes?"),
                misuse(BareParameterWithPath.class, "Did you mean the parameter #order?"),
                misuse(EmptyKey.class, "EmptyKey.locked()", "empty key"),
                misuse(EmptyLiteral.class, "EmptyLiteral.locked()", "''''", "empty"),
                misuse(NoKey.class, "NoKey.locked()", "neither a key nor a name"),
                misuse(UnknownParameter.class, "UnknownParameter.locked(int)", "no parameter 'idd'"),
                misuse(BadWait.class, "BadWait.locked()", "waitTime = 'soon'", "not a duration"),
                misuse(NegativeWait.class, "waitTime = '-1s'", "negative"),
                misuse(ZeroLease.class, "leaseTime = '0s'", "positive"),
                misuse(UnknownPlaceholder.class, "${no.such.property}"),
                misuse(NoFallback.class, "names no fallback"),
                misuse(MissingFallback.class, "'other'", "no such method", "other(int) returning String"),
                misuse(MismatchedFallback.class, "MismatchedFallback.other(String) returning String does not fit"),
                misuse(FallbackOfOtherType.class, "FallbackOfOtherType.other() returning int does not fit"),
                misuse(LockedFallback.class, "LockedFallback.other()", "is @DecLocked itself"),
                misuse(UnusedFallback.class, "would never be called"),
                misuse(SkipWithResult.class, "SKIP", "has a result (String)", "RETURN_DEFAULT"),
                misuse(SkipMonoWithResult.class, "has a result (of String)"),
                misuse(Disagreeing.class, "disagree in waitTime", "'1s' and '2s'"),
                misuse(CustomStage.class, "must be CompletionStage or CompletableFuture, not CustomFuture"),
                misuse(
                        SelfInvoking.class,
                        "SelfInvoking.caller (line",
                        "SelfInvoking.locked(int) on its own object",
                        "past the proxy"),
                misuse(SelfInvokingInLambda.class, "SelfInvokingInLambda.caller (line"),
                misuse(SelfInvokingByReference.class, "SelfInvokingByReference.caller (line"),
                misuse(SelfInvokingTernary.class, "SelfInvokingTernary.caller (line"),
                misuse(SelfInvokingSub.class, "SelfInvokingSub.template (line", "SelfInvokingSub.step()"),
                misuse(CallingSuper.class, "CallingSuper.other (line"));
    }

    private static Arguments misuse(Class<?> bean, String... words) {
        return Arguments.of(bean, List.of(words));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("misuses")
    void isReportedAtStart(Class<?> bean, List<String> words) {
        Contexts.locks().withBean(bean).run(context -> {
            assertThat(context).hasFailed();
            DecLockedMisuseException misuse = find(context.getStartupFailure());
            words.forEach(word -> assertThat(misuse).hasMessageContaining(word));
        });
    }

    private static DecLockedMisuseException find(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DecLockedMisuseException misuse) {
                return misuse;
            }
        }
        throw new AssertionError("no misuse", failure);
    }

    @Test
    void everythingIsReportedAtOnce() {
        Contexts.locks()
                .withBean(PrivateMethod.class)
                .withBean(BadWait.class)
                .withBean(NoKey.class)
                .run(context -> {
                    DecLockedMisuseException misuse = find(context.getStartupFailure());
                    assertThat(misuse.problems()).hasSize(3);
                    assertThat(misuse).hasMessageContaining("3 uses of @DecLocked cannot work");
                });
    }

    @Test
    void aBeanMadeLaterIsCheckedThen() {
        Contexts.locks()
                .withBean(BadWait.class, () -> new BadWait(), definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThatExceptionOfType(Exception.class)
                            .isThrownBy(() -> context.getBean(BadWait.class))
                            .satisfies(failure -> assertThat(find(failure)).hasMessageContaining("soon"));
                });
    }

    @Test
    void aBeanCreatedTooEarlyForAProxyIsReported() {
        Contexts.locks()
                .withBean(EarlyProcessor.class)
                .run(context -> assertThat(find(context.getStartupFailure()))
                        .hasMessageContaining("EarlyProcessor")
                        .hasMessageContaining("got no proxy"));
    }

    @Test
    void whatOnlyLooksLikeSelfInvocationIsFine() {
        Contexts.locks().withBean(Harmless.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Harmless.class).recursive(3)).isEqualTo(3);
        });
    }

    @Test
    void aLockedMethodThatCallsAnotherIsWarnedAbout(CapturedOutput output) {
        Contexts.locks().withBean(LockedCaller.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).contains("LockedCaller.outer (line").contains("past the proxy");
        });
    }

    @Test
    void selfInvocationMayBeMadeAWarningOrIgnored(CapturedOutput output) {
        Contexts.locks()
                .withBean(SelfInvoking.class)
                .withPropertyValues("declock.aop.self-invocation=ignore")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).doesNotContain("past the proxy");
                });
        Contexts.locks()
                .withBean(SelfInvoking.class)
                .withPropertyValues("declock.aop.self-invocation=warn")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).contains("past the proxy");
                });
    }

    @Test
    void aResultThatHidesUnfinishedWorkIsAnErrorAtTheCall() {
        Contexts.locks().withBean(Hiding.class).run(context -> {
            Hiding bean = context.getBean(Hiding.class);
            assertThatExceptionOfType(DecLockedMisuseException.class)
                    .isThrownBy(bean::hiddenMono)
                    .withMessageContaining("Hiding.hiddenMono()")
                    .withMessageContaining("continue without the lock");
            assertThatExceptionOfType(DecLockedMisuseException.class).isThrownBy(bean::future);
            assertThat(bean.finished()).isDone();
        });
    }

    static class PrivateMethod {
        @DecLocked(name = "x")
        private void locked() {}
    }

    static class StaticMethod {
        @DecLocked(name = "x")
        public static void locked() {}
    }

    static class FinalMethod {
        @DecLocked(name = "x")
        public final void locked() {}
    }

    @DecLocked(name = "x")
    static class FinalMethodOfLockedClass {
        public final void locked() {}
    }

    static final class FinalClass {
        @DecLocked(name = "x")
        public void locked() {}
    }

    record ARecord() {
        @DecLocked(name = "x")
        public void locked() {}
    }

    static class BadSpel {
        @DecLocked("#id +")
        public void locked(int id) {}
    }

    static class PlainTextKey {
        @DecLocked("order 42")
        public void locked() {}
    }

    static class HyphenatedWord {
        @DecLocked("nightly-report")
        void locked() {}
    }

    static class BareWord {
        @DecLocked("report")
        public void locked() {}
    }

    static class BareParameter {
        @DecLocked("id")
        public void locked(int id) {}
    }

    static class BareWordInText {
        @DecLocked("order + #id")
        public void locked(int id) {}
    }

    static class BareParameterWithPath {
        @DecLocked("order.length()")
        public void locked(String order) {}
    }

    static class EmptyKey {
        @DecLocked(name = "x", key = " ")
        public void locked() {}
    }

    static class EmptyLiteral {
        @DecLocked(name = "x", key = "''")
        public void locked() {}
    }

    static class NoKey {
        @DecLocked
        public void locked() {}
    }

    static class UnknownParameter {
        @DecLocked("#idd.toString()")
        public void locked(int id) {}
    }

    static class BadWait {
        @DecLocked(name = "x", waitTime = "soon")
        public void locked() {}
    }

    static class NegativeWait {
        @DecLocked(name = "x", waitTime = "-1s")
        public void locked() {}
    }

    static class ZeroLease {
        @DecLocked(name = "x", leaseTime = "0s")
        public void locked() {}
    }

    static class UnknownPlaceholder {
        @DecLocked(name = "x", waitTime = "${no.such.property}")
        public void locked() {}
    }

    static class NoFallback {
        @DecLocked(name = "x", onFailure = OnFailure.FALLBACK)
        public void locked() {}
    }

    static class MissingFallback {
        @DecLocked(name = "x", onFailure = OnFailure.FALLBACK, fallback = "other")
        public String locked(int id) {
            return "";
        }
    }

    static class MismatchedFallback {
        @DecLocked(name = "x", onFailure = OnFailure.FALLBACK, fallback = "other")
        public String locked(int id) {
            return "";
        }

        String other(String id) {
            return id;
        }
    }

    static class FallbackOfOtherType {
        @DecLocked(name = "x", onFailure = OnFailure.FALLBACK, fallback = "other")
        public String locked() {
            return "";
        }

        int other() {
            return 1;
        }
    }

    static class LockedFallback {
        @DecLocked(name = "x", onFailure = OnFailure.FALLBACK, fallback = "other")
        public void locked() {}

        @DecLocked(name = "y")
        public void other() {}
    }

    static class UnusedFallback {
        @DecLocked(name = "x", fallback = "other")
        public void locked() {}

        void other() {}
    }

    static class SkipWithResult {
        @DecLocked(name = "x", onFailure = OnFailure.SKIP)
        public String locked() {
            return "";
        }
    }

    static class SkipMonoWithResult {
        @DecLocked(name = "x", onFailure = OnFailure.SKIP)
        public Mono<String> locked() {
            return Mono.empty();
        }
    }

    static class Disagreeing {
        @DecLocked(name = "x", waitTime = "1s")
        @DecLocked(name = "y", mode = LockMode.READ, waitTime = "2s")
        public void locked() {}
    }

    static class CustomFuture extends CompletableFuture<String> {}

    static class CustomStage {
        @DecLocked(name = "x")
        public CustomFuture locked() {
            return new CustomFuture();
        }
    }

    static class SelfInvoking {
        public void caller() {
            locked(1);
        }

        @DecLocked("#id")
        public void locked(int id) {}
    }

    static class SelfInvokingInLambda {
        public Runnable caller() {
            return () -> locked(1);
        }

        @DecLocked("#id")
        public void locked(int id) {}
    }

    static class SelfInvokingByReference {
        public Runnable caller() {
            return this::locked;
        }

        @DecLocked(name = "x")
        public void locked() {}
    }

    static class SelfInvokingTernary {
        private long total;

        public void caller(boolean which, double[] numbers) {
            total += locked(which ? total : (long) numbers[0], which ? "a" : String.valueOf(total));
        }

        @DecLocked("#id")
        public long locked(long id, String text) {
            return id;
        }
    }

    abstract static class Template {
        public void template() {
            step();
        }

        protected abstract void step();
    }

    static class SelfInvokingSub extends Template {
        @Override
        @DecLocked(name = "x")
        protected void step() {}
    }

    static class CallingSuper extends SuperOfCalling {
        public void other() {
            super.locked();
        }
    }

    static class SuperOfCalling {
        @DecLocked(name = "x")
        public void locked() {}
    }

    static class Harmless {
        private Harmless self = this;

        @DecLocked(name = "x", key = "#depth >= 0")
        public int recursive(int depth) {
            return depth == 0 ? 0 : 1 + recursive(depth - 1);
        }

        public int throughAnother(Harmless other) {
            return other.recursive(1) + self.recursive(2);
        }

        public void setSelf(Harmless self) {
            this.self = self;
        }

        public boolean unlocked() {
            return DecLockContext.isLocked();
        }

        public boolean callsUnlocked() {
            return unlocked();
        }
    }

    static class LockedCaller {
        @DecLocked(name = "x")
        public void outer() {
            inner();
        }

        @DecLocked(name = "x")
        public void inner() {}
    }

    static class Hiding {
        @DecLocked(name = "x")
        public Object hiddenMono() {
            return Mono.just("later");
        }

        @DecLocked(name = "x")
        public Future<String> future() {
            return new CompletableFuture<>();
        }

        @DecLocked(name = "x")
        public Future<String> finished() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class EarlyProcessor implements BeanPostProcessor, PriorityOrdered {
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @DecLocked(name = "x")
        public void locked() {}
    }
}
