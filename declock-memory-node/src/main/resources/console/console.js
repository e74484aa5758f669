// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

// Asks the memory node every second for its state, and for the chosen lock, and draws both.
'use strict';

const POLL_MILLIS = 1000;
const MOST_PASSES = 20;
const BUCKETS = [1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000];
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

const byId = id => document.getElementById(id);
const number = value => Math.round(value).toLocaleString('en');
// Names come from configuration and from callers: they are text, never markup.
const escape = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

let chosen = null;
let order = 'waiting';
let passes = [];
let seenHolds = new Map();
let watched = { samples: 0, byService: new Map() };

function duration(millis) {
  if (millis < 1) return '< 1 ms';
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (millis < 60000) return `${(millis / 1000).toFixed(1)} s`;
  if (millis < 3600000) return `${Math.floor(millis / 60000)} min ${Math.round(millis / 1000) % 60} s`;
  return `${Math.floor(millis / 3600000)} h ${Math.round(millis / 60000) % 60} min`;
}

// Durations arrive as seconds, or in the form PT1.5S.
function millisOf(value) {
  if (typeof value === 'number') return value * 1000;
  const parts = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(value) || [];
  return ((Number(parts[1] || 0) * 60 + Number(parts[2] || 0)) * 60 + Number(parts[3] || 0)) * 1000;
}

// ---------------------------------------------------------------- curves

function axis(label, extra) {
  return { label, stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') }, labelSize: 18, size: 52, ...extra };
}

function chart(where, names, label) {
  const series = names.map((name, i) => ({
    label: name,
    stroke: colour(i % 2 ? '--soft' : '--strong'),
    width: 2,
    dash: DASHES[i],
    value: (plot, value) => value === null ? '–' : number(value),
  }));
  return new uPlot({
    width: byId(where).clientWidth,
    height: 200,
    cursor: { drag: { x: false, y: false } },
    legend: { markers: { width: 2, dash: (plot, i) => ['solid', 'solid', 'dashed', 'dotted', 'double'][i] } },
    scales: { y: { range: (plot, least, most) => [0, Math.max(1, most * 1.05)] } },
    axes: [axis('time', { size: 40, values: [[1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 1]] }), axis(label, { values: (plot, values) => values.map(number) })],
    series: [{ value: '{HH}:{mm}:{ss}' }, ...series],
  }, [[], ...names.map(() => [])], byId(where));
}

let operations;
let joined;
let histogram;

function drawCurves(state) {
  operations ||= chart('operations', ['fetch-and-add', 'compare-and-swap', 'read', 'write'], 'operations / s');
  joined ||= chart('joined', ['services'], 'services');
  const of = field => state.samples.map(sample => sample[field]);
  const times = of('at').map(at => at / 1000);
  operations.setData([times, of('fetchAndAdds'), of('compareAndSwaps'), of('reads'), of('writes')]);
  joined.setData([times, of('sessions')]);
}

function drawHistogram(waits) {
  const counts = BUCKETS.map((most, i) => waits.filter(wait => wait <= most && (i === 0 || wait > BUCKETS[i - 1])).length);
  counts[counts.length - 1] += waits.filter(wait => wait > BUCKETS[BUCKETS.length - 1]).length;
  histogram ||= new uPlot({
    width: byId('histogram').clientWidth,
    height: 170,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: [-0.6, BUCKETS.length - 0.4] }, y: { range: (plot, least, most) => [0, Math.max(1, most)] } },
    axes: [
      axis('waited at most', { size: 40, splits: BUCKETS.map((_, i) => i), values: () => BUCKETS.map(most => most < 1000 ? `${most} ms` : `${most / 1000} s`) }),
      axis('callers', { values: (plot, values) => values.map(value => Number.isInteger(value) ? value : '') }),
    ],
    series: [{}, { stroke: colour('--strong'), fill: colour('--strong'), paths: uPlot.paths.bars({ size: [0.8] }), points: { show: false } }],
  }, [BUCKETS.map((_, i) => i), counts], byId('histogram'));
  histogram.setData([BUCKETS.map((_, i) => i), counts]);
}

// ---------------------------------------------------------------- the memory node

