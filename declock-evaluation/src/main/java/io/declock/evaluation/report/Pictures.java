// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import io.declock.evaluation.experiment.Figure;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGGraphics2DIOException;
import org.apache.batik.svggen.SVGIDGenerator;
import org.jfree.chart.JFreeChart;
import org.w3c.dom.Document;

/** Pictures of figures. The same figure gives the same bytes on the same machine; another machine may have fonts of another width. */
public final class Pictures {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 400;

    /** Pixels of a PNG for each unit of length. */
    private static final int DENSITY = 2;

    /** Stands for the colour of the text around the picture, which SVG can name and Java cannot. */
    private static final Color INK = new Color(1, 2, 3);

    private Pictures() {}

    /** Returns an {@code svg} element, in the colour of the text around it. Its ids begin with the figure's. */
    public static String svg(Figure figure) {
        SVGGeneratorContext context = SVGGeneratorContext.createDefault(document());
        context.setComment("");
        context.setIDGenerator(new SVGIDGenerator() {
            @Override
            public String generateID(String prefix) {
                return figure.id() + '-' + super.generateID(prefix);
            }
        });
        SVGGraphics2D graphics = new SVGGraphics2D(context, false);
        graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
        Charts.of(figure, INK).draw(graphics, new Rectangle(WIDTH, HEIGHT));
        StringWriter writer = new StringWriter();
        try {
            graphics.stream(writer, true);
        } catch (SVGGraphics2DIOException e) {
            throw new UncheckedIOException(e);
        }
        String text = writer.toString().replace("\r\n", "\n");
        return text.substring(text.indexOf("<svg"))
                .replace("rgb(1,2,3)", "currentColor")
                .replace("<!---->", "")
                .replace("\"genericDefs\"", '"' + figure.id() + "-defs\"")
                .replaceFirst("height=\"" + HEIGHT + "\"", "role=\"img\" viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\"")
                .replaceFirst(" width=\"" + WIDTH + "\"", "");
    }

    /** Returns a picture on white in the format PNG. */
    public static byte[] png(Figure figure) {
        BufferedImage image = new BufferedImage(WIDTH * DENSITY, HEIGHT * DENSITY, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        try {
            graphics.scale(DENSITY, DENSITY);
            JFreeChart chart = Charts.of(figure, Color.DARK_GRAY);
            chart.setBackgroundPaint(Color.WHITE);
            chart.draw(graphics, new Rectangle(WIDTH, HEIGHT));
        } finally {
            graphics.dispose();
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            ImageIO.write(image, "png", bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static Document document() {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument("http://www.w3.org/2000/svg", "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }
}
