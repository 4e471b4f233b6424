#!/usr/bin/env node
'use strict';

const fs = require('fs');
const path = require('path');
const { parseArgs } = require('util');
const { glob } = require('../lib/glob');
const help = require('../lib/help');
const { version } = require('../package.json');

function fail(message) {
  console.error(message);
  process.exit(1);
}

function differences(before, after) {
  const a = before.split('\n');
  const b = after.split('\n');
  const out = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] === b[i]) continue;
    if (a[i] !== undefined) out.push(`${i + 1}:${a[i]}`);
    if (b[i] !== undefined) out.push(`${i + 1}:${b[i]}`);
  }
  return out;
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      regex: { type: 'string', multiple: true, default: [] },
      string: { type: 'string', multiple: true, default: [] },
      replacement: { type: 'string' },
      'ignore-case': { type: 'boolean' },
      'no-glob': { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      help: { type: 'boolean' },
      version: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  if (values.version) {
    console.log(version);
    return;
  }
  if (positionals.length === 0) fail('Specify one or more file paths');
  if (values.regex.length + values.string.length === 0) fail('Specify at least `--regex` or `--string`');
  if (values.replacement === undefined) fail('The `--replacement` flag is required');

  const flags = values['ignore-case'] ? 'gi' : 'g';
  const finders = [
    ...values.string.map((s) => new RegExp(s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags)),
    ...values.regex.map((s) => new RegExp(s, flags)),
  ];
  const replacement = values.replacement.replace(/\\n/g, '\n').replace(/\\r/g, '\r').replace(/\\t/g, '\t');

  const files = values['no-glob'] ? [...new Set(positionals)] : glob(positionals);
  let changes = 0;
  for (const file of files) {
    const before = fs.readFileSync(file, 'utf8');
    const after = finders.reduce((text, re) => text.replace(re, replacement), before);
    if (after === before) continue;
    changes++;
    if (values['dry-run']) {
      console.log(['', path.resolve(file), ...differences(before, after)].join('\n'));
    } else {
      fs.writeFileSync(file, after);
    }
  }
  if (values['dry-run'] && changes === 0) console.log('No matches found.');
}

try {
  main();
} catch (err) {
  fail(err.message);
}
