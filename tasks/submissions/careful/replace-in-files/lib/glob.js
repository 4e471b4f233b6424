'use strict';

const fs = require('node:fs');
const path = require('node:path');

/** Returns the index of the brace that closes the one at start, or -1. */
function closingBrace(text, start) {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '\\') {
      i++;
    } else if (text[i] === '{') {
      depth++;
    } else if (text[i] === '}' && --depth === 0) {
      return i;
    }
  }
  return -1;
}

/** Returns the alternatives in braces: of a list or of a range. */
function alternatives(inner) {
  const parts = [''];
  let depth = 0;
  for (let i = 0; i < inner.length; i++) {
    const char = inner[i];
    if (char === ',' && depth === 0) {
      parts.push('');
      continue;
    }
    depth += char === '{' ? 1 : char === '}' ? -1 : 0;
    parts[parts.length - 1] += char === '\\' ? char + (inner[++i] ?? '') : char;
  }
  if (parts.length > 1) {
    return parts;
  }
  const range = /^(-?\d+|[a-zA-Z])\.\.(-?\d+|[a-zA-Z])$/.exec(inner);
  if (!range) {
    return null;
  }
  const [, from, to] = range;
  const numbers = /\d$/.test(from) && /\d$/.test(to);
  if (!numbers && (/\d$/.test(from) || /\d$/.test(to))) {
    return null;
  }
  let low = numbers ? Number(from) : from.charCodeAt(0);
  const high = numbers ? Number(to) : to.charCodeAt(0);
  const step = low <= high ? 1 : -1;
  const result = [];
  for (; result.length < 10000 && (high - low) * step >= 0; low += step) {
    result.push(numbers ? String(low) : String.fromCharCode(low));
  }
  return result;
}

/** Returns the patterns that a pattern with braces stands for. */
function expandBraces(pattern) {
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === '\\') {
      i++;
    } else if (pattern[i] === '{') {
      const end = closingBrace(pattern, i);
      const list = end < 0 ? null : alternatives(pattern.slice(i + 1, end));
      if (list) {
        const rests = expandBraces(pattern.slice(end + 1));
        const starts = list.flatMap(expandBraces);
        return starts.flatMap((start) => rests.map((rest) => pattern.slice(0, i) + start + rest));
      }
    }
  }
  return [pattern];
}

const escapeRegExp = (text) => text.replace(/[|\\{}()[\]^$+*?.\-/]/g, '\\$&');

/** Returns the end of the class at start, or -1 if it isn't closed. */
function classEnd(text, start) {
  let i = start + 1;
  if (text[i] === '!' || text[i] === '^') {
    i++;
  }
  for (let first = true; i < text.length; i++, first = false) {
    if (text[i] === '[' && text[i + 1] === ':') {
      const end = text.indexOf(':]', i + 2);
      i = end < 0 ? i : end + 1;
    } else if (text[i] === '\\') {
      i++;
    } else if (text[i] === ']' && !first) {
      return i;
    }
  }
  return -1;
}

const POSIX_CLASSES = {
  alnum: 'a-zA-Z0-9', alpha: 'a-zA-Z', digit: '0-9', lower: 'a-z', upper: 'A-Z',
  space: '\\s', word: '\\w', xdigit: '0-9a-fA-F', punct: '!-\\/:-@\\[-`{-~', blank: ' \\t',
};

function classRegExp(inner) {
  const negated = inner[0] === '!' || inner[0] === '^';
  const body = (negated ? inner.slice(1) : inner)
    .replace(/\[:(\w+):\]|\\(.)|[[\]\\^]/gs, (match, name, escaped) => {
      if (name) {
        return POSIX_CLASSES[name] ?? '';
      }
      const char = escaped ?? match;
      return /\w/.test(char) ? char : '\\' + char;
    });
  return negated ? `[^/${body}]` : `[${body}]`;
}

