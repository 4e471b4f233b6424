// A small Markdown parser that builds an mdast-like tree.

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*(.*)$/;
const BREAK = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|)$/;
const DEFINITION = /^ {0,3}\[([^\]]+)\]:[ \t]*(?:<([^>]*)>|(\S+))(?:[ \t]+(?:"([^"]*)"|'([^']*)'|\(([^)]*)\)))?[ \t]*$/;
const HTML = /^ {0,3}<(?:!--|[?!]|\/?[a-zA-Z][\w-]*(?:[\s/>]|$))/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

const isBlank = (line) => /^[ \t]*$/.test(line);
const unescape = (s) => s.replace(/\\([!-/:-@[-`{-~])/g, '$1');
export const normalizeLabel = (s) => s.trim().replace(/\s+/g, ' ').toLowerCase();

export function parse(text) {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n').split('\n');
  const definitions = new Set();
  const pending = [];
  const root = { type: 'root', children: parseBlocks(lines, 0, definitions, pending) };
  // Inline content needs all the definitions, so it is read last.
  for (const { node, text: content } of pending) {
    node.children = parseInline(content, definitions);
  }
  return root;
}

function splitCells(line) {
  const s = line.trim().replace(/^\|/, '').replace(/(?<!\\)\|$/, '');
  return s.split(/(?<!\\)\|/).map((c) => c.trim());
}

function startsBlock(line) {
  const item = ITEM.exec(line);
  return HEADING.test(line) || FENCE.test(line) || BREAK.test(line) || /^ {0,3}>/.test(line) ||
    HTML.test(line) && !/^ {0,3}<(?:a|b|i|em|strong|code|span|img|br|https?|mailto)\b/i.test(line) ||
    Boolean(item && item[4] && (/^[-*+]$/.test(item[2]) || /^1[.)]$/.test(item[2])));
}

function parseBlocks(lines, base, definitions, pending) {
  const nodes = [];
  const add = (node, start, end) => {
    node.position = { start: base + start, end: base + end };
    nodes.push(node);
    return node;
  };
  const inline = (node, content) => pending.push({ node, text: content });
  let i = 0;
  while (i < lines.length) {
    const line = lines[i];
    const start = i;
    let m;
    if (isBlank(line)) { i++; continue; }

    if (/^(?: {4}|\t)/.test(line)) {
      while (i < lines.length && (isBlank(lines[i]) || /^(?: {4}|\t)/.test(lines[i]))) i++;
      let end = i;
      while (isBlank(lines[end - 1])) end--;
      const value = lines.slice(start, end).map((l) => l.replace(/^(?: {1,4}|\t)/, '')).join('\n');
      add({ type: 'code', lang: null, meta: null, value }, start, end);
      continue;
    }

    if ((m = FENCE.exec(line)) && !(m[2][0] === '`' && m[3].includes('`'))) {
      const close = new RegExp(`^ {0,3}\\${m[2][0]}{${m[2].length},}[ \\t]*$`);
      const strip = new RegExp(`^ {0,${m[1].length}}`);
      const body = [];
      i++;
      while (i < lines.length && !close.test(lines[i])) body.push(lines[i++].replace(strip, ''));
      i++;
      const info = /^(\S*)\s*(.*)$/.exec(m[3].trim());
      add({ type: 'code', lang: info[1] || null, meta: info[2] || null, value: body.join('\n') }, start, Math.min(i, lines.length));
      continue;
    }

    if ((m = HEADING.exec(line))) {
      i++;
      let content = (m[2] || '').trim();
      if (/^#+$/.test(content)) content = '';
      inline(add({ type: 'heading', depth: m[1].length, raw: content, children: [] }, start, i), content);
      continue;
    }

    if (BREAK.test(line)) { i++; add({ type: 'thematicBreak' }, start, i); continue; }

    if (/^ {0,3}>/.test(line)) {
      const body = [];
      while (i < lines.length && !isBlank(lines[i])) {
        if (/^ {0,3}>/.test(lines[i])) body.push(lines[i].replace(/^ {0,3}> ?/, ''));
        else if (startsBlock(lines[i]) || isBlank(body[body.length - 1])) break;
        else body.push(lines[i]);
        i++;
      }
      const node = add({ type: 'blockquote', children: [] }, start, i);
      node.children = parseBlocks(body, base + start, definitions, pending);
      continue;
    }

    if ((m = ITEM.exec(line))) {
      i = parseList(lines, i, base, add, definitions, pending);
      continue;
    }

    if ((m = DEFINITION.exec(line))) {
      i++;
      definitions.add(normalizeLabel(m[1]));
      add({
        type: 'definition', identifier: normalizeLabel(m[1]), label: m[1],
        title: m[4] ?? m[5] ?? m[6] ?? null, url: m[2] ?? m[3],
      }, start, i);
      continue;
    }

    if (HTML.test(line) && startsBlock(line)) {
      if (/^ {0,3}<!--/.test(line)) {
        while (i < lines.length && !lines[i].includes('-->')) i++;
        i++;
      } else {
        while (i < lines.length && !isBlank(lines[i])) i++;
      }
      i = Math.min(i, lines.length);
      add({ type: 'html', value: lines.slice(start, i).join('\n') }, start, i);
      continue;
    }

    if (line.includes('|') && i + 1 < lines.length && TABLE_RULE.test(lines[i + 1]) && lines[i + 1].includes('-') &&
        splitCells(line).length === splitCells(lines[i + 1]).length) {
      while (i < lines.length && !isBlank(lines[i]) && (i < start + 2 || !startsBlock(lines[i]))) i++;
      const table = add({ type: 'table', raw: lines.slice(start, i).join('\n'), children: [] }, start, i);
      for (let k = start; k < i; k++) {
        if (k === start + 1) continue;
        const row = { type: 'tableRow', children: [] };
        for (const cell of splitCells(lines[k])) {
          const node = { type: 'tableCell', children: [] };
          inline(node, cell);
          row.children.push(node);
        }
        table.children.push(row);
      }
      continue;
    }

    // A paragraph, or a heading underlined with = or -.
    const body = [line];
    let depth = 0;
    i++;
    while (i < lines.length && !isBlank(lines[i])) {
      const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[i]);
      if (under) { depth = under[1][0] === '=' ? 1 : 2; i++; break; }
      if (startsBlock(lines[i])) break;
      body.push(lines[i++]);
    }
    const content = body.map((l) => l.replace(/^[ \t]+/, '')).join('\n').replace(/[ \t]+$/, '');
    if (depth) {
      inline(add({ type: 'heading', depth, raw: content.replace(/\n/g, ' '), children: [] }, start, i), content);
    } else {
      inline(add({ type: 'paragraph', children: [] }, start, i), content);
    }
  }
  return nodes;
}

function parseList(lines, first, base, add, definitions, pending) {
  const m0 = ITEM.exec(lines[first]);
  const kind = m0[2].slice(-1);
  const ordered = /\d/.test(m0[2]);
  const list = { type: 'list', ordered, start: ordered ? parseInt(m0[2], 10) : null, spread: false, children: [] };
  let i = first;
  let blankBefore = false;
  while (i < lines.length) {
    const m = ITEM.exec(lines[i]);
    if (!m || m[2].slice(-1) !== kind || BREAK.test(lines[i])) break;
    const start = i;
    if (blankBefore) list.spread = true;
    const gap = (m[3] || ' ').length;
    const indent = m[1].length + m[2].length + (gap > 4 || !m[4] ? 1 : gap);
    const body = [gap > 4 ? ' '.repeat(gap - 1) + m[4] : m[4] || ''];
    i++;
    let lastBlank = false;
    while (i < lines.length) {
      const l = lines[i].replace(/^\t+/, (t) => '    '.repeat(t.length));
      if (isBlank(l)) { body.push(''); lastBlank = true; i++; continue; }
      const lead = /^ */.exec(l)[0].length;
      if (lead >= indent) { body.push(l.slice(indent)); lastBlank = false; i++; continue; }
      if (lastBlank || startsBlock(l) || ITEM.test(l)) break;
      body.push(l.trimStart());
      i++;
    }
    blankBefore = false;
    while (body.length > 1 && isBlank(body[body.length - 1])) { body.pop(); blankBefore = true; }
    const item = { type: 'listItem', spread: false, checked: null, children: [] };
    const task = /^\[([ xX])\][ \t]+/.exec(body[0]);
    if (task) { item.checked = task[1] !== ' '; body[0] = body[0].slice(task[0].length); }
    item.children = parseBlocks(body, base + start, definitions, pending);
    for (let k = 1; k < item.children.length; k++) {
      if (item.children[k].position.start > item.children[k - 1].position.end) item.spread = true;
    }
    item.position = { start: base + start, end: base + start + body.length };
    list.children.push(item);
  }
  const last = list.children[list.children.length - 1];
  add(list, first, last.position.end - base);
  return i;
}

function closingBracket(s, open) {
  let depth = 0;
  for (let i = open; i < s.length; i++) {
    if (s[i] === '\\') i++;
    else if (s[i] === '[') depth++;
    else if (s[i] === ']' && --depth === 0) return i;
  }
  return -1;
}

const TARGET = /^\(\s*(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))(?:\s+(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|\(([^()]*)\)))?\s*\)/;

export function parseInline(s, definitions) {
  const out = [];
  let raw = '';
  const flush = () => {
    if (raw) out.push({ type: 'text', value: unescape(raw), raw });
    raw = '';
  };
  const push = (node) => { flush(); out.push(node); };
  let i = 0;
  while (i < s.length) {
    const c = s[i];
    const rest = s.slice(i);
    let m;
    if (c === '\\' && i + 1 < s.length) {
      if (s[i + 1] === '\n') { push({ type: 'break' }); i += 2; continue; }
      raw += c + s[i + 1];
      i += 2;
      continue;
    }
    if (c === ' ' && (m = /^ {2,}\n/.exec(rest))) { push({ type: 'break' }); i += m[0].length; continue; }
    if (c === ' ' && (m = /^[ \t]+\n/.exec(rest))) { raw += '\n'; i += m[0].length; continue; }
    if (c === '`') {
      const ticks = /^`+/.exec(rest)[0];
      const end = new RegExp(`(?<!\`)${ticks}(?!\`)`).exec(rest.slice(ticks.length));
      if (end) {
        let value = rest.slice(ticks.length, ticks.length + end.index).replace(/\n/g, ' ');
        if (/^ .* $/.test(value) && value.trim()) value = value.slice(1, -1);
        push({ type: 'inlineCode', value });
        i += ticks.length * 2 + end.index;
      } else {
        raw += ticks;
        i += ticks.length;
      }
      continue;
    }
    if (c === '<') {
      if ((m = /^<([a-zA-Z][a-zA-Z0-9+.-]+:[^\s<>]*)>/.exec(rest)) || (m = /^<([^\s<>@]+@[^\s<>@]+)>/.exec(rest))) {
        const url = /^[a-zA-Z][a-zA-Z0-9+.-]+:/.test(m[1]) ? m[1] : `mailto:${m[1]}`;
        push({ type: 'link', title: null, url, auto: true, children: [{ type: 'text', value: m[1], raw: m[1] }] });
        i += m[0].length;
        continue;
      }
      if ((m = /^<(?:!--[\s\S]*?--|\/?[a-zA-Z][^<>]*)>/.exec(rest))) {
        push({ type: 'html', value: m[0] });
        i += m[0].length;
        continue;
      }
    }
    if (c === '[' || (c === '!' && s[i + 1] === '[')) {
      const image = c === '!';
      const open = image ? i + 1 : i;
      const close = closingBracket(s, open);
      if (close > 0) {
        const label = s.slice(open + 1, close);
        const after = s.slice(close + 1);
        if ((m = TARGET.exec(after))) {
          const url = unescape(m[1] ?? m[2] ?? '');
          const title = m[3] ?? m[4] ?? m[5] ?? null;
          const node = image
            ? { type: 'image', title, url, alt: plain(parseInline(label, definitions)) }
            : { type: 'link', title, url, children: parseInline(label, definitions) };
          push(node);
          i = close + 1 + m[0].length;
          continue;
        }
        m = /^\[([^\]]*)\]/.exec(after);
        const key = m && m[1] ? m[1] : label;
        if (definitions.has(normalizeLabel(key))) {
          const referenceType = m ? (m[1] ? 'full' : 'collapsed') : 'shortcut';
          const node = { type: image ? 'imageReference' : 'linkReference', identifier: normalizeLabel(key), label: key, referenceType };
          if (image) node.alt = plain(parseInline(label, definitions));
          else node.children = parseInline(label, definitions);
          push(node);
          i = close + 1 + (m ? m[0].length : 0);
          continue;
        }
      }
    }
    if (c === '*' || c === '_') {
      const run = /^(\*+|_+)/.exec(rest)[0];
      const opens = !/^\s|^$/.test(rest.slice(run.length)) && !(c === '_' && /[\p{L}\p{N}]/u.test(s[i - 1] || ''));
      const node = opens && delimited(s, i, c, run.length, definitions);
      if (node) {
        push(node.node);
        i = node.end;
      } else {
        raw += run;
        i += run.length;
      }
      continue;
    }
    if (c === '~' && (m = /^~~(?=\S)([\s\S]*?\S)~~/.exec(rest))) {
      push({ type: 'delete', children: parseInline(m[1], definitions) });
      i += m[0].length;
      continue;
    }
    raw += c;
    i++;
  }
  flush();
  return out;
}

function delimited(s, i, c, length, definitions) {
  for (const size of length >= 2 ? [2, 1] : [1]) {
    const from = i + size;
    for (let k = from + 1; k < s.length; k++) {
      if (s[k] === '\\') { k++; continue; }
      if (s[k] === '`') {
        const end = s.indexOf('`', k + 1);
        if (end > 0) k = end;
        continue;
      }
      if (s[k] !== c) continue;
      let n = 1;
      while (s[k + n] === c) n++;
      const closes = !/\s/.test(s[k - 1]) && !(c === '_' && /[\p{L}\p{N}]/u.test(s[k + n] || ''));
      const fits = size === 2 ? n >= 2 : n === 1 || n >= 3;
      if (closes && fits) {
        const at = k + n - size;
        const children = parseInline(s.slice(from, at), definitions);
        return { node: { type: size === 2 ? 'strong' : 'emphasis', children }, end: at + size };
      }
      k += n - 1;
    }
  }
  return null;
}

export function plain(node) {
  if (Array.isArray(node)) return node.map(plain).join('');
  if (node.value !== undefined) return node.type === 'html' ? '' : node.value;
  if (node.alt !== undefined) return node.alt;
  return node.children ? plain(node.children) : '';
}
