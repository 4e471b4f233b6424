#!/usr/bin/env node
const fs = require('fs');
const o = {delimiter: ',', quote: '"', output: 'json', trim: 'true'};
let file = 0;
for (const a of process.argv.slice(2)) {
  const m = /^--(\w+)=(.*)$/s.exec(a);
  if (m) o[m[1]] = m[2];
  else if (a.startsWith('--')) { console.log('unknown option ' + a); process.exit(1); }
  else file = a;
}
const on = (n) => o[n] === 'true' || o[n] === 'y';
const text = fs.readFileSync(file, 'utf8').replace(/^\ufeff/, '');
let d = o.delimiter.replace('\\t', '\t');
if (d[0] === '[') d = JSON.parse(d).find((x) => text.split('\n')[0].includes(x)) || ',';
if (d === 'auto') d = [',', '|', '\t', ';', ':'].find((x) => text.split('\n')[0].includes(x)) || ',';
const q = o.quote === 'off' ? '' : o.quote;
const esc = o.escape || '"';
const rows = [];
let row = [], cell = '', raw = '', inQ = false;
const endCell = () => { row.push(on('trim') ? cell.trim() : cell); cell = ''; };
const endRow = () => { endCell(); if (raw.trim()) rows.push({cells: row, raw}); row = []; raw = ''; };
for (let i = 0; i < text.length; i++) {
  const c = text[i];
  if (inQ) {
    raw += c;
    if (c === esc && text[i + 1] === q) { cell += q; raw += q; i++; }
    else if (c === q) inQ = false;
    else cell += c;
  } else if (q && c === q && !cell.trim()) { inQ = true; cell = ''; raw += c; }
  else if (text.startsWith(d, i)) { endCell(); raw += d; i += d.length - 1; }
  else if (c === '\n') endRow();
  else if (c !== '\r') { cell += c; raw += c; }
}
if (inQ) { console.error('unclosed quote'); process.exit(1); }
if (raw) endRow();
let headers = o.headers ? JSON.parse(o.headers) : [];
if (!on('noheader') && rows.length) {
  const first = rows.shift().cells;
  if (!o.headers) headers = first;
}
const re = (s) => s && new RegExp(s.replace(/^\/|\/\w*$/g, ''));
const inc = re(o.includeColumns), ign = re(o.ignoreColumns);
function typed(v) {
  if (v !== '' && !isNaN(v)) return Number(v);
  if (/^true$/i.test(v)) return true;
  if (/^false$/i.test(v)) return false;
  if (/^[[{]/.test(v)) { try { return JSON.parse(v); } catch { return v; } }
  return v;
}
function put(obj, name, v) {
  if (on('flatKeys')) { obj[name] = v; return; }
  const parts = name.replace(/\[(\d*)\]/g, '.[$1]').split('.').filter(Boolean);
  let cur = obj;
  parts.forEach((p, i) => {
    let k = p;
    if (p[0] === '[') k = p === '[]' ? cur.length : Number(p.slice(1, -1));
    if (i === parts.length - 1) cur[k] = v;
    else cur = cur[k] = cur[k] || (parts[i + 1][0] === '[' ? [] : {});
  });
}
const out = rows.map(({cells, raw}) => {
  if (on('checkColumn') && cells.length !== headers.length) { console.error('column mismatch'); process.exit(1); }
  if (o.output === 'line') return JSON.stringify(raw);
  const obj = {}, arr = [];
  cells.forEach((v, i) => {
    let name = headers[i] || 'field' + (i + 1);
    if (inc && !inc.test(name) || ign && ign.test(name)) return;
    if (on('ignoreEmpty') && v === '') return;
    if (on('nullObject') && v === 'null') v = null;
    else if (on('checkType')) {
      const m = /^(\w+)#!(.*)$/.exec(name);
      if (m) name = m[2];
      if (m && m[1] === 'omit') return;
      v = m && m[1] === 'string' ? v : m && m[1] === 'number' ? Number(v) : typed(v);
    }
    arr.push(v);
    put(obj, name, v);
  });
  return JSON.stringify(o.output === 'csv' ? arr : obj);
});
console.log('[\n' + out.join(',\n') + '\n]');
