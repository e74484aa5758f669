// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** The memory node as a program. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(MemoryNodeProperties.class)
public class MemoryNodeApplication {
    /** Starts it. */
    public static void main(String[] args) {
        SpringApplication.run(MemoryNodeApplication.class, args);
    }
}
