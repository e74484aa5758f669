// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** The console. Its users and passwords are there without the page, too, because Actuator's endpoints need them. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ConsoleProperties.class)
@Import(ConsoleSecurity.class)
public class ConsoleConfiguration {
    /** The page and what it asks for. */
    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @ConditionalOnBooleanProperty(name = "declock.memory-node.console.enabled", matchIfMissing = true)
    static class Page implements WebMvcConfigurer {
        @Override
        public void addResourceHandlers(ResourceHandlerRegistry registry) {
            registry.addResourceHandler("/console/**").addResourceLocations("classpath:/console/");
        }

        @Override
        public void addViewControllers(ViewControllerRegistry registry) {
            registry.addRedirectViewController("/console", "/console/index.html");
            registry.addRedirectViewController("/console/", "/console/index.html");
        }

        @Bean
        ConsoleSampler consoleSampler(ConsoleSource source) {
            return new ConsoleSampler(source);
        }

        @Bean
        LocksAccess locksAccess(PathMappedEndpoints endpoints, EndpointAccessResolver access) {
            return new LocksAccess(endpoints, access);
        }

        @Bean
        RouterFunction<ServerResponse> consoleState(ConsoleSource source, ConsoleSampler sampler, LocksAccess access) {
            ConsoleState state = new ConsoleState(source, sampler, access);
            return RouterFunctions.route()
                    .GET(
                            "/console/api/state",
                            request -> ServerResponse.ok()
                                    .body(state.of(request.param("containing").orElse(""), isOperator(request))))
                    .build();
        }

        private static boolean isOperator(ServerRequest request) {
            return request.servletRequest().isUserInRole(ConsoleSecurity.OPERATOR);
        }
    }
}
