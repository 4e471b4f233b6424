'use strict';

class UsageError extends Error {}

const USAGE = `Usage: tabjson [--name=value ...] [file]

Converts CSV to JSON. Without a file, standard input is read.

Options:
  --output=json|csv|line   what each row becomes (default json)
  --delimiter=TEXT         separator, a JSON array of candidates, or "auto"
  --quote=CHARACTER        quoting character, or "off" (default ")
  --escape=CHARACTER       what escapes a quoting character (default ")
  --trim=BOOLEAN           strip blanks around values (default true)
  --checkType=BOOLEAN      give typed values (default false)
  --ignoreEmpty=BOOLEAN    leave out empty columns (default false)
  --nullObject=BOOLEAN     turn the text null into null (default false)
  --noheader=BOOLEAN       the first row is data (default false)
  --headers=JSON           array of the names of the columns
  --flatKeys=BOOLEAN       names with dots and brackets are plain (default false)
  --includeColumns=/RE/    keep only the columns whose names match
  --ignoreColumns=/RE/     leave out the columns whose names match
  --checkColumn=BOOLEAN    refuse rows of another length (default false)
  --maxRowLength=NUMBER    refuse longer rows; 0 for no limit (default 0)
`;

const BOOLEANS = { true: true, y: true, false: false, n: false };

function toBoolean(text, name) {
  if (!Object.hasOwn(BOOLEANS, text)) {
    throw new UsageError(`Unknown boolean value for --${name}: ${text}`);
  }
  return BOOLEANS[text];
}

function toNumber(text, name) {
  if (!/^\d+$/.test(text)) {
    throw new UsageError(`Unknown number for --${name}: ${text}`);
  }
  return Number(text);
}

function toArray(text, name) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!Array.isArray(value)) {
    throw new UsageError(`A JSON array is needed for --${name}: ${text}`);
  }
  return value.map(String);
}

/**
 * Returns a global expression: after a match in one column's name, the search
 * in the next one begins where that match ended.
 */
function toRegExp(text, name) {
  const match = /^\/(.*)\/([a-z]*)$/s.exec(text);
  try {
    return match ? new RegExp(match[1], match[2].replaceAll('g', '') + 'g') : new RegExp(text, 'g');
  } catch (error) {
    throw new UsageError(`--${name}: ${error.message}`);
  }
}

/** Returns the list of the delimiters to choose from. */
function toDelimiters(text, name) {
  if (text === 'auto') {
    return [',', '|', '\t', ';', ':'];
  }
  const list = /^\s*\[.*\]\s*$/s.test(text) ? toArray(text, name) : [text];
  return list.map((item) => item.replaceAll('\\t', '\t'));
}

const toText = (text) => text;

/** Default and reader of each option. */
const OPTIONS = {
  output: ['json', toText],
  delimiter: [[','], toDelimiters],
  quote: ['"', (text) => (text === 'off' ? '' : text)],
  escape: ['"', toText],
  trim: [true, toBoolean],
  checkType: [false, toBoolean],
  ignoreEmpty: [false, toBoolean],
  nullObject: [false, toBoolean],
  noheader: [false, toBoolean],
  headers: [null, toArray],
  flatKeys: [false, toBoolean],
  includeColumns: [null, toRegExp],
  ignoreColumns: [null, toRegExp],
  checkColumn: [false, toBoolean],
  maxRowLength: [0, toNumber],
};

/** Returns the options of a command line, and the name of the input file. */
function parseArgs(args) {
  const options = { file: null };
  for (const [name, [value]] of Object.entries(OPTIONS)) {
    options[name] = value;
  }
  for (const arg of args) {
    if (!arg.startsWith('--')) {
      options.file = arg;
      continue;
    }
    const equals = arg.indexOf('=');
    const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals);
    const value = equals < 0 ? '' : arg.slice(equals + 1);
    if (!Object.hasOwn(OPTIONS, name)) {
      throw new UsageError(`Unknown option: --${name}`);
    }
    options[name] = OPTIONS[name][1](value, name);
  }
  return options;
}

module.exports = { USAGE, UsageError, parseArgs };
