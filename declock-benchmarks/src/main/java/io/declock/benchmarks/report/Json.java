// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.EnumNamingStrategies;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/** The JSON of the results, and of what the benchmarks' processes tell each other; names are written like-this. */
public final class Json {
    private static final int DECIMALS = 4;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .enumNamingStrategy(EnumNamingStrategies.KEBAB_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .addModule(new SimpleModule()
                    .addSerializer(Histogram.class, new HistogramWriter())
                    .addDeserializer(Histogram.class, new HistogramReader()))
            .build();

    /** For people: indented, four decimals, null for what is no number. */
    private static final JsonMapper RESULTS = MAPPER.rebuild()
            .addModule(new SimpleModule("decimals").addSerializer(Double.class, new DoubleWriter()))
            .build();

    private Json() {}

    /** Returns results as JSON of several lines. */
    public static String results(@Nullable Object value) {
        return RESULTS.writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n";
    }

    /** Returns a value as JSON in one line, every digit kept. */
    public static String line(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /** Reads what {@link #line} wrote. */
    public static <T> T read(String json, Class<T> type) {
        return MAPPER.readValue(json, type);
    }

    /** Turns a value into another form with the same names, as if it had been written and read. */
    public static <T> T convert(Object value, Class<T> type) {
        return MAPPER.convertValue(value, type);
    }

    private static final class DoubleWriter extends ValueSerializer<Double> {
        @Override
        public void serialize(Double number, JsonGenerator out, SerializationContext context) {
            if (number.isNaN() || number.isInfinite()) {
                out.writeNull();
            } else {
                out.writeNumber(BigDecimal.valueOf(number).setScale(DECIMALS, RoundingMode.HALF_UP));
            }
        }
    }

    private static final class HistogramWriter extends ValueSerializer<Histogram> {
        @Override
        public void serialize(Histogram histogram, JsonGenerator out, SerializationContext context) {
            ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
            int length = histogram.encodeIntoCompressedByteBuffer(buffer);
            out.writeBinary(Arrays.copyOf(buffer.array(), length));
        }
    }

    private static final class HistogramReader extends ValueDeserializer<Histogram> {
        @Override
        public Histogram deserialize(JsonParser in, DeserializationContext context) {
            try {
                return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(in.getBinaryValue()), 0);
            } catch (DataFormatException e) {
                return context.reportInputMismatch(Histogram.class, "a histogram that cannot be read: %s", e);
            }
        }
    }
}
