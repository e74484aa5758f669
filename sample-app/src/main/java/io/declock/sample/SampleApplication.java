// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.web.server.context.WebServerPortFileWriter;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A shop with limited stock. Start as many instances as you like: they share a database and locks. */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
public class SampleApplication {
    private static final String H2_BIND_ADDRESS = "h2.bindAddress";

    /** Starts one instance. If the environment variable PORTFILE is set, the instance writes its port to that file. */
    public static void main(String[] args) {
        if (System.getProperty(H2_BIND_ADDRESS) == null) {
            System.setProperty(H2_BIND_ADDRESS, "127.0.0.1");
        }
        SpringApplication application = new SpringApplication(SampleApplication.class);
        application.addListeners(new ShopHome());
        if (System.getenv("PORTFILE") != null) {
            application.addListeners(new WebServerPortFileWriter());
        }
        application.run(args);
    }
}
