// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The console, and who may see what at the port of Actuator: health, info and metrics are open as ever, so that probes and Prometheus need no
 * password; everything else asks for one.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ConsoleProperties.class)
public class ConsoleConfiguration {
    private static final Logger log = LoggerFactory.getLogger(ConsoleConfiguration.class);
    private static final String VIEWER = "VIEWER";
    private static final String OPERATOR = "OPERATOR";
    private static final int PASSWORD_BYTES = 18;

    @Bean
    SecurityFilterChain securityFilterChain(HttpSecurity http) {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers(
                                "/actuator",
                                "/actuator/health/**",
                                "/actuator/info",
                                "/actuator/metrics/**",
                                "/actuator/prometheus")
                        .permitAll()
                        .requestMatchers(HttpMethod.GET, "/actuator/locks/**", "/console", "/console/**", "/webjars/**")
                        .hasAnyRole(VIEWER, OPERATOR)
                        .anyRequest()
                        .hasRole(OPERATOR))
                .httpBasic(Customizer.withDefaults())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                // There is no session, and what changes something is a DELETE, which a browser sends from no other
                // site.
                .csrf(csrf -> csrf.disable())
                .headers(headers -> headers.contentSecurityPolicy(
                        policy -> policy.policyDirectives("default-src 'self'; style-src 'self' 'unsafe-inline'")))
                .build();
    }

    @Bean
    PasswordEncoder passwordEncoder() {
        return PasswordEncoderFactories.createDelegatingPasswordEncoder();
    }

    @Bean
    UserDetailsService operators(ConsoleProperties properties, PasswordEncoder encoder) {
        List<UserDetails> users = new ArrayList<>();
        String viewer = properties.viewerPassword();
        if (viewer != null && !viewer.isBlank()) {
            users.add(user("viewer", viewer, encoder, VIEWER));
        }
        users.add(user("operator", operatorPassword(properties.operatorPassword()), encoder, OPERATOR));
        return new InMemoryUserDetailsManager(users);
    }

    /** A password with a prefix such as {bcrypt} is encoded already. */
    private static UserDetails user(String name, String password, PasswordEncoder encoder, String role) {
        String encoded = password.startsWith("{") ? password : encoder.encode(password);
        return User.withUsername(name).password(encoded).roles(role).build();
    }

    private static String operatorPassword(@Nullable String configured) {
        if (configured != null && !configured.isBlank()) {
            return configured;
        }
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        String made = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        log.info(
                "The console's user 'operator' has the password {} until this program ends; set"
                        + " declock.memory-node.console.operator-password to one of your own",
                made);
        return made;
    }

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
        RouterFunction<ServerResponse> consoleState(ConsoleSource source, ConsoleSampler sampler) {
            ConsoleState state = new ConsoleState(source, sampler);
            return RouterFunctions.route()
                    .GET(
                            "/console/api/state",
                            request -> ServerResponse.ok()
                                    .body(state.of(request.param("containing").orElse(""))))
                    .build();
        }
    }
}