/** Returns the source of the regular expression for one name of a path. */
function nameRegExp(name) {
  let source = '';
  const closers = [];
  for (let i = 0; i < name.length; i++) {
    const char = name[i];
    if (/[@?*+]/.test(char) && name[i + 1] === '(' && name.indexOf(')', i) > 0) {
      source += '(?:';
      closers.push({ '@': ')', '?': ')?', '*': ')*', '+': ')+' }[char]);
      i++;
    } else if (char === ')' && closers.length > 0) {
      source += closers.pop();
    } else if (char === '|' && closers.length > 0) {
      source += '|';
    } else if (char === '*') {
      while (name[i + 1] === '*') {
        i++;
      }
      source += '[^/]*';
    } else if (char === '?') {
      source += '[^/]';
    } else if (char === '[' && classEnd(name, i) > 0) {
      const end = classEnd(name, i);
      source += classRegExp(name.slice(i + 1, end));
      i = end;
    } else if (char === '\\' && i + 1 < name.length) {
      source += escapeRegExp(name[++i]);
    } else {
      source += escapeRegExp(char);
    }
  }
  return source;
}

const isMagic = (name) => /[*?]|\[.*\]|[@+]\(.*\)/s.test(name.replace(/\\./gs, ''));
const unescape = (name) => name.replace(/\\(.)/gs, '$1');

/** Returns the names of a pattern's path, without empty ones and dots. */
function splitPattern(pattern) {
  return pattern.split('/').filter((name, index) => (name !== '' || index === 0) && name !== '.');
}

/** Returns the regular expression for whole paths. */
function pathRegExp(names) {
  let source = '';
  names.forEach((name, index) => {
    const last = index === names.length - 1;
    if (name === '**') {
      source += last ? '.+' : '(?:[^/]+/)*';
    } else {
      source += nameRegExp(name) + (last ? '' : '/');
    }
  });
  return new RegExp(`^(?:${source})$`, 's');
}

function isFile(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Yields the paths of all files below a folder. */
function* walk(folder, ancestors = []) {
  let entries;
  try {
    const real = fs.realpathSync(folder || '.');
    if (ancestors.includes(real)) {
      return;
    }
    ancestors = [...ancestors, real];
    entries = fs.readdirSync(folder || '.').sort();
  } catch {
    return;
  }
  for (const entry of entries) {
    const file = folder === '' || folder.endsWith('/') ? folder + entry : `${folder}/${entry}`;
    const stats = fs.statSync(file, { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      yield* walk(file, ancestors);
    } else if (stats?.isFile()) {
      yield file;
    }
  }
}

function* filesOf(pattern) {
  const names = splitPattern(pattern);
  const magic = names.findIndex(isMagic);
  if (magic < 0) {
    const file = names.map(unescape).join('/');
    if (!pattern.endsWith('/') && isFile(file)) {
      yield file;
    }
    return;
  }
  const base = names.slice(0, magic).map(unescape).join('/');
  const folder = magic === 1 && names[0] === '' ? '/' : base;
  const expression = pathRegExp(names);
  for (const file of walk(folder)) {
    if (expression.test(file)) {
      yield file;
    }
  }
}

/** Tells whether an expression matches a path or a folder that holds it. */
function matchesPath(expression, file) {
  for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1)) {
    if (expression.test(file.slice(0, end))) {
      return true;
    }
  }
  return false;
}

/** Returns the files that the patterns name, each of them once. */
function glob(patterns) {
  const excluded = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .flatMap((pattern) => expandBraces(pattern.slice(1)))
    .map((pattern) => pathRegExp(splitPattern(pattern.replace(/\/+$/, ''))));
  const files = new Map();
  for (const pattern of patterns.filter((text) => text !== '' && !text.startsWith('!'))) {
    for (const expanded of expandBraces(pattern)) {
      for (const file of filesOf(expanded)) {
        if (!excluded.some((expression) => matchesPath(expression, file))) {
          files.set(path.resolve(file), file);
        }
      }
    }
  }
  return [...files.values()];
}

module.exports = { glob, escapeRegExp };
