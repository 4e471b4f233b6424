#!/usr/bin/env node
const fs = require('fs');
const path = require('path');
const {parseArgs} = require('util');
let a;
try {
  a = parseArgs({allowPositionals: true, options: {
    regex: {type: 'string', multiple: true}, string: {type: 'string', multiple: true},
    replacement: {type: 'string'}, 'ignore-case': {type: 'boolean'},
    'no-glob': {type: 'boolean'}, 'dry-run': {type: 'boolean'}}});
} catch (e) { fail(e.message); }
const v = a.values;
function fail(m) { console.error(m); process.exit(1); }
if (!a.positionals.length) fail('Specify one or more file paths');
if (!v.regex && !v.string) fail('Specify at least `--regex` or `--string`');
if (v.replacement === undefined) fail('The `--replacement` option is required');
const rep = v.replacement.replace(/\\n/g, '\n').replace(/\\r/g, '\r').replace(/\\t/g, '\t');
const flags = v['ignore-case'] ? 'gi' : 'g';
const res = [];
try {
  for (const s of v.string || []) res.push(new RegExp(s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags));
  for (const s of v.regex || []) res.push(new RegExp(s, flags));
} catch (e) { fail(e.message); }
function globRe(g) {
  let out = '', depth = 0;
  g = g.replace(/^\.\//, '');
  for (let i = 0; i < g.length; i++) {
    const c = g[i];
    if (g.startsWith('**/', i)) { out += '(?:.*/)?'; i += 2; }
    else if (g.startsWith('**', i)) { out += '.*'; i++; }
    else if (c === '*') out += '[^/]*';
    else if (c === '?') out += '[^/]';
    else if (c === '{') { out += '(?:'; depth++; }
    else if (c === '}') { out += ')'; depth--; }
    else if (c === ',' && depth) out += '|';
    else if (c === '[') { const j = g.indexOf(']', i); out += '[' + g.slice(i + 1, j).replace(/^!/, '^') + ']'; i = j; }
    else out += c.replace(/[.+^$()|\\]/, '\\$&');
  }
  return new RegExp('^' + out + '$');
}
let files = a.positionals;
if (!v['no-glob']) {
  const all = fs.readdirSync('.', {recursive: true}).filter((f) => fs.statSync(f).isFile()).sort();
  const pos = files.filter((f) => f[0] !== '!'), neg = files.filter((f) => f[0] === '!').map((f) => globRe(f.slice(1)));
  const set = new Set();
  for (const p of pos) {
    if (fs.existsSync(p) && fs.statSync(p).isFile()) set.add(p);
    for (const f of all) if (globRe(p).test(f)) set.add(f);
  }
  files = [...set].filter((f) => !neg.some((r) => r.test(f)));
}
let changed = false;
for (const f of files) {
  let old;
  try { old = fs.readFileSync(f, 'utf8'); } catch (e) { fail(e.message); }
  let s = old;
  for (const r of res) s = s.replace(r, rep);
  if (s === old) continue;
  changed = true;
  if (!v['dry-run']) { fs.writeFileSync(f, s); continue; }
  console.log('\n' + path.resolve(f));
  const x = old.split('\n'), y = s.split('\n');
  for (let i = 0; i < Math.max(x.length, y.length); i++)
    if (x[i] !== y[i]) console.log(`${i + 1}:${x[i] ?? ''}\n${i + 1}:${y[i] ?? ''}`);
}
if (v['dry-run'] && !changed) console.log('No matches found.');
