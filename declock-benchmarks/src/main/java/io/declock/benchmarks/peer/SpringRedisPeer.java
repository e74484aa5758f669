// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import java.net.URI;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Spring Integration's {@code RedisLockRegistry} over Lettuce, waiting by publish/subscribe or, as it does by default, by
 * trying again every 100 ms. Threads of one process queue at a local lock first, which is part of the product.
 */
public final class SpringRedisPeer implements LockUnderTest {
    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;

    /**
     * Connects.
     *
     * @param type how it waits
     */
    public SpringRedisPeer(String address, RedisLockType type) {
        URI uri = URI.create(address);
        connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        registry = new RedisLockRegistry(connections, "bench");
        registry.setRedisLockType(type);
    }

    /** Returns the same with values, which Redis has under other keys. */
    public LockUnderTest withValues() {
        StringRedisTemplate redis = new StringRedisTemplate(connections);
        return new ValueOf(this, new ValueOf.Store() {
            @Override
            public @Nullable String get(String name) {
                return redis.opsForValue().get("value:" + name);
            }

            @Override
            public void set(String name, String value) {
                redis.opsForValue().set("value:" + name, value);
            }
        });
    }

    @Override
    public Held lock(String name, LockMode mode) {
        Lock lock = registry.obtain(name);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {
        registry.destroy();
        connections.destroy();
    }
}
