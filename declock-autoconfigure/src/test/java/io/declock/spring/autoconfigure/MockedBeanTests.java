// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

import io.declock.spring.DecLockContext;
import io.declock.spring.DecLocked;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** Tests of applications may replace beans with locked methods by mocks, which have no lock, and by spies, which do. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
class MockedBeanTests {
    @MockitoBean
    private Mocked mocked;

    @MockitoSpyBean
    private Spied spied;

    @Autowired
    private Real real;

    @Test
    void theApplicationStarts() {
        given(mocked.locked()).willReturn("mocked");
        assertThat(mocked.locked()).isEqualTo("mocked");
        assertThat(spied.locked()).isEqualTo("true");
        assertThat(real.locked()).isEqualTo("true");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DecLockAutoConfiguration.class,
        DecLockAopAutoConfiguration.class
    })
    @Import({Mocked.class, Spied.class, Real.class})
    static class Application {}

    static class Mocked {
        @DecLocked(name = "x")
        public String locked() {
            return String.valueOf(DecLockContext.isLocked());
        }
    }

    static class Spied {
        @DecLocked(name = "x")
        public String locked() {
            return String.valueOf(DecLockContext.isLocked());
        }
    }

    static class Real {
        @DecLocked(name = "x")
        public String locked() {
            return String.valueOf(DecLockContext.isLocked());
        }
    }
}
