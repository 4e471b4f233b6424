#!/usr/bin/env node
'use strict';

const fs = require('fs');
const { parseArgs, UsageError, USAGE } = require('../lib/options');
const { convert } = require('../lib/convert');

function main(argv) {
  let parsed;
  try {
    parsed = parseArgs(argv);
  } catch (err) {
    if (!(err instanceof UsageError)) throw err;
    console.log(err.message);
    console.log(USAGE);
    process.exitCode = 1;
    return;
  }
  if (parsed.help) {
    console.log(USAGE);
    return;
  }
  try {
    const text = fs.readFileSync(parsed.file === undefined ? 0 : parsed.file, 'utf8');
    process.stdout.write(convert(text, parsed.options));
  } catch (err) {
    console.error(err.message);
    process.exitCode = 1;
  }
}

main(process.argv.slice(2));
