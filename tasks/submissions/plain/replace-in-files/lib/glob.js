'use strict';

const fs = require('fs');
const path = require('path');

function expandBraces(pattern) {
  const start = pattern.indexOf('{');
  if (start < 0) return [pattern];
  let depth = 0;
  let from = start + 1;
  const parts = [];
  for (let i = start; i < pattern.length; i++) {
    if (pattern[i] === '{') depth++;
    else if (pattern[i] === '}' && --depth === 0) {
      parts.push(pattern.slice(from, i));
      const m = parts.length === 1 && /^(\d+)\.\.(\d+)$/.exec(parts[0]);
      if (m) {
        parts.pop();
        for (let n = Number(m[1]); n <= Number(m[2]); n++) parts.push(String(n));
      } else if (parts.length === 1) {
        parts[0] = `{${parts[0]}}`;
        return expandBraces(pattern.slice(i + 1)).map((rest) => pattern.slice(0, start) + parts[0] + rest);
      }
      return parts.flatMap((part) => expandBraces(pattern.slice(0, start) + part + pattern.slice(i + 1)));
    } else if (pattern[i] === ',' && depth === 1) {
      parts.push(pattern.slice(from, i));
      from = i + 1;
    }
  }
  return [pattern];
}

const quote = (s) => s.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function toRegExp(pattern) {
  let re = '';
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === '*') {
      const atStart = i === 0 || pattern[i - 1] === '/';
      if (atStart && pattern.startsWith('**/', i)) {
        re += '(?:.*/)?';
        i += 2;
      } else if (atStart && pattern.slice(i) === '**') {
        re += '.*';
        i++;
      } else {
        while (pattern[i + 1] === '*') i++;
        re += '[^/]*';
      }
    } else if (c === '?') {
      re += '[^/]';
    } else if (c === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end < 0) {
        re += '\\[';
      } else {
        const set = pattern.slice(i + 1, end).replace(/^[!^]/, '').replace(/[\\[\]]/g, '\\$&');
        re += `[${/[!^]/.test(pattern[i + 1]) ? '^/' : ''}${set}]`;
        i = end;
      }
    } else if (c === '\\' && i + 1 < pattern.length) {
      re += quote(pattern[++i]);
    } else {
      re += quote(c);
    }
  }
  return new RegExp(`^${re}$`);
}

function* walk(folder, prefix) {
  let entries;
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const name = prefix + entry.name;
    if (entry.isDirectory()) yield* walk(path.join(folder, entry.name), `${name}/`);
    else if (fs.statSync(path.join(folder, entry.name), { throwIfNoEntry: false })?.isFile()) yield name;
  }
}

// The files that the patterns match, in their order.
function glob(patterns) {
  const found = new Set();
  const excluded = patterns.filter((p) => p.startsWith('!')).flatMap((p) => expandBraces(p.slice(1)));
  const ignore = excluded.map((p) => toRegExp(path.posix.normalize(p)));
  for (const pattern of patterns) {
    if (pattern.startsWith('!')) continue;
    for (const raw of expandBraces(pattern)) {
      const p = path.posix.normalize(raw);
      // walk from the part without any special characters
      const parts = p.split('/');
      const special = parts.findIndex((part) => /[*?[\]\\]/.test(part));
      if (special < 0) {
        if (fs.statSync(p, { throwIfNoEntry: false })?.isFile()) found.add(p);
        continue;
      }
      const base = parts.slice(0, special).join('/');
      const prefix = special > 0 ? `${base}/` : '';
      const re = toRegExp(p);
      for (const file of walk(prefix || '.', prefix)) {
        if (re.test(file)) found.add(file);
      }
    }
  }
  return [...found].filter((file) => !ignore.some((re) => re.test(file)));
}

module.exports = { glob };
