// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeMonitor;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;

/** A test of an application starts on a runner in Kubernetes, where the application itself would be refused without memory nodes. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = "spring.main.cloud-platform=kubernetes")
class KubernetesTests {
    @Autowired
    private ComputeNodeMonitor monitor;

    @Test
    void aTestStartsWithAMemoryNodeOfItsOwn() {
        assertThat(monitor.memoryNodes())
                .singleElement()
                .satisfies(view -> assertThat(view.address()).startsWith("inprocess://"));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DecLockAutoConfiguration.class)
    static class Application {}
}
