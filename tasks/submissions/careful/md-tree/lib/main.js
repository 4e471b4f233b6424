'use strict';

const fs = require('node:fs');
const path = require('node:path');
const HELP = require('./help.js');

const print = (text) => process.stdout.write(`${text}\n`);
const plain = (s) => s.replace(/!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, '$1').replace(/\*\*|__|[*`]/g, '').replace(/(^|\s)_(.+?)_(?=\s|$)/g, '$1$2').trim();
const slug = (s) => s.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s+/g, '-');
const icon = (level) => ['📁', '📄', '📃'][Math.min(level, 3) - 1];

/** Returns the lines of a text, and its headings with their lines. */
function parse(text) {
  const lines = text.replace(/\r\n/g, '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const heads = [];
  let fence = null;
  lines.forEach((line, at) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line);
    if (mark) {
      if (!fence) fence = mark[1];
      else if (mark[1].startsWith(fence)) fence = null;
      return;
    }
    if (fence) return;
    const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line);
    const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(line);
    if (atx) heads.push({ level: atx[1].length, raw: atx[2] ?? '', at, body: at + 1 });
    else if (under && at > 0 && lines[at - 1].trim() && !/^\s*([#>|*+-]|\d+[.)])/.test(lines[at - 1])) {
      heads.push({ level: under[1][0] === '=' ? 1 : 2, raw: lines[at - 1].trim(), at: at - 1, body: at + 1 });
    }
  });
  heads.forEach((h, i) => {
    h.text = plain(h.raw);
    h.end = heads.slice(i + 1).find((o) => o.level <= h.level)?.at ?? lines.length;
  });
  return { lines, heads };
}

/** Returns a section, with its headings moved by some levels. */
function section(doc, h, shift = 0, normal = true) {
  const out = [];
  let fence = false;
  for (let i = h.at; i < h.end; i++) {
    const head = doc.heads.find((o) => o.at === i);
    if (head) {
      out.push(`${'#'.repeat(Math.min(6, Math.max(1, head.level + shift)))} ${head.raw}`);
      i = head.body - 1;
      continue;
    }
    let line = doc.lines[i];
    if (/^ {0,3}(```|~~~)/.test(line)) fence = !fence;
    else if (normal && !fence) {
      line = line.replace(/^(\s*)[-+](?= )/, '$1*').replace(/(^|[\s(])_([^_]+)_(?=[\s).,;:!?]|$)/g, '$1*$2*');
      if (line === '' && out.at(-1) === '') continue;
    }
    out.push(line);
  }
  const text = out.join('\n');
  return normal || h.end < doc.lines.length ? text.replace(/\n+$/, '') + '\n' : text + '\n';
}

function nodes(doc) {
  const found = doc.heads.map((h) => ({ type: 'heading', at: h.at, depth: h.level, text: h.text }));
  let fence = false;
  let block = '';
  doc.lines.forEach((line, at) => {
    if (/^ {0,3}(```|~~~)/.test(line)) {
      fence = !fence;
      if (fence) found.push({ type: 'code', at, lang: line.replace(/^\s*[`~]+/, '').trim(), text: doc.lines[at + 1] ?? '' });
      block = '';
      return;
    }
    if (fence) return;
    if (doc.heads.some((h) => at >= h.at && at < h.body)) { block = ''; return; }
    for (const m of line.matchAll(/(!?)\[([^\]]*)\]\((\S*?)(?:\s+"([^"]*)")?\)/g)) {
      found.push({ type: m[1] ? 'image' : 'link', at, url: m[3], title: m[4], text: m[2] });
    }
    const item = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(line);
    if (item) {
      const key = `list${item[1].length}`;
      if (!block.split(' ').includes(key)) { found.push({ type: 'list', at, text: plain(item[3]) }); block += ` ${key}`; }
      found.push({ type: 'listItem', at, text: plain(item[3]) }, { type: 'paragraph', at, text: plain(item[3]) });
    } else if (!line.trim()) block = block.startsWith(' list') ? block : '';
    else if (/^\s*\[[^\]]+\]:/.test(line)) found.push({ type: 'definition', at, text: '' });
    else if (block !== 'text') {
      if (line.startsWith('>')) found.push({ type: 'blockquote', at, text: plain(line.slice(1)) });
      found.push({ type: 'paragraph', at, text: plain(line.replace(/^>\s?/, '')) });
      block = 'text';
    }
  });
  return found.sort((a, b) => a.at - b.at);
}

