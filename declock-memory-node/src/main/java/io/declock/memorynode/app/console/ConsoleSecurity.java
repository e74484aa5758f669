// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import jakarta.servlet.http.HttpServletRequest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder.SecretKeyFactoryAlgorithm;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Decides what each user may see and do at the port of Actuator. Health, info and metrics are open, so that probes and Prometheus need no password; everything
 * else asks for one.
 */
@Configuration(proxyBeanMethods = false)
class ConsoleSecurity {
    static final String OPERATOR = "OPERATOR";

    private static final Logger log = LoggerFactory.getLogger(ConsoleSecurity.class);
    private static final String VIEWER = "VIEWER";
    private static final String[] OPEN = {"health", "info", "metrics", "prometheus"};
    private static final Set<String> HARMLESS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");
    /** Scripts, styles and requests of this address only; nothing inline; in no frame. */
    private static final String CONTENT = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final int PASSWORD_BYTES = 18;
    private static final int SALT_BYTES = 16;
    /**
     * Few, because every request brings the password, and a guess must not keep the memory node from its work. Passwords are long instead, and are
     * kept in memory only.
     */
    private static final int ITERATIONS = 100;

    @Bean
    SecurityFilterChain securityFilterChain(HttpSecurity http) {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers(ConsoleSecurity::mayBeForged)
                        .denyAll()
                        .requestMatchers(
                                EndpointRequest.to(OPEN),
                                EndpointRequest.toLinks(),
                                EndpointRequest.toAdditionalPaths(WebServerNamespace.SERVER, "health"))
                        .permitAll()
                        .requestMatchers(EndpointRequest.to("locks").withHttpMethod(HttpMethod.GET))
                        .hasAnyRole(VIEWER, OPERATOR)
                        .requestMatchers(HttpMethod.GET, "/console", "/console/**", "/webjars/**")
                        .hasAnyRole(VIEWER, OPERATOR)
                        .anyRequest()
                        .hasRole(OPERATOR))
                .httpBasic(Customizer.withDefaults())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                // There is no session to keep a token in; see mayBeForged.
                .csrf(CsrfConfigurer::disable)
                .headers(headers -> headers.contentSecurityPolicy(policy -> policy.policyDirectives(CONTENT)))
                .build();
    }

    /**
     * Returns whether a request that changes something may come from a page of another site. A browser adds the password that it remembers to such
     * requests, too. But it says where they come from, and lets no page of another site add X-Requested-With unless this program allows that, which
     * it does not. Programs that are no browsers say nothing, and need no header.
     */
    private static boolean mayBeForged(HttpServletRequest request) {
        boolean byBrowser = request.getHeader("Origin") != null
                || request.getHeader("Referer") != null
                || request.getHeader("Sec-Fetch-Site") != null;
        return byBrowser && !HARMLESS.contains(request.getMethod()) && request.getHeader("X-Requested-With") == null;
    }

    @Bean
    PasswordEncoder passwordEncoder() {
        return new Pbkdf2PasswordEncoder("", SALT_BYTES, ITERATIONS, SecretKeyFactoryAlgorithm.PBKDF2WithHmacSHA256);
    }

    @Bean
    UserDetailsService consoleUsers(ConsoleProperties properties, PasswordEncoder encoder) {
        List<UserDetails> users = new ArrayList<>();
        String viewer = properties.viewerPassword();
        if (viewer != null) {
            users.add(user("viewer", viewer, encoder, VIEWER));
        }
        users.add(user("operator", operatorPassword(properties.operatorPassword()), encoder, OPERATOR));
        return new InMemoryUserDetailsManager(users);
    }

    private static UserDetails user(String name, String password, PasswordEncoder encoder, String role) {
        return User.withUsername(name)
                .password(encoder.encode(password))
                .roles(role)
                .build();
    }

    private static String operatorPassword(@Nullable String configured) {
        if (configured != null) {
            return configured;
        }
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        String made = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        log.warn(
                "The console's user 'operator' has the password {} until this program ends; set"
                        + " declock.memory-node.console.operator-password to one of your own",
                made);
        return made;
    }
}
