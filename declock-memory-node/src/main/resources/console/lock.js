// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

// One lock: who holds it, who waits, and what this page has seen of it.

import { drawEnded, drawHistogram } from './curves.js';
import { byId, cell, durationOf, element, fill, millisOf, number, numberCell, row } from './texts.js';

const MOST_PASSES = 10;
const MOST_ENDED = 1000;
const STATES = { HELD: { WRITE: '■ held to write', READ: '□ held to read' }, RESERVED: { WRITE: '◇ reserved', READ: '◇ reserved' }, KEPT: { WRITE: '○ kept, not held', READ: '○ kept, not held' } };

let passes = [];
let holdsNow = new Map();
let looks = 0;
let looksHeld = new Map();
let waitsNow = new Map();
let ended = [];

export function forgetLock() {
  passes = [];
  holdsNow = new Map();
  looks = 0;
  looksHeld = new Map();
  waitsNow = new Map();
  ended = [];
}

// The youngest hold that the page shows, as a text, or null: what is granted later is not ended.
export function youngestToken() {
  const tokens = [...holdsNow.values()].map(hold => hold.fencingToken).filter(token => token);
  return tokens.length ? tokens.reduce((a, b) => BigInt(a) > BigInt(b) ? a : b) : null;
}

function notice(holds) {
  const now = new Map(holds.map(hold => [`${hold.fencingToken} ${hold.service} ${hold.owner}`, hold]));
  for (const [key, hold] of now) {
    if (!holdsNow.has(key)) passes.unshift({ at: new Date(), ...hold });
  }
  passes = passes.slice(0, MOST_PASSES);
  holdsNow = now;
  looks++;
  for (const service of new Set(holds.map(hold => hold.service))) {
    looksHeld.set(service, (looksHeld.get(service) || 0) + 1);
  }
}

// A wait that was there at the last look has ended if it is not there now, or if its owner waits for a shorter time: then that is another
// wait. A service that does not answer, or has more uses than it tells, says nothing of waits that are missing in its answer: they count when
// it tells all of them again.
function noticeEnded(services) {
  const before = waitsNow;
  waitsNow = new Map();
  const telling = services.filter(service => service.answered && service.more === 0);
  for (const { node, uses } of telling) {
    for (const use of uses.filter(use => use.state === 'WAITING')) {
      const key = `${node} ${use.mode} ${use.owner}`;
      // Owners of one name count as one, the longest wait of theirs.
      waitsNow.set(key, { node, millis: Math.max(millisOf(use.age), waitsNow.get(key)?.millis ?? 0) });
    }
  }
  for (const [key, wait] of before) {
    const of = services.find(service => service.node === wait.node);
    const still = waitsNow.get(key);
    if (telling.includes(of)) {
      if (!(still?.millis >= wait.millis)) ended.push(wait.millis);
    } else if (of) {
      waitsNow.set(key, wait);
    }
  }
  ended = ended.slice(-MOST_ENDED);
}

function factsOf(found) {
  const { lock, services, keptFor } = found;
  const more = services.reduce((sum, service) => sum + service.more, 0);
  return [
    `${number(lock.positions)} position${lock.positions === 1 ? '' : 's'} in the queue, ${number(lock.writers)} of them to write`,
    `epoch ${lock.epoch}${lock.inReset ? ', in a reset now' : ''}`,
    keptFor ? `kept for ${durationOf(millisOf(keptFor))} more for a service that has left` : '',
    more ? `${number(more)} uses more than are shown` : '',
  ].filter(fact => fact).join('; ');
}

export function drawLock(found, cannotEnd) {
  const uses = found.services.flatMap(service => service.uses.map(use => ({ service: service.service, ...use, millis: millisOf(use.age) })));
  const holds = uses.filter(use => use.state !== 'WAITING');
  const waits = uses.filter(use => use.state === 'WAITING').sort((a, b) => b.millis - a.millis);
  const held = holds.filter(use => use.state !== 'KEPT');
  notice(held);
  noticeEnded(found.services);
  byId('lock-facts').textContent = factsOf(found);
  fill('holds', holds.map(hold => row(cell(STATES[hold.state][hold.mode]), cell(hold.service), cell(hold.owner),
    numberCell(hold.fencingToken ?? '–'), numberCell(durationOf(hold.millis)))), 'Nobody, as far as the services say.');
  fill('waits', waits.map(wait => row(cell(wait.mode === 'WRITE' ? '▲ to write' : '△ to read'), cell(wait.service), cell(wait.owner),
    numberCell(durationOf(wait.millis)))), 'Nobody, as far as the services say.');
  drawHistogram(waits.map(wait => wait.millis));
  drawEnded(ended);
  byId('passed').replaceChildren(...passes.map(pass => element('li', '',
    `${pass.at.toLocaleTimeString('en-GB')}  ${pass.service}, ${pass.owner}, token ${pass.fencingToken ?? 'none'}`)));
  byId('fairness').textContent = [...looksHeld]
    .map(([service, times]) => `${service} had it in ${number(times)} of ${number(looks)} looks`).join('; ');
  const silent = found.services.filter(service => !service.answered).map(service => service.service);
  byId('silent').textContent = silent.length ? `No answer within a second: ${silent.join(', ')}` : '';
  byId('end').disabled = cannotEnd !== '' || (held.length === 0 && !found.keptFor);
  byId('cannot-end').textContent = cannotEnd;
}

export function drawNoLock(why) {
  for (const id of ['lock-facts', 'fairness', 'silent', 'cannot-end']) byId(id).textContent = '';
  fill('holds', [], why);
  fill('waits', [], why);
  drawHistogram([]);
  drawEnded(ended);
  byId('end').disabled = true;
}
