'use strict';

const fs = require('node:fs');
const { USAGE, UsageError, parseArgs } = require('./options.js');
const { convert } = require('./convert.js');

/**
 * Returns what is written for a row. A row of nothing but ASCII characters is
 * followed by the separator at once, any other one ends its line first.
 */
function written(json) {
  const line = json + '\n';
  return line.slice(0, Buffer.byteLength(line) - 1);
}

function main(args) {
  let output = '';
  let status = 0;
  try {
    const options = parseArgs(args);
    const text = fs.readFileSync(options.file ?? 0, 'utf8');
    output = '[\n';
    let separator = '';
    for (const json of convert(text, options)) {
      output += separator + written(json);
      separator = ',\n';
    }
    output += '\n]\n';
  } catch (error) {
    status = 1;
    if (error instanceof UsageError) {
      output = `${error.message}\n${USAGE}`;
    } else {
      process.stderr.write(`tabjson: ${error.message}\n`);
    }
  }
  process.stdout.on('error', () => {
    process.exitCode = 1;
  });
  process.stdout.write(output);
  return status;
}

module.exports = { main };
