// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

// Asks the memory node every second for its state, and for the chosen lock, and draws both.

import { drawCurves, fitCurves, forgetCurves } from './curves.js';
import { drawLock, drawNoLock, forgetLock, youngestToken } from './lock.js';
import { byId, cell, durationOf, element, fill, number, numberCell, row } from './texts.js';

const POLL_MILLIS = 1000;
const KEPT_SECONDS = 300;
const MOST_RESETS = 20;
const MOST_EPOCHS = 5000;
const LONGEST_BAR = 60;

let chosen = null;
let order = 'waiting';
let epochs = new Map();
let resets = [];
let locksPath = null;
let polling = false;

const keyOf = lock => `${lock.namespace}\u0000${lock.name}`;

// ---------------------------------------------------------------- the memory node

function drawHead(state) {
  byId('title').textContent = `Memory node ${state.id}`;
  document.title = `${state.id} – DecLock memory node`;
  byId('sub').textContent = `incarnation ${state.incarnation}, queues of ${state.queueCapacity} entries`;
  byId('sub').className = 'sub';
  const well = state.serving || state.role === 'standing by';
  byId('role').textContent = state.role === 'serving' && !state.serving ? '! not serving yet' : state.role;
  byId('role').className = well ? 'badge' : 'badge bad';
  byId('services').textContent = `${number(state.sessions.length)} service${state.sessions.length === 1 ? '' : 's'}`;
  byId('records').textContent = `${number(state.recordsInUse)} of ${number(state.recordsTotal)} records in use`;
}

function lockRow(lock, most, rate) {
  const bar = element('i', 'bar');
  bar.style.width = `${Math.round(LONGEST_BAR * lock.positions / most)}px`;
  const made = row(
    cell(lock.name, ' ', element('span', 'space', lock.namespace)),
    numberCell(bar, number(lock.positions)),
    numberCell(number(lock.writers)),
    numberCell(rate === undefined ? '–' : number(rate)),
    numberCell(`${lock.epoch}${lock.inReset ? ' in reset' : ''}`));
  made.tabIndex = 0;
  made.dataset.key = keyOf(lock);
  made.ariaCurrent = chosen !== null && keyOf(chosen) === keyOf(lock);
  made.onclick = () => choose(lock);
  made.onkeydown = event => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      choose(lock);
    }
  };
  return made;
}

function drawLocks(state) {
  const rates = new Map(state.hottest.map(one => [keyOf(one.lock), one.perSecond]));
  const locks = order === 'waiting' ? state.waiting : state.hottest.map(one => one.lock);
  const most = Math.max(1, ...locks.map(lock => lock.positions));
  const focused = document.activeElement?.dataset?.key;
  const rows = locks.map(lock => lockRow(lock, most, rates.get(keyOf(lock))));
  fill('locks', rows, order === 'waiting' ? 'No lock has this in its name.' : 'None was used in the last second.');
  if (focused) rows.find(made => made.dataset.key === focused)?.focus();
}

function drawSessions(state) {
  fill('sessions', state.sessions.map(session => row(
    cell(session.service), cell(session.node), cell(session.address || 'none'),
    cell(session.connected ? 'connected' : element('span', 'wrong', '! broken')),
    numberCell(durationOf(session.leaseLeftMillis)), numberCell(number(session.records)))), 'No service has joined.');
}

// An epoch that has changed between two looks: the memory node keeps no list of resets.
function noticeResets(state) {
  if (epochs.size > MOST_EPOCHS) epochs = new Map();
  for (const lock of [...state.waiting, ...state.hottest.map(one => one.lock)]) {
    const before = epochs.get(keyOf(lock));
    if (before !== undefined && before !== lock.epoch) {
      resets.unshift({ at: new Date(), lock, before });
    }
    epochs.set(keyOf(lock), lock.epoch);
  }
  resets = resets.slice(0, MOST_RESETS);
  fill('resets', resets.map(reset => row(cell(reset.at.toLocaleTimeString('en-GB')),
    cell(reset.lock.name, ' ', element('span', 'space', reset.lock.namespace)),
    numberCell(`${reset.before} → ${reset.lock.epoch}`))), 'None since this page was opened.');
}

