'use strict';

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;

/** Returns the value that a text stands for, or the text itself. */
function typed(text) {
  const bare = text.trim();
  if (NUMBER.test(bare)) {
    return Number(bare);
  }
  const lower = bare.toLowerCase();
  if (lower === 'true' || lower === 'false') {
    return lower === 'true';
  }
  if (/^(\{.*\}|\[.*\])$/s.test(bare)) {
    try {
      return JSON.parse(bare);
    } catch {
      return text;
    }
  }
  return text;
}

function toNumber(text) {
  const bare = text.trim();
  return NUMBER.test(bare) ? Number(bare) : text;
}

/**
 * Returns the steps of a column name such as a.b[0].c[]: texts for keys,
 * numbers for places in an array and null for the end of an array.
 */
function parsePath(name) {
  const steps = [];
  for (const part of name.split('.')) {
    const match = /^([^[\]]+)((?:\[\d*\])*)$/.exec(part);
    if (!match) {
      return [name];
    }
    steps.push(match[1]);
    for (const [, index] of match[2].matchAll(/\[(\d*)\]/g)) {
      steps.push(index === '' ? null : Number(index));
    }
  }
  return steps;
}

/** Puts a value into nested objects and arrays, which are made as needed. */
function setPath(target, steps, value) {
  let node = target;
  for (let i = 0; ; i++) {
    const step = steps[i] === null ? node.length : steps[i];
    if (i === steps.length - 1) {
      node[step] = value;
      return;
    }
    const wantsArray = typeof steps[i + 1] !== 'string';
    let next = node[step];
    if (typeof next !== 'object' || next === null || Array.isArray(next) !== wantsArray) {
      next = wantsArray ? [] : Object.create(null);
      node[step] = next;
    }
    node = next;
  }
}

module.exports = { typed, toNumber, parsePath, setPath };
