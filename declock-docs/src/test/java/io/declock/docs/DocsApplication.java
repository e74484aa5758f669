// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import org.springframework.boot.SpringBootConfiguration;

/** The application whose parts the pages show. Each test imports the parts that it needs. */
@SpringBootConfiguration
public class DocsApplication {}
