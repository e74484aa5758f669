// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testcontainers;

import java.time.Duration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A memory node in a container. It is ready when it serves: unlike a memory node of production it does not wait for leases that an earlier
 * life may have granted, because each container is new.
 *
 * <pre>{@code
 * @Container
 * @ServiceConnection
 * static DecLockContainer memoryNode = new DecLockContainer("registry.example/declock/memory-node:1.0");
 * }</pre>
 */
public class DecLockContainer extends GenericContainer<DecLockContainer> {
    /** The name of the image where no registry is named. */
    public static final String IMAGE = "declock/memory-node";

    static final int PORT = 7420;
    static final String SECRET = "DECLOCK_MEMORYNODE_SECRET";

    private static final int HEALTH_PORT = 7421;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /**
     * Makes a container that is not started.
     *
     * @param image the full name of a memory node's image
     */
    public DecLockContainer(String image) {
        this(DockerImageName.parse(image));
    }

    /**
     * Makes a container that is not started.
     *
     * @param image the name of a memory node's image
     */
    @SuppressWarnings("this-escape") // As every container of Testcontainers is set up.
    public DecLockContainer(DockerImageName image) {
        super(image);
        withExposedPorts(PORT, HEALTH_PORT);
        withEnv("DECLOCK_MEMORYNODE_WAITOUTOLDSESSIONS", "false");
        withId("test");
        waitingFor(
                Wait.forHttp("/actuator/health/readiness").forPort(HEALTH_PORT).withStartupTimeout(PATIENCE));
    }

    /**
     * {@return this container, with another id} Several memory nodes that are used together need different ones. {@code test} by default.
     *
     * @param id the memory node's id
     */
    public DecLockContainer withId(String id) {
        return withEnv("DECLOCK_MEMORYNODE_ID", id);
    }

    /**
     * {@return this container, with a secret that services must know to join} Without one, every service may join.
     *
     * @param secret the secret, of at least 16 characters
     */
    public DecLockContainer withSecret(String secret) {
        return withEnv(SECRET, secret);
    }

    /**
     * {@return the address of the running memory node, as {@code declock.memory-nodes} takes it}
     *
     * @throws IllegalStateException if the container is not started
     */
    public String getMemoryNodeUri() {
        return "tcp://" + getHost() + ":" + getMappedPort(PORT);
    }
}
