// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

// Twice a second, asks the instance that served this page for the snapshots of all instances, and draws them.
'use strict';

const POLL_MILLIS = 500;
const STALE_MILLIS = 3000;
const MOST_DOTS = 60;
const COLOURS = ['#3d7eff', '#f08c2e', '#12a594', '#b45bd6', '#e5484d', '#8a9a1f', '#0ea5c6', '#d6409f'];

const byId = id => document.getElementById(id);
const number = value => Math.round(value).toLocaleString('en');
const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);

// Names come from configuration and the database, so they are escaped: they are text, never markup.
const escape = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

function duration(micros) {
  if (micros < 1000) return `${micros} µs`;
  if (micros < 10000) return `${(micros / 1000).toFixed(1)} ms`;
  if (micros < 1000000) return `${Math.round(micros / 1000)} ms`;
  return `${(micros / 1000000).toFixed(1)} s`;
}

// The mean of the last second: two points.
function recent(instance, field) {
  const points = instance.history.slice(-2);
  return points.length ? sum(points, point => point[field]) / points.length : 0;
}

function last(instance, field) {
  const point = instance.history[instance.history.length - 1];
  return point ? point[field] : 0;
}

function path(values, most, width, height) {
  const start = 120 - values.length;
  return values
    .map((value, i) => `${i ? 'L' : 'M'}${((start + i) / 119 * width).toFixed(1)} ${(height - value / most * (height - 3)).toFixed(1)}`)
    .join('');
}

function curve(values, most, faint) {
  const width = 300;
  const height = 52;
  const line = path(values, most, width, height);
  const begin = ((120 - values.length) / 119 * width).toFixed(1);
  const area = values.length > 1 ? `<path class="area" d="${line}L${width} ${height}L${begin} ${height}Z"/>` : '';
  const below = faint ? `<path class="faint" d="${path(faint, most, width, height)}"/>` : '';
  return `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">
    <line class="base" x1="0" x2="${width}" y1="${height - 0.5}" y2="${height - 0.5}"/>
    ${area}${below}<path class="curve-line" d="${line}"/></svg>`;
}

function tile(value, unit, label, kind) {
  return `<div class="tile ${kind || ''}"><b>${value} <small>${unit}</small></b><span>${label}</span></div>`;
}

function drawTiles(live, locking) {
  const all = field => sum(live.instances, instance => recent(instance, field));
  const sold = sum(live.sales, product => product.sold);
  const wrong = sum(live.sales, product => Math.abs(product.sold + product.stock - product.initialStock));
  const waiting = sum(live.instances, instance => instance.waiting);
  const locks = [
    tile(number(all('grants')), '/s', 'locks granted'),
    tile(number(all('local')), '/s', 'handed over inside an instance'),
    tile(number(all('peer')), '/s', 'handed over between instances'),
    tile(number(waiting), '', 'waiting now'),
  ];
  byId('tiles').innerHTML = [
    tile(number(all('orders')), '/s', 'orders accepted'),
    ...(locking ? locks : []),
    tile(number(sold), '', 'pieces sold'),
    tile(number(wrong), '', 'pieces missing or oversold', wrong === 0 ? 'good' : 'bad'),
  ].join('');
}

function lockCurves(instance, scale) {
  const points = instance.history;
  return `<div class="curve"><p><span>locks granted</span><b>${number(recent(instance, 'grants'))} /s</b></p>
      ${curve(points.map(point => point.grants), scale.grants)}</div>
    <div class="curve"><p><span>wait for a lock, p99 and p50</span><b>${duration(last(instance, 'p99'))}</b></p>
      ${curve(points.map(point => point.p99), scale.p99, points.map(point => point.p50))}</div>
    <dl>
      <dt>p50 wait</dt><dd>${duration(last(instance, 'p50'))}</dd>
      <dt>p99 wait</dt><dd>${duration(last(instance, 'p99'))}</dd>
      <dt>local</dt><dd>${number(recent(instance, 'local'))} /s</dd>
      <dt>from peers</dt><dd>${number(recent(instance, 'peer'))} /s</dd>
    </dl>`;
}

function orderCurve(instance, scale) {
  return `<div class="curve"><p><span>orders accepted without a lock</span><b>${number(recent(instance, 'orders'))} /s</b></p>
    ${curve(instance.history.map(point => point.orders), scale.orders)}</div>`;
}

function card(instance, now, colour, scale) {
  const quiet = now - instance.at > STALE_MILLIS;
  const facts = instance.locking ? `${number(instance.held)} held, ${number(instance.waiting)} waiting` : '';
  const name = escape(instance.name);
  return `<article class="card" style="--colour:${colour}">
    <h3><a href="${escape(instance.url)}">${name}</a><span>${quiet ? 'no recent snapshot' : facts}</span></h3>
    ${instance.locking ? lockCurves(instance, scale) : orderCurve(instance, scale)}</article>`;
}

function drawInstances(live, colours) {
  const most = field => Math.max(1, ...live.instances.flatMap(instance => instance.history.map(point => point[field])));
  const scale = { grants: most('grants'), p99: most('p99'), orders: most('orders') };
  byId('instances').innerHTML = live.instances
    .map(instance => card(instance, live.at, colours.get(instance.name), scale))
    .join('');
}

