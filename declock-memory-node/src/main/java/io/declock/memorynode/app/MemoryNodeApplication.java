// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** The memory node as a stand-alone program. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(MemoryNodeProperties.class)
public class MemoryNodeApplication {
    private static final String DETAILS = "management.endpoint.health.show-details";

    private static final String NODES = "nodes";

    /** Starts it; with {@code nodes} as the first word, shows or changes the list of memory nodes instead. */
    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals(NODES)) {
            System.exit(NodesCommand.run(
                    new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                    new PrintWriter(System.err, true, StandardCharsets.UTF_8),
                    Arrays.copyOfRange(args, 1, args.length)));
        }
        run(args);
    }

    static ConfigurableApplicationContext run(String... args) {
        SpringApplication application = new SpringApplication(MemoryNodeApplication.class);
        application.addListeners((ApplicationListener<ApplicationEnvironmentPreparedEvent>)
                prepared -> showDetailsOnLoopbackOnly(prepared.getEnvironment()));
        return application.run(args);
    }

    /** Health shows ids, addresses and numbers on the loopback interface only, unless configured otherwise. */
    private static void showDetailsOnLoopbackOnly(ConfigurableEnvironment environment) {
        String show = isLoopback(environment.getProperty("server.address")) ? "always" : "never";
        environment.getPropertySources().addLast(new MapPropertySource("healthDetails", Map.of(DETAILS, show)));
    }

    private static boolean isLoopback(@Nullable String address) {
        try {
            return address != null
                    && !address.isEmpty()
                    && InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
