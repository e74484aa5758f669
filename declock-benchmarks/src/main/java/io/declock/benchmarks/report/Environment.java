// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.report;

import io.declock.testkit.ChildProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The machine and the software versions of a measurement. */
public final class Environment {
    private Environment() {}

    /** Returns the machine and the versions, in the order in which they are to be printed. */
    public static Map<String, String> describe() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("cores", String.valueOf(Runtime.getRuntime().availableProcessors()));
        map.put("cpu", cpuModel());
        map.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        map.put("load average before", loadAverage());
        map.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        map.put("netty", jarOf(io.netty.channel.Channel.class));
        map.put("redisson", jarOf(org.redisson.Redisson.class));
        map.put("spring-integration", jarOf(org.springframework.integration.redis.util.RedisLockRegistry.class));
        map.put("lettuce", jarOf(io.lettuce.core.RedisClient.class));
        map.put("hazelcast", jarOf(com.hazelcast.core.Hazelcast.class));
        map.put("curator", jarOf(org.apache.curator.framework.recipes.locks.InterProcessMutex.class));
        map.put("zookeeper", jarOf(org.apache.zookeeper.server.ZooKeeperServer.class));
        map.put("jetcd", jarOf(io.etcd.jetcd.Client.class));
        map.put("redis-server", firstLine("redis-server", "--version"));
        map.put("etcd", firstLine("etcd", "--version"));
        return map;
    }

    private static String cpuModel() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
                if (line.startsWith("model name")) {
                    return line.substring(line.indexOf(':') + 1).trim();
                }
            }
        } catch (IOException e) {
            return "unknown";
        }
        return System.getProperty("os.arch");
    }

    private static String loadAverage() {
        return TextTable.number(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String jarOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        if (location == null) {
            return "unknown";
        }
        String path = location.getPath();
        return path.substring(path.lastIndexOf('/') + 1).replaceFirst("\\.jar$", "");
    }

    private static String firstLine(String... command) {
        try {
            return ChildProcess.run(new ProcessBuilder(List.of(command)), Duration.ofSeconds(5))
                    .text()
                    .lines()
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "not installed";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
