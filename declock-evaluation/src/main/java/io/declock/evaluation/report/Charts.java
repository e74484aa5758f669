// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import io.declock.evaluation.experiment.Figure;
import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Series;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.AbstractRenderer;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.title.LegendTitle;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** Makes charts of figures: lines, or bars where the horizontal axis has names. */
final class Charts {
    /** Colours that colour-blind readers can tell apart, on white as on black. */
    private static final List<Color> COLOURS = List.of(
            new Color(0xD55E00),
            new Color(0xE69F00),
            new Color(0x009E73),
            new Color(0x0072B2),
            new Color(0x56B4E9),
            new Color(0xCC79A7),
            new Color(0x8A8A8A),
            new Color(0x7B61C9));

    private static final Color GRID = new Color(128, 128, 128, 90);
    private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 14);
    private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
    private static final BasicStroke LINE = new BasicStroke(2);

    private Charts() {}

    /**
     * Makes the chart of a figure, without a background.
     *
     * @param ink colour of text and axes
     */
    static JFreeChart of(Figure figure, Color ink) {
        Plot plot = figure.x().names().isEmpty() ? lines(figure, ink) : bars(figure, ink);
        plot.setBackgroundPaint(null);
        plot.setOutlinePaint(null);
        JFreeChart chart = new JFreeChart(figure.title(), TITLE, plot, true);
        chart.setBackgroundPaint(null);
        chart.getTitle().setPaint(ink);
        LegendTitle legend = chart.getLegend();
        legend.setBackgroundPaint(null);
        legend.setItemFont(TEXT);
        legend.setItemPaint(ink);
        return chart;
    }

    private static Plot lines(Figure figure, Color ink) {
        XYSeriesCollection data = new XYSeriesCollection();
        for (Series series : figure.series()) {
            XYSeries line = new XYSeries(series.name(), false);
            series.points().forEach(point -> line.add(point.x(), point.y()));
            data.addSeries(line);
        }
        XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer();
        paint(renderer, figure.series().size());
        XYPlot plot = new XYPlot(data, axis(figure.x(), ink), axis(figure.y(), ink), renderer);
        plot.setDomainGridlinePaint(GRID);
        plot.setRangeGridlinePaint(GRID);
        return plot;
    }

    private static Plot bars(Figure figure, Color ink) {
        DefaultCategoryDataset data = new DefaultCategoryDataset();
        for (Series series : figure.series()) {
            series.points()
                    .forEach(point -> data.addValue(
                            point.y(), series.name(), figure.x().names().get((int) point.x())));
        }
        CategoryAxis names = new CategoryAxis(figure.x().label());
        names.setLabelFont(TEXT);
        names.setTickLabelFont(TEXT);
        names.setLabelPaint(ink);
        names.setTickLabelPaint(ink);
        names.setAxisLinePaint(ink);
        BarRenderer renderer = new BarRenderer();
        renderer.setBarPainter(new StandardBarPainter());
        renderer.setShadowVisible(false);
        renderer.setIncludeBaseInRange(!figure.y().logarithmic());
        paint(renderer, figure.series().size());
        CategoryPlot plot = new CategoryPlot(data, names, axis(figure.y(), ink), renderer);
        plot.setRangeGridlinePaint(GRID);
        return plot;
    }

    private static void paint(AbstractRenderer renderer, int lines) {
        for (int i = 0; i < lines; i++) {
            renderer.setSeriesPaint(i, COLOURS.get(i % COLOURS.size()));
            renderer.setSeriesStroke(i, LINE);
        }
    }

    private static ValueAxis axis(Axis from, Color ink) {
        ValueAxis axis = from.logarithmic() ? logarithmic(from.label()) : linear(from.label());
        axis.setLabelFont(TEXT);
        axis.setTickLabelFont(TEXT);
        axis.setLabelPaint(ink);
        axis.setTickLabelPaint(ink);
        axis.setAxisLinePaint(ink);
        axis.setTickMarkPaint(ink);
        return axis;
    }

    private static ValueAxis linear(String label) {
        NumberAxis axis = new NumberAxis(label);
        axis.setAutoRangeIncludesZero(true);
        axis.setNumberFormatOverride(format());
        return axis;
    }

    private static ValueAxis logarithmic(String label) {
        LogAxis axis = new LogAxis(label);
        axis.setMinorTickMarksVisible(false);
        axis.setTickUnit(new NumberTickUnit(1, format(), 1));
        return axis;
    }

    private static DecimalFormat format() {
        return new DecimalFormat("#,##0.####", DecimalFormatSymbols.getInstance(Locale.ROOT));
    }
}
