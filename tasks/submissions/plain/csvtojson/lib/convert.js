'use strict';

const { parseRows } = require('./parse');

function pathOf(name) {
  const keys = [];
  for (const part of name.split('.')) {
    const m = /^([^[\]]*)((?:\[\d*\])*)$/.exec(part);
    if (!m) return [name];
    if (m[1] !== '' || m[2] === '') keys.push(m[1]);
    for (const index of m[2].match(/\[\d*\]/g) || []) {
      keys.push(index === '[]' ? -1 : Number(index.slice(1, -1)));
    }
  }
  return keys;
}

function setPath(target, keys, value) {
  let current = target;
  keys.forEach((key, i) => {
    if (Array.isArray(current) && key === -1) key = current.length;
    if (i === keys.length - 1) {
      current[key] = value;
      return;
    }
    if (current[key] === null || typeof current[key] !== 'object') {
      current[key] = typeof keys[i + 1] === 'number' ? [] : {};
    }
    current = current[key];
  });
}

function typed(value) {
  const text = value.trim();
  if (text === '') return value;
  if (!Number.isNaN(Number(text))) return Number(text);
  const lower = text.toLowerCase();
  if (lower === 'true') return true;
  if (lower === 'false') return false;
  if (/^[{[]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch (err) {
      return value;
    }
  }
  return value;
}

function column(name, index, options) {
  let type = null;
  if (options.checkType) {
    const m = /^(string|number|omit)#!(.*)$/.exec(name);
    if (m) {
      type = m[1];
      name = m[2];
    }
  }
  if (name === '') name = `field${index + 1}`;
  let keep = type !== 'omit';
  if (options.includeColumns && !options.includeColumns.test(name)) keep = false;
  if (options.ignoreColumns && options.ignoreColumns.test(name)) keep = false;
  return { type, keep, keys: options.flatKeys ? [name] : pathOf(name) };
}

function convertValue(value, type, options) {
  if (options.nullObject && value === 'null') return null;
  if (!options.checkType || type === 'string') return value;
  if (type === 'number') {
    const n = Number(value);
    return Number.isNaN(n) ? value : n;
  }
  return typed(value);
}

function convert(text, options) {
  const rows = parseRows(text, options);
  let names = options.headers;
  if (!options.noheader && rows.length > 0) {
    const header = rows.shift();
    names = names || header.cells;
  }
  names = names || [];
  const columns = names.map((name, i) => column(name, i, options));
  const columnAt = (i) => {
    while (columns.length <= i) columns.push(column('', columns.length, options));
    return columns[i];
  };

  let out = '[\n';
  rows.forEach((row, r) => {
    if (options.checkColumn && names.length > 0 && row.cells.length !== names.length) {
      throw new Error(`Error: row ${r + 1} has ${row.cells.length} columns instead of ${names.length}`);
    }
    let value;
    if (options.output === 'line') {
      value = row.raw;
    } else if (options.output === 'csv') {
      value = row.cells.filter((cell, i) => columnAt(i).keep);
    } else {
      value = {};
      row.cells.forEach((cell, i) => {
        const col = columnAt(i);
        if (!col.keep || (options.ignoreEmpty && cell === '')) return;
        setPath(value, col.keys, convertValue(cell, col.type, options));
      });
    }
    if (r > 0) {
      // The comma has a line of its own behind a row with characters beyond ASCII.
      out += /[^\x00-\x7f]/.test(rows[r - 1].raw) ? '\n,\n' : ',\n';
    }
    out += JSON.stringify(value);
  });
  return out + '\n]\n';
}

module.exports = { convert };
