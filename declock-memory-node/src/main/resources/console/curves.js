// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

// The curves. Series differ by their dashes, which the legend shows, so that nobody needs to tell colours apart.

import { durationOf, number } from './texts.js';

const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3]];
// Upper ends of the histogram's classes, in milliseconds.
const ENDS = [1, 5, 20, 100, 500, 2000, 10000, 60000];

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let plots = new Map();
// How many seconds the curves show.
let span = 60;

// Returns the plot in an element, and makes it at first.
function plotIn(id, options, data) {
  const element = document.getElementById(id);
  if (!plots.has(id)) {
    plots.set(id, new uPlot({ width: element.clientWidth, ...options() }, data, element));
    element.querySelectorAll('.u-series').forEach((entry, i) => entry.querySelector('.u-label').prepend(...sampleOf(plots.get(id).series[i])));
  }
  return plots.get(id);
}

// A short piece of a series' line, for the legend.
function sampleOf(series) {
  if (!series.dash) return [];
  const [picture, line] = ['svg', 'line'].map(name => document.createElementNS('http://www.w3.org/2000/svg', name));
  const attributes = { x1: 0, x2: 36, y1: 5, y2: 5, stroke: series.stroke(), 'stroke-width': 2, 'stroke-dasharray': series.dash.join(' ') };
  Object.entries(attributes).forEach(([name, value]) => line.setAttribute(name, value));
  picture.setAttribute('class', 'sample');
  picture.append(line);
  return [picture];
}

function axis(label, extra) {
  return {
    label,
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line') },
    labelSize: 18,
    size: 52,
    ...extra,
  };
}

function curves(names, label) {
  return {
    height: 210,
    cursor: { drag: { x: false, y: false } },
    legend: { markers: { show: false } },
    // A curve begins at the right, and is not stretched.
    scales: { x: { range: (plot, least, most) => [most - span, most] }, y: { range: (plot, least, most) => [0, Math.max(1, most * 1.05)] } },
    axes: [
      axis('time of day', { size: 40, space: 75, values: (plot, values) => values.map(value => new Date(value * 1000).toLocaleTimeString('en-GB')) }),
      axis(label, { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6], values: (plot, values) => values.map(number) }),
    ],
    series: [
      { label: 'at', value: (plot, value) => value === null ? '–' : new Date(value * 1000).toLocaleTimeString('en-GB') },
      ...names.map((name, i) => ({
        label: name,
        stroke: colour(i % 2 ? '--other' : '--strong'),
        width: 2,
        dash: DASHES[i],
        points: { show: false },
        value: (plot, value) => value === null ? '–' : number(value),
      })),
    ],
  };
}

export function drawCurves(samples, keptSeconds) {
  const of = field => samples.map(sample => sample[field]);
  const times = of('at').map(at => at / 1000);
  span = Math.min(keptSeconds, Math.max(60, times.length ? times[times.length - 1] - times[0] : 0));
  for (const [id, label, fields] of [
    ['operations', 'operations / s', { 'fetch-and-add': 'fetchAndAdds', 'compare-and-swap': 'compareAndSwaps', read: 'reads', write: 'writes' }],
    ['joined', 'services', { services: 'sessions' }],
  ]) {
    const data = [times, ...Object.values(fields).map(of)];
    plotIn(id, () => curves(Object.keys(fields), label), data).setData(data);
  }
}

function bars(label, counted) {
  return {
    height: 180,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.6, ENDS.length + 0.6] },
      y: { range: (plot, least, most) => [0, Math.max(1, most)] },
    },
    axes: [
      axis(label, {
        size: 40,
        space: 30,
        grid: { show: false },
        splits: () => [...ENDS.keys(), ENDS.length],
        values: () => [...ENDS.map(end => end < 1000 ? `${end} ms` : `${end / 1000} s`), 'more'],
      }),
      axis(counted, { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3], values: (plot, values) => values.map(number) }),
    ],
    series: [
      {},
      { stroke: colour('--strong'), fill: colour('--strong'), paths: uPlot.paths.bars({ size: [0.8] }), points: { show: false } },
    ],
  };
}

// Draws how many of some waits, in milliseconds, were how long.
function drawWaits(id, label, counted, waits) {
  const counts = Array(ENDS.length + 1).fill(0);
  for (const wait of waits) {
    const at = ENDS.findIndex(end => wait <= end);
    counts[at < 0 ? ENDS.length : at]++;
  }
  const data = [[...counts.keys()], counts.map(count => count || null)];
  plotIn(id, () => bars(label, counted), data).setData(data);
  return durationOf(Math.max(...waits));
}

// Draws how long the callers that wait now have waited.
export function drawHistogram(waits) {
  const longest = drawWaits('histogram', 'has waited for at most', 'callers', waits);
  document.getElementById('histogram-text').textContent = waits.length === 0 ? 'nobody'
    : waits.length === 1 ? `1 caller, for ${longest}` : `${number(waits.length)} callers, the longest for ${longest}`;
}

// Draws how long those had waited that wait no longer.
export function drawEnded(waits) {
  const longest = drawWaits('ended', 'had lasted for at most', 'waits', waits);
  document.getElementById('ended-text').textContent = waits.length === 0 ? 'none yet'
    : waits.length === 1 ? `1, of at least ${longest}` : `${number(waits.length)}, the longest of at least ${longest}`;
}

export function fitCurves() {
  for (const [id, plot] of plots) {
    plot.setSize({ width: document.getElementById(id).clientWidth, height: plot.height });
  }
}

// Colours are a part of the plots: after a change of theme they are made anew.
export function forgetCurves() {
  plots.forEach(plot => plot.destroy());
  plots = new Map();
}
