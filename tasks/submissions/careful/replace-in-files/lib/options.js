'use strict';

class UsageError extends Error {}

/** Kinds of the options: a list of texts, one text, or a switch. */
const KINDS = {
  regex: 'list',
  string: 'list',
  replacement: 'text',
  ignoreCase: 'switch',
  glob: 'switch',
  dryRun: 'switch',
  help: 'switch',
  version: 'switch',
};

const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

function parseArgs(args) {
  const options = {
    files: [],
    regex: [],
    string: [],
    replacement: undefined,
    ignoreCase: false,
    glob: true,
    dryRun: false,
    help: false,
    version: false,
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '--') {
      options.files.push(...args.slice(i + 1));
      break;
    }
    const match = /^--(no-)?([^=]+)(?:=(.*))?$/s.exec(arg);
    if (!match) {
      if (!/^-[^-\d]/.test(arg)) {
        options.files.push(arg);
      }
      continue; // options that are not known are passed over
    }
    const [, no, text] = match;
    let value = match[3];
    const name = camelCase(text);
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (kind === 'switch') {
      if (value === undefined && /^(true|false)$/.test(args[i + 1] ?? '')) {
        value = args[++i];
      }
      options[name] = (value !== 'false') !== (no !== undefined);
    } else if (kind !== undefined && no === undefined) {
      if (value === undefined) {
        const next = args[i + 1];
        value = next === undefined || /^-./.test(next) ? '' : args[++i];
      }
      if (kind === 'list') {
        options[name].push(value);
      } else if (options[name] === undefined) {
        options[name] = value;
      } else {
        throw new UsageError(`The option --${text} can only be given once`);
      }
    }
  }
  return options;
}

module.exports = { UsageError, parseArgs };
