// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.evaluation.data.TornWorld;
import io.declock.evaluation.store.CacheRequest.Operation;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CacheTraceTest {
    private static final String LINES = """
            0,q:q:1:8WTfjZU14ee,17,213,4,get,0
            0,yDqF:3q,with comma,18,27,7,set,3600
            1,q:q:1:8WTfjZU14ee,17,0,5,delete,0
            1,yDqF:3q,with comma,18,9,7,append,0
            2,yDqF:3q,with comma,18,27,7,get,0
            """;

    private static CacheTrace trace(String lines, int clients) throws IOException {
        return CacheTrace.read("a trace", new StringReader(lines), 100, clients, 64);
    }

    private static List<CacheRequest> requests(CacheTrace trace, int client) {
        List<CacheRequest> all = new ArrayList<>();
        CacheLoad.Requests requests = trace.requests(client, bound -> 0);
        CacheRequest next = requests.next();
        while (next != null) {
            all.add(next);
            next = requests.next();
        }
        return all;
    }

    @Test
    void readsThePublishedFormat() throws IOException {
        CacheKey commas = CacheKey.of("yDqF:3q,with comma");
        assertThat(requests(trace(LINES, 2), 1))
                .containsExactly(
                        new CacheRequest(Operation.SET, commas, 27),
                        new CacheRequest(Operation.DELETE, CacheKey.of("q:q:1:8WTfjZU14ee"), 0),
                        new CacheRequest(Operation.PREPEND, commas, 9),
                        new CacheRequest(Operation.GET, commas, 27));
        assertThat(requests(trace(LINES, 2), 0))
                .containsExactly(new CacheRequest(Operation.GET, CacheKey.of("q:q:1:8WTfjZU14ee"), 213));
    }

    @Test
    void whatIsReadFirstWasThereBefore() throws IOException {
        List<CacheRequest> objects = new ArrayList<>();
        trace(LINES, 2).objects(objects::add);
        assertThat(objects).containsExactly(new CacheRequest(Operation.SET, CacheKey.of("q:q:1:8WTfjZU14ee"), 213));
    }

    @Test
    void runs() throws IOException {
        CacheTrace trace = trace(LINES, 2);
        StoreHistory history = new StoreHistory(trace, 0);
        TornWorld world = TornWorld.run(1, new ObjectStore(new ObjectStore.Settings(2, 4, 2), trace, history), 2);
        history.check();
        assertThat(world.done(Operation.GET.ordinal())).isEqualTo(2);
    }

    @Test
    void namesTheLineThatIsWrong() {
        assertThatThrownBy(() -> trace("0,k,1,1,1,get,0\n0,k,1,1,get,0\n", 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 2");
        assertThatThrownBy(() -> trace("0,k,1,1,1,fly,0\n", 1)).hasMessageContaining("fly");
        assertThatThrownBy(() -> trace("0,k,1,x,1,get,0\n", 1)).hasMessageContaining("line 1");
    }
}
