// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

// Texts for people, and elements with them. Names come from configuration and from callers: they become text, never markup.

export const byId = id => document.getElementById(id);
export const number = value => Math.round(value).toLocaleString('en');

export function durationOf(millis) {
  if (millis < 1) return '< 1 ms';
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (millis < 60000) return `${(millis / 1000).toFixed(1)} s`;
  if (millis < 3600000) return `${Math.floor(millis / 60000)} min ${Math.floor(millis / 1000) % 60} s`;
  return `${Math.floor(millis / 3600000)} h ${Math.floor(millis / 60000) % 60} min`;
}

// Durations arrive as seconds, or in the form PT1.5S.
export function millisOf(value) {
  if (typeof value === 'number') return value * 1000;
  const parts = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(value) || [];
  return ((Number(parts[1] || 0) * 60 + Number(parts[2] || 0)) * 60 + Number(parts[3] || 0)) * 1000;
}

export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

export const cell = (...content) => element('td', '', ...content);
export const numberCell = (...content) => element('td', 'number', ...content);
export const row = (...cells) => element('tr', '', ...cells);

// Replaces the rows of a table; a text stands in for rows where there are none.
export function fill(table, rows, none) {
  const body = byId(table).tBodies[0];
  if (rows.length === 0 && none) {
    const only = element('td', 'empty', none);
    only.colSpan = byId(table).tHead.rows[0].cells.length;
    rows = [row(only)];
  }
  body.replaceChildren(...rows);
}