// Instances take their snapshots at different moments, so several of them may report a lock that changes hands as held. The fencing
// token tells which snapshot is the newest: it grows with every write lock granted.
function locksOf(live) {
  const locks = new Map(live.sales.map(product => [`product:${product.product}`, unseen(`product:${product.product}`)]));
  for (const instance of live.instances) {
    for (const seen of instance.locks) {
      const lock = locks.get(seen.name) || unseen(seen.name);
      locks.set(seen.name, lock);
      const entry = { instance: instance.name, ...seen };
      if (!seen.held) {
        lock.waiting.push(entry);
      } else if (!seen.write) {
        lock.readers.push(entry);
      } else if (!lock.writer || BigInt(seen.token) > BigInt(lock.writer.token)) {
        lock.writer = entry;
      }
    }
  }
  for (const lock of locks.values()) {
    if (lock.writer) {
      lastWriters.set(lock.name, lock.writer);
    }
  }
  return [...locks.values()];
}

// The last known writer of each lock since this page was opened.
const lastWriters = new Map();

function unseen(name) {
  return { name, writer: null, readers: [], waiting: [] };
}

function holderOf(lock, colours) {
  const chip = (entry, text) => `<span class="chip" style="--colour:${colours.get(entry.instance)}">${text}</span>`;
  if (lock.writer) {
    return chip(lock.writer, `${escape(lock.writer.instance)} writes`);
  }
  if (lock.readers.length) {
    const names = [...new Set(lock.readers.map(reader => reader.instance))];
    return names.map(name => chip({ instance: name }, `${escape(name)} reads`)).join(' ');
  }
  // No instance held the lock when it took its snapshot: the lock was being handed over, or it is free.
  const before = lastWriters.get(lock.name);
  const past = before ? `, last held by ${escape(before.instance)}` : '';
  return `<span class="note">${lock.waiting.length ? `changing hands${past}` : 'free'}</span>`;
}

function lockRow(lock, colours) {
  const waiting = [...lock.waiting].sort((a, b) => b.micros - a.micros);
  const dots = waiting
    .slice(0, MOST_DOTS)
    .map(entry => `<i class="dot ${entry.write ? '' : 'read'}" style="--colour:${colours.get(entry.instance)}"
      title="${escape(entry.instance)} has waited ${duration(entry.micros)} to ${entry.write ? 'write' : 'read'}"></i>`)
    .join('');
  const more = waiting.length > MOST_DOTS ? `<span class="note">and ${waiting.length - MOST_DOTS} more</span>` : '';
  const writer = lock.writer || (lock.waiting.length && !lock.readers.length && lastWriters.get(lock.name));
  const token = writer ? `token ${escape(writer.token)}` : '';
  return `<div class="row lock"><span class="name">${escape(lock.name)}</span>
    <div>${holderOf(lock, colours)}</div>
    <span class="note token">${token}</span>
    <div class="queue">${dots}${more}</div></div>`;
}

function drawLocks(live, colours, locking) {
  byId('locks').innerHTML = locking
    ? locksOf(live).map(lock => lockRow(lock, colours)).join('')
    : '<p class="empty">No holders and no waiters: orders are taken without a lock.</p>';
}

function drawStock(live) {
  byId('stock').innerHTML = live.sales
    .map(product => {
      const sumUp = product.sold + product.stock;
      const right = sumUp === product.initialStock && product.stock >= 0;
      const share = Math.max(0, Math.min(100, product.stock / product.initialStock * 100));
      const note = right
        ? `${number(product.sold)} sold of ${number(product.initialStock)}`
        : `<span class="wrong">${number(product.sold)} sold of ${number(product.initialStock)}</span>`;
      return `<div class="row"><div class="top"><span class="name">${escape(product.name)}</span>
        <span class="note">${note}, ${number(product.stock)} left</span></div>
        <div class="bar ${right ? '' : 'bad'}"><i style="width:${share}%"></i></div></div>`;
    })
    .join('');
}

function drawHead(live, locking) {
  const count = live.instances.length;
  byId('sub').textContent = `${count} instance${count === 1 ? '' : 's'}, one database; this page is from ${live.from}`;
  const mode = byId('mode');
  mode.textContent = locking ? 'locking on: @DecLocked' : 'LOCKING OFF';
  mode.className = `badge ${locking ? 'good' : 'bad'}`;
  const states = new Map(live.instances.flatMap(i => i.memoryNodes).map(node => [node.id || '?', node.state]));
  const node = byId('node');
  node.textContent = [...states].map(([id, state]) => `memory node ${id}: ${state.toLowerCase()}`).join(', ');
  node.className = `badge ${[...states.values()].every(state => state === 'UP') ? '' : 'bad'}`;
  byId('footer').innerHTML = 'Curves show the last minute, to one scale for all instances.';
  byId('footer').innerHTML += !locking ? '' : `
    <i class="dot"></i>waits to write <i class="dot read"></i>waits to read, the longest wait first.`;
}

function draw(live) {
  const colours = new Map(live.instances.map((instance, i) => [instance.name, COLOURS[i % COLOURS.length]]));
  const locking = live.instances.every(instance => instance.locking);
  drawHead(live, locking);
  drawTiles(live, locking);
  drawInstances(live, colours);
  drawLocks(live, colours, locking);
  drawStock(live);
}

async function poll() {
  try {
    const response = await fetch('live', { cache: 'no-store' });
    if (!response.ok) throw new Error(`the instance answers ${response.status}`);
    draw(await response.json());
  } catch (problem) {
    byId('sub').textContent = `no answer from the instance that served this page (${problem.message}); trying again`;
  }
  setTimeout(poll, POLL_MILLIS);
}

poll();