function drawHead(state) {
  byId('title').textContent = `Memory node ${state.id}`;
  document.title = `${state.id} – DecLock memory node`;
  byId('sub').textContent = `incarnation ${state.incarnation}, queues of ${state.queueCapacity} entries`;
  const role = byId('role');
  role.textContent = state.role === 'serving' && !state.serving ? 'not serving yet' : state.role;
  role.className = `badge ${state.role === 'serving' && state.serving || state.role === 'standing by' ? '' : 'bad'}`;
  byId('services').textContent = `${number(state.sessions.length)} service${state.sessions.length === 1 ? '' : 's'}`;
  byId('records').textContent = `${number(state.recordsInUse)} of ${number(state.recordsTotal)} records in use`;
}

const keyOf = lock => `${lock.namespace}\u0000${lock.name}`;

function drawLocks(state) {
  const rates = new Map(state.hottest.map(one => [keyOf(one.lock), one.perSecond]));
  const locks = order === 'waiting' ? state.waiting : state.hottest.map(one => one.lock);
  const most = Math.max(1, ...locks.map(lock => lock.positions));
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.key : null;
  const body = byId('locks').tBodies[0];
  body.innerHTML = locks.map(lock => {
    const key = keyOf(lock);
    const rate = rates.get(key);
    return `<tr tabindex="0" data-key="${escape(key)}" aria-selected="${chosen !== null && keyOf(chosen) === key}">
      <td>${escape(lock.name)} <span class="space">${escape(lock.namespace)}</span></td>
      <td class="number"><i class="bar" style="width:${Math.round(60 * lock.positions / most)}px"></i>${number(lock.positions)}</td>
      <td class="number">${number(lock.writers)}</td>
      <td class="number">${rate === undefined ? '–' : number(rate)}</td>
      <td class="number">${lock.epoch}${lock.inReset ? ' in reset' : ''}</td></tr>`;
  }).join('');
  byId('no-locks').hidden = locks.length > 0;
  for (const row of body.rows) {
    const lock = locks[row.sectionRowIndex];
    row.onclick = () => choose(lock);
    row.onkeydown = event => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(lock); } };
    if (row.dataset.key === focused) row.focus();
  }
}

function drawSessions(state) {
  byId('sessions').tBodies[0].innerHTML = state.sessions.map(session => `<tr>
    <td>${escape(session.service)}</td><td>${escape(session.node)}</td><td>${escape(session.address || 'none')}</td>
    <td>${session.connected ? 'connected' : '<span class="wrong">broken</span>'}</td>
    <td class="number">${duration(session.leaseLeftMillis)}</td><td class="number">${number(session.records)}</td></tr>`).join('');
}

// ---------------------------------------------------------------- one lock

function choose(lock) {
  if (chosen === null || keyOf(chosen) !== keyOf(lock)) {
    passes = [];
    seenHolds = new Map();
    watched = { samples: 0, byService: new Map() };
  }
  chosen = lock;
  // So that the address leads to this lock again.
  history.replaceState(null, '', `#${encodeURIComponent(lock.namespace)}/${encodeURIComponent(lock.name)}`);
  byId('lock').hidden = false;
  byId('lock-name').textContent = lock.name;
  poll();
}

function noticePasses(holds) {
  const now = new Map(holds.map(hold => [hold.fencingToken, hold]));
  for (const [token, hold] of now) {
    if (!seenHolds.has(token)) {
      passes.unshift({ at: new Date(), ...hold });
    }
  }
  passes = passes.slice(0, MOST_PASSES);
  seenHolds = now;
  watched.samples++;
  for (const service of new Set(holds.map(hold => hold.service))) {
    watched.byService.set(service, (watched.byService.get(service) || 0) + 1);
  }
}

