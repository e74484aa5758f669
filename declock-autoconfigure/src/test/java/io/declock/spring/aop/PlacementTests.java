// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.aop;

import static io.declock.spring.aop.PlainMethodsTests.held;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockMode;
import io.declock.spring.Contexts;
import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import io.declock.spring.DecLocks;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.annotation.AliasFor;

/** Where the annotation may be, and which one counts. */
class PlacementTests {
    @Test
    void onAClassItLocksEveryPublicMethodThatHasNoneOfItsOwn() {
        Contexts.locks().withBean(OnClass.class).run(context -> {
            OnClass bean = context.getBean(OnClass.class);
            assertThat(bean.one()).isEqualTo("{class:one=WRITE}");
            assertThat(bean.own()).isEqualTo("{own=WRITE}");
            assertThat(bean.inherited()).isEqualTo("{class:inherited=WRITE}");
            assertThat(bean.packagePrivate()).isFalse();
            assertThat(bean.toString()).isEqualTo("false");
        });
    }

    @Test
    void onASuperclassItCounts() {
        Contexts.locks().withBean(SubClass.class).run(context -> {
            SubClass bean = context.getBean(SubClass.class);
            assertThat(bean.one()).isEqualTo("{class:one=WRITE}");
            assertThat(bean.added()).isEqualTo("{class:added=WRITE}");
        });
    }

    @Test
    void onAnOverriddenMethodItCountsUnlessTheOverridingOneHasItsOwn() {
        Contexts.locks().withBean(Overrides.class).run(context -> {
            Overrides bean = context.getBean(Overrides.class);
            assertThat(bean.kept(1)).isEqualTo("{base:1=WRITE}");
            assertThat(bean.replaced(2)).isEqualTo("{sub:2=READ}");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onAnInterfaceAndItsMethodsItCountsWithEitherKindOfProxy(boolean proxyTargetClass) {
        Contexts.locks()
                .withBean("service", Service.class, ServiceImpl::new)
                .withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .run(context -> {
                    Service bean = context.getBean(Service.class);
                    assertThat(AopUtils.isJdkDynamicProxy(bean)).isEqualTo(!proxyTargetClass);
                    assertThat(bean.onMethod(3)).isEqualTo("{method:3=WRITE}");
                    assertThat(bean.onType()).isEqualTo("{type=READ}");
                    assertThat(bean.defaultMethod()).isEqualTo("{type=READ}");
                });
    }

    @Test
    void anInterfacesAnnotationDoesNotLockMethodsOfOtherInterfaces() {
        Contexts.locks()
                .withBean(ServiceImpl.class)
                .run(context -> assertThat(context.getBean(ServiceImpl.class).unrelated())
                        .isFalse());
    }

    @Test
    void asAMetaAnnotationItTakesAliases() {
        Contexts.locks().withBean(Meta.class).run(context -> {
            Meta bean = context.getBean(Meta.class);
            assertThat(bean.account("a")).isEqualTo("{account:a=WRITE, audit=READ}");
            assertThat(bean.reading("b")).isEqualTo("{b=READ}");
        });
    }

    @Test
    void itMayBeRepeatedByItsContainer() {
        Contexts.locks()
                .withBean(Meta.class)
                .run(context ->
                        assertThat(context.getBean(Meta.class).container()).isEqualTo("{x=WRITE, y=READ}"));
    }

    @Test
    void proxiesMadeByAFactoryBeanAreLocked() {
        Contexts.locks().withBean("service", ClientFactory.class).run(context -> {
            Service bean = context.getBean(Service.class);
            assertThat(bean.onMethod(4)).isEqualTo("{method:4=WRITE}");
        });
    }

    @Test
    void itWorksWithSpringsAutoProxyingSwitchedOff() {
        Contexts.locks()
                .withBean(Meta.class)
                .withPropertyValues("spring.aop.auto=false")
                .run(context ->
                        assertThat(context.getBean(Meta.class).reading("b")).isEqualTo("{b=READ}"));
    }

    @Test
    void itWorksWithoutAspectJ() {
        Contexts.locks()
                .withClassLoader(new FilteredClassLoader("org.aspectj"))
                .withBean(PublicService.class)
                .run(context -> {
                    assertThat(context.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME))
                            .isExactlyInstanceOf(InfrastructureAdvisorAutoProxyCreator.class);
                    assertThat(context.getBean(PublicService.class).locked()).isTrue();
                });
    }

    /** Public, because its proxy is made by another class loader. */
    public static class PublicService {
        @DecLocked(name = "public")
        public boolean locked() {
            return DecLockContext.isLocked();
        }
    }

    static class Base {
        public String inherited() {
            return held();
        }
    }

    @DecLocked(name = "class", key = "#root.methodName")
    static class OnClass extends Base {
        public String one() {
            return held();
        }

        @DecLocked("'own'")
        public String own() {
            return held();
        }

        boolean packagePrivate() {
            return DecLockContext.isLocked();
        }

        @Override
        public String toString() {
            return String.valueOf(DecLockContext.isLocked());
        }
    }

    static class SubClass extends OnClass {
        public String added() {
            return held();
        }
    }

    static class Overridden {
        @DecLocked(name = "base", key = "#p0")
        public String kept(int id) {
            return held();
        }

        @DecLocked(name = "base", key = "#p0")
        public String replaced(int id) {
            return held();
        }
    }

    static class Overrides extends Overridden {
        @Override
        public String kept(int id) {
            return super.kept(id);
        }

        @Override
        @DecLocked(name = "sub", key = "#id", mode = LockMode.READ)
        public String replaced(int id) {
            return held();
        }
    }

    @DecLocked(name = "type", mode = LockMode.READ)
    interface Service {
        @DecLocked(name = "method", key = "#p0")
        String onMethod(int id);

        String onType();

        default String defaultMethod() {
            return held();
        }
    }

    static class ServiceImpl implements Service {
        @Override
        public String onMethod(int id) {
            return held();
        }

        @Override
        public String onType() {
            return held();
        }

        public boolean unrelated() {
            return DecLockContext.isLocked();
        }
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @DecLocked(mode = LockMode.READ)
    @interface Reading {
        @AliasFor(annotation = DecLocked.class, attribute = "key")
        String[] of();

        @AliasFor(annotation = DecLocked.class, attribute = "waitTime")
        String patience() default "2s";
    }

    static class Meta {
        @AccountKey("#id")
        @DecLocked(name = "audit", mode = LockMode.READ)
        public String account(String id) {
            return held();
        }

        @Reading(of = "#id")
        public String reading(String id) {
            return held();
        }

        @DecLocks({@DecLocked("'x'"), @DecLocked(key = "'y'", mode = LockMode.READ)})
        public String container() {
            return held();
        }
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @DecLocked(name = "account")
    @interface AccountKey {
        @AliasFor(annotation = DecLocked.class, attribute = "key")
        String[] value();
    }

    static class ClientFactory implements FactoryBean<Service> {
        @Override
        public Service getObject() {
            return (Service) Proxy.newProxyInstance(
                    Service.class.getClassLoader(), new Class<?>[] {Service.class}, (proxy, method, args) -> held());
        }

        @Override
        public Class<?> getObjectType() {
            return Service.class;
        }
    }
}
