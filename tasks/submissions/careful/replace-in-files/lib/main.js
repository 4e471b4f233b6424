'use strict';

const fs = require('node:fs');
const path = require('node:path');
const HELP = require('./help.js');
const { glob, escapeRegExp } = require('./glob.js');
const { UsageError, parseArgs } = require('./options.js');

const ESCAPES = { '\\n': '\n', '\\r': '\r', '\\t': '\t' };

/** Returns the function that replaces all that is searched for in a text. */
function replacer({ string, regex, ignoreCase, replacement }) {
  const flags = ignoreCase ? 'gi' : 'g';
  const expressions = [...string.map(escapeRegExp), ...regex].map(
    (source) => new RegExp(source, flags),
  );
  const by = replacement.replace(/\\[nrt]/g, (text) => ESCAPES[text]);
  return (text) => expressions.reduce((result, expression) => result.replace(expression, by), text);
}

/** Returns the lines of a dry run for one file. */
function preview(file, before, after) {
  const oldLines = before.split('\n');
  const newLines = after.split('\n');
  const lines = ['', path.resolve(file)];
  for (let i = 0; i < Math.max(oldLines.length, newLines.length); i++) {
    if (oldLines[i] === newLines[i]) {
      continue;
    }
    for (const line of [oldLines[i], newLines[i]]) {
      if (line !== undefined) {
        lines.push(`${i + 1}:${line}`);
      }
    }
  }
  return lines.map((line) => line + '\n').join('');
}

function run(options) {
  if (options.files.length === 0) {
    throw new UsageError('Specify one or more file paths');
  }
  if (options.regex.length === 0 && options.string.length === 0) {
    throw new UsageError('Specify at least --regex or --string');
  }
  if (options.replacement === undefined) {
    throw new UsageError('--replacement is required');
  }
  const replace = replacer(options);
  const files = options.glob ? glob(options.files) : options.files;
  let changes = 0;
  for (const file of files) {
    const before = fs.readFileSync(file, 'utf8');
    const after = replace(before);
    if (after === before) {
      continue;
    }
    changes++;
    if (options.dryRun) {
      process.stdout.write(preview(file, before, after));
    } else {
      fs.writeFileSync(file, after);
    }
  }
  if (options.dryRun && changes === 0) {
    process.stdout.write('No matches found.\n');
  }
}

function main(args) {
  try {
    const options = parseArgs(args);
    if (options.help) {
      process.stdout.write(HELP);
    } else if (options.version) {
      process.stdout.write(`${require('../package.json').version}\n`);
    } else {
      run(options);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

module.exports = { main };