function put(dir, name, text) {
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, name), text);
  print(`✅ Written to ${path.join(dir, name)}`);
}

const COMMANDS = {
  list(doc, [file], o) {
    if (o.format === 'json') return print(JSON.stringify(doc.heads.map(({ level, text }) => ({ level, text })), null, 2));
    print(`\n📋 Headings in ${path.basename(file)} (${doc.heads.length} total):\n`);
    doc.heads.forEach((h) => print(`${'  '.repeat(h.level - 1)}${icon(h.level)} ${h.text}`));
  },
  extract(doc, [, name], o) {
    const h = doc.heads.find((x) => x.text.toLowerCase() === name.toLowerCase());
    if (!h) throw new Error(`Section "${name}" not found`);
    if (o.output) return put(o.output, `${slug(h.text)}.md`, section(doc, h));
    print(`\n📄 Section "${name}":\n\n${section(doc, h)}`);
  },
  'extract-all'(doc, [file, level], o) {
    const n = Number(level ?? o.level ?? 2);
    const list = doc.heads.filter((h) => h.level === n);
    print(`\n📚 Found ${list.length} sections at level ${n} in ${path.basename(file)}:\n`);
    const rule = '─'.repeat(50);
    list.forEach((h, i) => {
      if (o.output) put(o.output, `${String(i + 1).padStart(2, '0')}-${slug(h.text)}.md`, section(doc, h));
      else print(`${i + 1}. ${h.text}\n\n${rule}\n${section(doc, h)}\n${rule}\n`);
    });
  },
  explode(doc, [file, dir]) {
    const list = doc.heads.filter((h) => h.level === 2);
    print(`\n📚 Exploding ${list.length} sections from ${path.basename(file)} to ${dir}:\n`);
    const top = doc.heads.find((h) => h.level === 1);
    const title = top?.raw ?? 'Table of Contents';
    let toc = `# ${title}\n\n## Table of Contents\n\n- [${title}](#table-of-contents)\n`;
    for (const h of list) {
      const name = `${slug(h.text)}.md`;
      put(dir, name, section(doc, h, -1, false));
      print(`✅ Processing ${h.text} → ${name}`);
      toc += `  - [${h.text}](./${name})\n`;
      for (const s of doc.heads.filter((x) => x.at > h.at && x.at < h.end)) {
        toc += `${'  '.repeat(s.level - 1)}- [${s.text}](./${name}#${slug(s.text)})\n`;
      }
    }
    put(dir, 'index.md', toc);
    print(`✅ Processing Table of Contents → index.md\n\n✨ Document exploded to ${dir} (${list.length + 1} files)`);
  },
  tree(doc, [file]) {
    print(`\n🌳 Document structure for ${path.basename(file)}:\n`);
    doc.heads.forEach((h) => print(`${'  '.repeat(h.level - 1)}${icon(h.level)} ${h.text}`));
  },
  stats(doc, [file]) {
    const all = nodes(doc);
    const count = (type) => all.filter((n) => n.type === type).length;
    const words = doc.lines.join('\n').replace(/^ {0,3}(`{3,}|~{3,})[^]*?(^ {0,3}\1|$(?![^]))/gm, '').split('\n').filter((l) => !/^(=+|-+|\[[^\]]+\]:.*)$/.test(l)).map((l) => plain(l.replace(/`[^`]*`/g, '').replace(/!\[[^\]]*\]\([^)]*\)/g, '').replace(/^\s*([#>]+|[-*+]|\d+[.)])\s/, ''))).join(' ').split(/\s+/).filter(Boolean).length;
    print(`\n📊 Statistics for ${path.basename(file)}:\n\n📝 Word count: ${words}\n📋 Paragraphs: ${count('paragraph')}\n📁 Headings: ${doc.heads.length}`);
    if (doc.heads.length) print('   By level:');
    for (let l = 1; l <= 6; l++) {
      const n = doc.heads.filter((h) => h.level === l).length;
      if (n) print(`     Level ${l}: ${n}`);
    }
    print(`💻 Code blocks: ${count('code')}\n📌 Lists: ${count('list')}\n🔗 Links: ${count('link')}\n🖼️  Images: ${count('image')}`);
  },
  search(doc, [file, selector], o) {
    const m = /^(?:.*[>\s])?(\w+)((?:\[[^\]]*\])*)$/.exec(selector.trim());
    if (!m) throw new Error(`Invalid selector: ${selector}`);
    const wants = [...m[2].matchAll(/\[(\w+)(?:=["']?(.*?)["']?)?\]/g)];
    const found = nodes(doc).filter((n) => n.type === m[1] && wants.every(([, k, v]) => (v === undefined ? n[k] !== undefined : String(n[k]) === v)));
    if (o.format === 'json') return print(JSON.stringify(found.map(({ at, ...n }) => n), null, 2));
    print(`\n🔍 Found ${found.length} nodes matching "${selector}" in ${path.basename(file)}:\n`);
    found.forEach((n, i) => {
      print(`${i + 1}. Type: ${n.type}`);
      if (n.depth) print(`   Level: ${n.depth}`);
      if (n.url !== undefined) print(`   URL: ${n.url}`);
      else if (n.text) print(`   Text: ${n.text}`);
      if (n.title) print(`   Title: ${n.title}`);
      print('');
    });
  },
  toc(doc, [file], o) {
    print(`\n📚 Table of Contents for ${path.basename(file)}:\n\n## Table of Contents\n`);
    doc.heads.filter((h) => h.level <= Number(o['max-level'] ?? 3)).forEach((h) => print(`${'  '.repeat(h.level - 1)}- [${h.text}](#${slug(h.text)})`));
    print('');
  },
  'check-links'() {},
};

function assemble([dir, target]) {
  const doc = parse(fs.readFileSync(path.join(dir, 'index.md'), 'utf8'));
  const top = doc.heads.find((h) => h.level === 1);
  if (!top) throw new Error('The index has no title');
  const names = [...new Set([...doc.lines.join('\n').matchAll(/\]\(\.\/([^)#]+\.md)(?:#[^)]*)?\)/g)].map((m) => m[1]))];
  print(`\n📚 Assembling document: ${top.text}\n📖 Found ${names.length} sections to assemble`);
  let out = `# ${top.raw}\n`;
  for (const name of names) {
    const file = path.join(dir, name);
    if (!fs.existsSync(file)) continue;
    print(`✅ Processing ${name}...`);
    const part = parse(fs.readFileSync(file, 'utf8'));
    out += '\n' + section(part, { at: 0, end: part.lines.length }, 1, false).trimEnd() + '\n';
  }
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, out);
  print(`✅ Written to ${target}\n\n✨ Document assembled to ${target}`);
}

const SHORT = { o: 'output', l: 'level', f: 'format', r: 'recursive' };

function main(args) {
  try {
    const words = [];
    const options = {};
    for (let i = 0; i < args.length; i++) {
      const m = /^--?([a-z-]+)(?:=(.*))?$/.exec(args[i]);
      if (!m) { words.push(args[i]); continue; }
      const name = SHORT[m[1]] ?? m[1];
      options[name] = /^(recursive|help|h|version|v)$/.test(name) ? true : m[2] ?? args[++i];
    }
    const [command, ...rest] = words;
    if (!command || command === 'help' || options.help) process.stdout.write(HELP);
    else if (command === 'version') print('mdcut v1.6.1');
    else {
      if (command !== 'assemble' && !Object.hasOwn(COMMANDS, command)) throw new Error(`Unknown command: ${command}`);
      const need = ['extract', 'explode', 'assemble', 'search'].includes(command) ? 2 : 1;
      if (rest.length < need) throw new Error(`Usage: mdcut ${command} <file> ...`);
      if (command === 'assemble') assemble(rest);
      else COMMANDS[command](parse(fs.readFileSync(rest[0], 'utf8')), rest, options);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`❌ ${error.message}\n`);
    return 1;
  }
}

module.exports = { main };
