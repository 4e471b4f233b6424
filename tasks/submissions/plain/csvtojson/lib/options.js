'use strict';

class UsageError extends Error {}

const USAGE = `Usage: tabjson [file] [options]

Options:
  --output=json|csv|line   form of the rows
  --delimiter=SEP          separator, a JSON array of candidates, or auto
  --quote=CHAR|off         quoting character
  --escape=CHAR            escaping character
  --noheader=BOOL          the first row is data
  --headers=JSON           names of the columns
  --flatKeys=BOOL          do not nest by names of columns
  --checkType=BOOL         convert values to their types
  --trim=BOOL              trim the blanks around values
  --ignoreEmpty=BOOL       leave out empty columns
  --nullObject=BOOL        turn null into JSON's null
  --includeColumns=/RE/    columns to keep
  --ignoreColumns=/RE/     columns to leave out
  --checkColumn=BOOL       fail on rows that do not fit the header
  --maxRowLength=N         maximum length of a row`;

const bool = (value, name) => {
  switch (value) {
    case 'true':
    case 'y':
      return true;
    case 'false':
    case 'n':
      return false;
    default:
      throw new UsageError(`Unknown boolean value for --${name}: ${value}`);
  }
};

const str = (value) => value;

// The expression keeps its state from column to column.
const regex = (value, name) => {
  const m = /^\/(.*)\/$/.exec(value);
  try {
    return new RegExp(m ? m[1] : value, 'g');
  } catch (err) {
    throw new UsageError(`Invalid expression for --${name}: ${value}`);
  }
};

const number = (value, name) => {
  const n = Number(value);
  if (!Number.isInteger(n)) throw new UsageError(`Invalid number for --${name}: ${value}`);
  return n;
};

const array = (value, name) => {
  try {
    const list = JSON.parse(value);
    if (Array.isArray(list)) return list.map(String);
  } catch (err) {
    // reported below
  }
  throw new UsageError(`JSON array expected for --${name}: ${value}`);
};

const delimiter = (value, name) => {
  if (value.startsWith('[') && value.length > 1) return array(value, name);
  return value.replace(/\\t/g, '\t');
};

const output = (value) => {
  if (!['json', 'csv', 'line'].includes(value)) throw new UsageError(`Unknown output: ${value}`);
  return value;
};

const TYPES = {
  output,
  delimiter,
  quote: str,
  escape: str,
  noheader: bool,
  headers: array,
  flatKeys: bool,
  checkType: bool,
  trim: bool,
  ignoreEmpty: bool,
  nullObject: bool,
  includeColumns: regex,
  ignoreColumns: regex,
  checkColumn: bool,
  maxRowLength: number,
};

function parseArgs(argv) {
  const options = {
    output: 'json',
    delimiter: ',',
    quote: '"',
    escape: '"',
    noheader: false,
    headers: null,
    flatKeys: false,
    checkType: false,
    trim: true,
    ignoreEmpty: false,
    nullObject: false,
    includeColumns: null,
    ignoreColumns: null,
    checkColumn: false,
    maxRowLength: 0,
  };
  let file;
  let help = false;
  for (const arg of argv) {
    if (arg === '--help' || arg === '-h') {
      help = true;
    } else if (arg.startsWith('--')) {
      const eq = arg.indexOf('=');
      const name = eq < 0 ? arg.slice(2) : arg.slice(2, eq);
      if (eq < 0 || !Object.hasOwn(TYPES, name)) throw new UsageError(`Unknown option: ${arg}`);
      options[name] = TYPES[name](arg.slice(eq + 1), name);
    } else if (arg.startsWith('-') && arg.length > 1) {
      throw new UsageError(`Unknown option: ${arg}`);
    } else {
      file = arg;
    }
  }
  return { options, file, help };
}

module.exports = { parseArgs, UsageError, USAGE };