function drawLock(found) {
  const uses = found.services.flatMap(service => service.uses.map(use => ({ service: service.service, ...use })));
  const holds = uses.filter(use => use.state !== 'WAITING');
  const waits = uses.filter(use => use.state === 'WAITING').sort((a, b) => millisOf(b.age) - millisOf(a.age));
  noticePasses(holds);
  const more = found.services.reduce((sum, service) => sum + service.more, 0);
  byId('lock-facts').textContent = `${found.lock.positions} position${found.lock.positions === 1 ? '' : 's'} in the queue, epoch ${found.lock.epoch}`
    + (found.lock.inReset ? ', in a reset' : '')
    + (found.keptFor ? `, kept for ${duration(millisOf(found.keptFor))} more for a service that has left` : '')
    + (more ? `, ${more} uses more than are shown` : '');
  byId('holds').tBodies[0].innerHTML = holds.map(hold => `<tr>
    <td>${hold.state === 'HELD' ? (hold.mode === 'WRITE' ? '■ held to write' : '□ held to read') : '◇ reserved'}</td>
    <td>${escape(hold.service)}</td><td>${escape(hold.owner)}</td>
    <td class="number">${escape(hold.fencingToken)}</td><td class="number">${duration(millisOf(hold.age))}</td></tr>`).join('')
    || '<tr><td colspan="5" class="empty">Nobody, as far as the services say.</td></tr>';
  byId('waits').tBodies[0].innerHTML = waits.map(wait => `<tr>
    <td>${wait.mode === 'WRITE' ? '▲ to write' : '△ to read'}</td><td>${escape(wait.service)}</td><td>${escape(wait.owner)}</td>
    <td class="number">${duration(millisOf(wait.age))}</td></tr>`).join('')
    || '<tr><td colspan="4" class="empty">Nobody.</td></tr>';
  drawHistogram(waits.map(wait => millisOf(wait.age)));
  byId('passed').innerHTML = passes.map(pass => `<li>${pass.at.toLocaleTimeString('en-GB')} ${escape(pass.service)}, ${escape(pass.owner)}, token ${escape(pass.fencingToken)}</li>`).join('');
  byId('fairness').textContent = [...watched.byService]
    .map(([service, times]) => `${service}: holder in ${times} of ${watched.samples} looks`).join('; ');
  const silent = found.services.filter(service => !service.answered).map(service => service.service);
  byId('silent').textContent = silent.length ? `No answer within a second: ${silent.join(', ')}` : '';
  byId('end').disabled = holds.length === 0 && !found.keptFor;
}

byId('end').onclick = () => {
  byId('dialog-name').textContent = chosen.name;
  byId('dialog-problem').textContent = '';
  byId('reason').value = '';
  byId('dialog').showModal();
};

byId('confirm').onclick = async event => {
  if (!byId('reason').reportValidity()) return;
  event.preventDefault();
  const tokens = [...seenHolds.keys()].filter(token => token !== null);
  const upTo = tokens.length ? `&token=${tokens.reduce((a, b) => BigInt(a) > BigInt(b) ? a : b)}` : '';
  const response = await fetch(absolute(`${lockUrl()}${upTo}&reason=${encodeURIComponent(byId('reason').value)}`), { method: 'DELETE' });
  if (response.ok) {
    byId('dialog').close();
    poll();
  } else {
    byId('dialog-problem').textContent = response.status === 403 ? 'This user may look, and end nothing.'
      : response.status === 405 ? 'Not allowed here: set management.endpoint.locks.access=unrestricted.' : `The memory node answers ${response.status}.`;
  }
};

const lockUrl = () => `../actuator/locks/${encodeURIComponent(chosen.namespace)}?name=${encodeURIComponent(chosen.name)}`;

// ---------------------------------------------------------------- asking

// Without the user and password that the page's own address may have: a request's address must have none.
const absolute = url => new URL(url, location.origin + location.pathname);

async function json(url) {
  const response = await fetch(absolute(url), { cache: 'no-store' });
  if (!response.ok) throw new Error(`it answers ${response.status}`);
  // Tokens have 63 bits: as text they stay whole.
  return JSON.parse((await response.text()).replace(/"fencingToken":(\d+)/g, '"fencingToken":"$1"'));
}

let polling = false;

async function poll() {
  if (polling) return;
  polling = true;
  try {
    const state = await json(`api/state?containing=${encodeURIComponent(byId('containing').value)}`);
    drawHead(state);
    drawCurves(state);
    drawLocks(state);
    drawSessions(state);
    if (chosen !== null) drawLock(await json(lockUrl()));
  } catch (problem) {
    byId('sub').textContent = `no answer from the memory node (${problem.message}); trying again`;
  } finally {
    polling = false;
  }
}

for (const [id, by] of [['by-waiting', 'waiting'], ['by-rate', 'rate']]) {
  byId(id).onclick = () => {
    order = by;
    byId('by-waiting').setAttribute('aria-selected', by === 'waiting');
    byId('by-rate').setAttribute('aria-selected', by === 'rate');
    poll();
  };
}
byId('containing').oninput = poll;
addEventListener('resize', () => {
  for (const [plot, where] of [[operations, 'operations'], [joined, 'joined'], [histogram, 'histogram']]) {
    if (plot) plot.setSize({ width: byId(where).clientWidth, height: plot.height });
  }
});

const linked = location.hash.slice(1).split('/').map(decodeURIComponent);
if (linked.length === 2) {
  choose({ namespace: linked[0], name: linked[1] });
} else {
  poll();
}
setInterval(poll, POLL_MILLIS);
