// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The options from the demonstration's command line.
 *
 * @param locking whether orders are guarded by a lock
 * @param instances number of shop instances, each a process
 * @param seconds how long the load lasts
 * @param orders number of orders after which the load ends, if that is sooner; 0 for no such bound
 * @param concurrency number of customers that order at the same time
 * @param products number of products; most customers want the first
 * @param stock initial stock of each product; if faults are injected, enough to sell until the end unless it is given
 * @param postgres whether the database is a PostgreSQL started for this run, instead of H2
 * @param rdma address of the RDMA device that carries lock operations, empty for TCP
 * @param faults number of rounds of faults injected into the processes while customers order
 * @param standby whether the memory node has a stand-by, and the candidate that serves is killed and told to end while customers order
 * @param patience seconds that the start of one process may take
 * @param help whether only to print the usage
 */
record DemoOptions(
        boolean locking,
        int instances,
        int seconds,
        int orders,
        int concurrency,
        int products,
        int stock,
        boolean postgres,
        String rdma,
        int faults,
        boolean standby,
        int patience,
        boolean help) {
    private static final int STOCK = 2000;

    /** Orders for a product that is sold out change nothing, so that no fault could do harm to them. */
    private static final int STOCK_FOR_FAULTS = 200_000;

    static final String USAGE = """
            Usage: ./demo [options]
              --locking=on|off   guard orders with @DecLocked (on), or see what happens without (off)   [on]
              --instances=N      shop instances, each a process of its own                              [3]
              --seconds=N        how long the load lasts                                                [15]
              --orders=N         end after N orders, if that is sooner                                  [no bound]
              --concurrency=N    customers that order at the same time                                  [24]
              --products=N       products; most customers want the first                                [4]
              --stock=N          initial stock of each product           [2000; with faults or a stand-by 200000]
              --postgres         use a PostgreSQL, started for this run, instead of H2
              --rdma=ADDRESS     lock over RDMA, on the device with this address; needs a JDK 25          [TCP]
              --faults=N         kill, stop and restart shops and kill the memory node, N times meanwhile:
                                 no order fails at a shop that runs                                     [0]
              --standby          give the memory node a stand-by; kill and end the serving one meanwhile: no order fails
              --patience=N       seconds that the start of one process may take                         [180]
              --no-build         use the jars that are already built
            Exit codes: 0 if nothing was oversold, 1 if something was, 2 for wrong options, 3 if it could not run or requests failed
            at shops that ran while faults were injected.
            """;

    static DemoOptions parse(String[] args) {
        Parser parser = new Parser(args);
        int faults = parser.number("faults", 0, 0, 1000);
        boolean standby = parser.flag("standby");
        int stock = faults > 0 || standby ? STOCK_FOR_FAULTS : STOCK;
        DemoOptions options = new DemoOptions(
                parser.onOff("locking", true),
                parser.number("instances", 3, 1, 16),
                parser.number("seconds", 15, 1, 3600),
                parser.number("orders", 0, 0, Integer.MAX_VALUE),
                parser.number("concurrency", 24, 1, 512),
                parser.number("products", 4, 1, 1000),
                parser.number("stock", stock, 1, 1_000_000_000),
                parser.flag("postgres"),
                parser.value("rdma", ""),
                faults,
                standby,
                parser.number("patience", 180, 1, 3600),
                parser.flag("help"));
        parser.rejectRest();
        if (faults > 0 && !options.rdma.isEmpty()) {
            throw new IllegalArgumentException("--faults and --rdma do not go together");
        }
        if (standby && (faults > 0 || !options.rdma.isEmpty())) {
            throw new IllegalArgumentException("--standby goes with neither --faults nor --rdma");
        }
        if (faults > 0 && options.instances < 2) {
            throw new IllegalArgumentException("--faults needs at least 2 instances, so that one is left to sell");
        }
        return options;
    }

    /** Returns whether processes are killed or stopped while customers order. */
    boolean injectsFaults() {
        return faults > 0 || standby;
    }

    /** Removes options from a command line, one by one. */
    private static final class Parser {
        private final List<String> rest;

        Parser(String[] args) {
            rest = new ArrayList<>(List.of(args));
        }

        boolean flag(String name) {
            return rest.remove("--" + name);
        }

        boolean onOff(String name, boolean otherwise) {
            String value = value(name, otherwise ? "on" : "off");
            return switch (value.toLowerCase(Locale.ROOT)) {
                case "on" -> true;
                case "off" -> false;
                default -> throw new IllegalArgumentException("--" + name + " must be on or off, not '" + value + "'");
            };
        }

        int number(String name, int otherwise, int least, int most) {
            String value = value(name, Integer.toString(otherwise));
            try {
                int number = Integer.parseInt(value);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // The exception below reports it.
            }
            throw new IllegalArgumentException(
                    "--" + name + " must be a number from " + least + " to " + most + ", not '" + value + "'");
        }

        private String value(String name, String otherwise) {
            String start = "--" + name + "=";
            for (String arg : rest) {
                if (arg.startsWith(start)) {
                    rest.remove(arg);
                    return arg.substring(start.length());
                }
            }
            return otherwise;
        }

        void rejectRest() {
            if (!rest.isEmpty()) {
                throw new IllegalArgumentException("unknown option " + rest.get(0));
            }
        }
    }
}
