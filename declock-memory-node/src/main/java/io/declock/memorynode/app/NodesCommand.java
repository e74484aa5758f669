// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.TlsMaterial;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.NodeListPublisher;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.Fabric;
import io.declock.spi.NodeList;
import io.declock.spi.NodeListState;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands that show and change which memory nodes a deployment uses, while services work. */
@Command(
        name = "nodes",
        mixinStandardHelpOptions = true,
        description = "Shows the memory nodes that services use, adds one, or removes one.",
        subcommands = {NodesCommand.Show.class, NodesCommand.Add.class, NodesCommand.Remove.class})
final class NodesCommand implements Runnable {
    private static final int UNFINISHED = 3;

    @Spec
    private CommandSpec spec;

    /** Runs a command line without its first word; returns the exit code. */
    static int run(PrintWriter out, PrintWriter err, String... args) {
        LoggingSystem.get(NodesCommand.class.getClassLoader()).beforeInitialize();
        return new CommandLine(new NodesCommand())
                .setOut(out)
                .setErr(err)
                .setExecutionExceptionHandler((failure, line, parsed) -> {
                    line.getErr().println(failure.getMessage());
                    return line.getCommandSpec().exitCodeOnExecutionException();
                })
                .execute(args);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** How to reach the memory nodes. */
    static final class Reach {
        @Option(
                names = "--memory-nodes",
                split = ",",
                required = true,
                description = "Addresses of the memory nodes, as in declock.memory-nodes: all of them before the first"
                        + " change, any of them after it.")
        private List<String> addresses;

        @Option(
                names = "--secret-file",
                description =
                        "File with the secret. By default the environment variable DECLOCK_SECRET is used, if it is"
                                + " set.")
        private @Nullable Path secretFile;

        @Option(
                names = "--ca-certificate",
                description = "PEM file with the certificates that sign those of the memory nodes. Switches TLS on.")
        private @Nullable Path caCertificate;

        @Option(names = "--certificate", description = "PEM file with a client certificate.")
        private @Nullable Path certificate;

        @Option(names = "--private-key", description = "PEM file with its private key.")
        private @Nullable Path privateKey;

        List<MemoryNodeAddress> parsed() {
            return addresses.stream().map(MemoryNodeAddress::parse).toList();
        }

        Fabric fabric() throws IOException {
            String secret = secretFile == null
                    ? System.getenv("DECLOCK_SECRET")
                    : Files.readString(secretFile).strip();
            return TcpFabric.open(
                    TcpFabricSettings.builder()
                            .secret(secret == null || secret.isEmpty() ? null : secret)
                            .clientTls(tls())
                            .listen(false)
                            .build(),
                    new NodeCounters());
        }

        private @Nullable TlsMaterial tls() throws IOException {
            if (caCertificate == null) {
                return null;
            }
            PemSslStoreDetails trust = PemSslStoreDetails.forCertificate(Files.readString(caCertificate));
            PemSslStoreDetails key = certificate == null || privateKey == null
                    ? null
                    : PemSslStoreDetails.forCertificate(Files.readString(certificate))
                            .withPrivateKey(Files.readString(privateKey));
            return TlsMaterial.of(
                    SslBundle.of(new PemSslStoreBundle(key, trust)).createSslContext(), null);
        }
    }

    /** One command, with a publisher that has joined every memory node. */
    abstract static class Joined implements Callable<Integer> {
        @Mixin
        private Reach reach;

        @Spec
        private CommandSpec spec;

        void say(String text) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(text);
            out.flush();
        }

        @Override
        public final Integer call() throws Exception {
            ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "declock-nodes");
                thread.setDaemon(true);
                return thread;
            });
            try (Fabric fabric = reach.fabric();
                    NodeListPublisher publisher = new NodeListPublisher(
                            fabric,
                            System::nanoTime,
                            (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                            new SecureRandom().nextLong(),
                            this::say)) {
                publisher.join(reach.parsed());
                return with(publisher);
            } finally {
                timer.shutdownNow();
            }
        }

        abstract int with(NodeListPublisher publisher) throws Exception;
    }

    /** Shows. */
    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Shows the memory nodes and how far they are.")
    static final class Show extends Joined {
        @Override
        int with(NodeListPublisher publisher) throws Exception {
            Map<NodeList.Node, NodeListState> states = publisher.states();
            for (Map.Entry<NodeList.Node, NodeListState> entry : states.entrySet()) {
                NodeListState state = entry.getValue();
                say(entry.getKey().id() + " at " + entry.getKey().address() + ": "
                        + (state.list().isNone()
                                ? "no list yet"
                                : "list " + state.list().number()) + ", "
                        + (state.obstacle().isEmpty() ? "can be changed" : state.obstacle()));
            }
            return CommandLine.ExitCode.OK;
        }
    }

    /** Changes. */
    abstract static class Change extends Joined {
        @Option(
                names = "--wait",
                defaultValue = "60",
                description = "How many seconds to wait until every name has moved (${DEFAULT-VALUE}).")
        private int seconds;

        /** Makes the change. */
        abstract NodeList change(NodeListPublisher publisher) throws Exception;

        /** Is told when every name has moved. */
        void moved() {}

        @Override
        final int with(NodeListPublisher publisher) throws Exception {
            // The former change may still be going on, and a memory node that has just started has to find out that it
            // is not.
            String inTheWay = publisher.awaitChangeable(Duration.ofSeconds(seconds));
            if (!inTheWay.isEmpty()) {
                say("Nothing was changed, because after " + seconds + " s " + inTheWay
                        + ". Look with 'nodes list', and try again");
                return UNFINISHED;
            }
            int outcome = await(publisher, change(publisher));
            if (outcome == CommandLine.ExitCode.OK) {
                moved();
            }
            return outcome;
        }

        private int await(NodeListPublisher publisher, NodeList list) throws Exception {
            String missing = publisher.awaitMoved(Duration.ofSeconds(seconds));
            if (!missing.isEmpty()) {
                say("Not finished after " + seconds + " s: " + missing
                        + ". It goes on by itself; look with 'nodes list'");
                return UNFINISHED;
            }
            say("Done: " + list.describe());
            return CommandLine.ExitCode.OK;
        }
    }

    /** Adds a memory node. */
    @Command(name = "add", mixinStandardHelpOptions = true, description = "Adds a memory node, which must be running.")
    static final class Add extends Change {
        @Parameters(
                paramLabel = "ADDRESS",
                description = "Where services reach it, its candidates with bars between them.")
        private String address;

        @Override
        NodeList change(NodeListPublisher publisher) throws Exception {
            return publisher.add(MemoryNodeAddress.parse(address));
        }
    }

    /** Removes a memory node. */
    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "Removes a memory node. It may be stopped once this is done.")
    static final class Remove extends Change {
        @Parameters(paramLabel = "ID", description = "Its id (declock.memory-node.id).")
        private String id;

        @Override
        NodeList change(NodeListPublisher publisher) throws Exception {
            return publisher.remove(id);
        }

        @Override
        void moved() {
            say("Memory node '" + id + "' is not used any more and may be stopped");
        }
    }
}
