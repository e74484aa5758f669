// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void eachRowHasAValueForEachColumn() {
        List<Table.Row> rows = List.of(new Table.Row("whole", List.of(1.0, 2.0)), new Table.Row("short", List.of(1.0)));
        assertThatThrownBy(() -> new Table("title", List.of("a", "b"), rows))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("short has 1 values for 2 columns");
    }

    @Test
    void doesNotChangeWithWhatItWasMadeOf() {
        List<Double> values = new ArrayList<>(List.of(1.0));
        List<Table.Row> rows = new ArrayList<>(List.of(new Table.Row("row", values)));
        List<String> columns = new ArrayList<>(List.of("column"));
        Table table = new Table("title", columns, rows);
        values.clear();
        rows.clear();
        columns.clear();
        assertThat(table.columns()).containsExactly("column");
        assertThat(table.rows()).containsExactly(new Table.Row("row", List.of(1.0)));
    }
}
