// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.kubernetes;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Environment variables as settings of Spring Boot. Stateless. */
final class Variables {
    private Variables() {}

    /**
     * Binds variables.
     *
     * @param prefix which of the variables to bind
     * @throws org.springframework.boot.context.properties.bind.BindException if a variable is no property, or has a value that it cannot have
     */
    static <T> T bind(Map<String, String> environment, String prefix, String properties, Bindable<T> type) {
        Map<String, Object> chosen = new HashMap<>(environment);
        chosen.keySet().removeIf(name -> !name.startsWith(prefix));
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, chosen));
        Binder binder = new Binder(ConfigurationPropertySources.from(sources));
        return binder.bindOrCreate(
                properties, type, new NoUnboundElementsBindHandler(BindHandler.DEFAULT, source -> true));
    }
}