// ---------------------------------------------------------------- one lock

function choose(lock) {
  if (chosen === null || keyOf(chosen) !== keyOf(lock)) forgetLock();
  chosen = lock;
  // So that the address leads to this lock again.
  history.replaceState(null, '', `#${encodeURIComponent(lock.namespace)}/${encodeURIComponent(lock.name)}`);
  byId('lock').hidden = false;
  byId('lock-name').textContent = lock.name;
  fitCurves();
  poll();
}

const lockUrl = () => `${locksPath}/${encodeURIComponent(chosen.namespace)}?name=${encodeURIComponent(chosen.name)}`;

async function askLock(state) {
  if (chosen === null) return;
  if (locksPath === null) {
    drawNoLock('Not shown: management.endpoints.web.exposure.include does not name the endpoint locks.');
    return;
  }
  const of = chosen;
  const found = await json(lockUrl());
  if (of !== chosen) return;
  if (found === null) {
    drawNoLock('The memory node has no such lock any more.');
  } else {
    drawLock(found, state.cannotEnd);
  }
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
  const youngest = youngestToken();
  const upTo = youngest === null ? '' : `&token=${youngest}`;
  const response = await ask(`${lockUrl()}${upTo}&reason=${encodeURIComponent(byId('reason').value)}`, 'DELETE');
  if (response.ok) {
    byId('dialog').close();
    poll();
  } else {
    byId('dialog-problem').textContent = response.status === 403 ? 'This user may not end holds.' : `The memory node answers ${response.status}.`;
  }
};

byId('leave').onclick = () => byId('dialog').close();

// ---------------------------------------------------------------- asking

function ask(url, method) {
  // Without the user and password that the page's own address may have: a request's address must have none.
  const absolute = new URL(url, location.origin + location.pathname);
  // No page of another site can add this header: the memory node changes nothing for a browser without it.
  return fetch(absolute, { method, cache: 'no-store', headers: { 'X-Requested-With': 'console' } });
}

// Returns null where there is nothing.
async function json(url) {
  const response = await ask(url, 'GET');
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`it answers ${response.status}`);
  // Tokens have 63 bits: as text they stay whole.
  return JSON.parse((await response.text()).replace(/"fencingToken":(\d+)/g, '"fencingToken":"$1"'));
}

async function poll() {
  if (polling || document.hidden) return;
  polling = true;
  try {
    const state = await json(`api/state?containing=${encodeURIComponent(byId('containing').value)}`);
    locksPath = state.locksPath ? `..${state.locksPath}` : null;
    drawHead(state);
    drawCurves(state.samples, KEPT_SECONDS);
    drawLocks(state);
    drawSessions(state);
    noticeResets(state);
    await askLock(state);
  } catch (problem) {
    byId('sub').textContent = `! no answer from the memory node (${problem.message}); trying again`;
    byId('sub').className = 'sub wrong';
  } finally {
    polling = false;
  }
}

for (const [id, by] of [['by-waiting', 'waiting'], ['by-rate', 'rate']]) {
  byId(id).onclick = () => {
    order = by;
    byId('by-waiting').ariaPressed = by === 'waiting';
    byId('by-rate').ariaPressed = by === 'rate';
    poll();
  };
}
byId('containing').oninput = poll;
addEventListener('resize', fitCurves);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { forgetCurves(); poll(); });

const linked = location.hash.slice(1).split('/').map(decodeURIComponent);
if (linked.length === 2) {
  choose({ namespace: linked[0], name: linked[1] });
} else {
  poll();
}
setInterval(poll, POLL_MILLIS);
