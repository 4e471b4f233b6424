#!/usr/bin/env node
const fs = require('fs');
const path = require('path');
const opt = {format: 'text', 'max-level': '3'};
const short = {o: 'output', l: 'level', f: 'format', r: 'recursive'};
const pos = [];
const argv = process.argv.slice(2);
for (let i = 0; i < argv.length; i++) {
  const m = /^--?([\w-]+)$/.exec(argv[i]);
  if (!m) { pos.push(argv[i]); continue; }
  const n = short[m[1]] || m[1];
  opt[n] = n === 'recursive' ? true : argv[++i];
}
const [cmd, file, arg] = pos;
function fail(m) { console.error('❌ ' + m); process.exit(1); }
if (cmd === 'version') { console.log('mdcut v1.6.1'); process.exit(0); }
if (!cmd || cmd === 'help') {
  console.log('\n📚 mdcut v1.6.1 - Markdown Tree Parser CLI\n\nUsage: mdcut <command> <file> [options]\n');
  process.exit(0);
}
if (!['list', 'extract', 'extract-all', 'explode', 'assemble', 'tree', 'search', 'stats', 'toc', 'check-links'].includes(cmd)) fail('Unknown command: ' + cmd);
if (!file || ['extract', 'explode', 'assemble', 'search'].includes(cmd) && !arg) fail(`Usage: mdcut ${cmd} <file> ...`);
function read(f) { try { return fs.readFileSync(f, 'utf8'); } catch (e) { fail(e.message); } }
function normalise(s) {
  let code = false;
  return s.replace(/^(\S.*)\n=+$/gm, '# $1').replace(/^(\S.*)\n-+$/gm, '## $1').split('\n').map((l) => {
    if (/^\s*```/.test(l)) code = !code;
    if (code) return l;
    return l.replace(/^(\s*)[-+] /, '$1* ').replace(/(^|\W)_([^_]+)_(?=\W|$)/g, '$1*$2*').replace(/__([^_]+)__/g, '**$1**');
  }).join('\n').trimEnd() + '\n';
}
const plain = (s) => s.replace(/[`*_]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
function headings(lines) {
  const out = [];
  let code = false;
  lines.forEach((l, i) => {
    if (/^\s*```/.test(l)) code = !code;
    const m = !code && /^(#{1,6})\s+(.*?)\s*#*$/.exec(l);
    if (m) out.push({level: m[1].length, text: plain(m[2]), line: i});
  });
  return out;
}
const slug = (s) => s.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/[\s-]+/g, '-');
const icon = (n) => n === 1 ? '📁' : n === 2 ? '📄' : '📃';
function write(dir, name, s) {
  fs.mkdirSync(dir, {recursive: true});
  fs.writeFileSync(path.join(dir, name), s);
  console.log('✅ Written to ' + path.join(dir, name));
}
if (cmd === 'assemble') {
  const index = read(path.join(file, 'index.md'));
  const title = (/^# (.*)$/m.exec(index) || [])[1] || 'Document';
  const names = [...new Set([...index.matchAll(/\]\(\.\/([^)#]+)/g)].map((m) => m[1]))];
  console.log(`\n📚 Assembling document: ${title}\n📖 Found ${names.length} sections to assemble`);
  let out = index.split('## Table of Contents')[0].trim() + '\n';
  for (const n of names) {
    console.log(`✅ Processing ${n}...`);
    out += '\n' + read(path.join(file, n)).replace(/^#/gm, '##').trim() + '\n';
  }
  fs.writeFileSync(arg, out);
  console.log(`✅ Written to ${arg}\n\n✨ Document assembled to ${arg}`);
  process.exit(0);
}
const text = normalise(read(file));
const lines = text.split('\n');
const hs = headings(lines);
const base = path.basename(file);
const section = (h) => {
  const next = hs.find((x) => x.line > h.line && x.level <= h.level);
  return lines.slice(h.line, next ? next.line : lines.length).join('\n').trimEnd() + '\n';
};
const draw = () => hs.forEach((h) => console.log('  '.repeat(h.level - 1) + icon(h.level) + ' ' + h.text));
if (cmd === 'list') {
  if (opt.format === 'json') console.log(JSON.stringify(hs.map(({level, text}) => ({level, text})), null, 2));
  else { console.log(`\n📋 Headings in ${base} (${hs.length} total):\n`); draw(); }
} else if (cmd === 'tree') {
  console.log(`\n🌳 Document structure for ${base}:\n`);
  draw();
} else if (cmd === 'extract') {
  const h = hs.find((x) => x.text.toLowerCase().includes(arg.toLowerCase()));
  if (!h) fail(`Section "${arg}" not found`);
  if (opt.output) write(opt.output, slug(h.text) + '.md', section(h));
  else console.log(`\n📄 Section "${arg}":\n\n${section(h)}`);
} else if (cmd === 'extract-all') {
  const level = Number(arg || opt.level || 2);
  const list = hs.filter((h) => h.level === level);
  console.log(`\n📚 Found ${list.length} sections at level ${level} in ${base}:\n`);
  const rule = '─'.repeat(50);
  list.forEach((h, i) => {
    if (opt.output) write(opt.output, String(i + 1).padStart(2, '0') + '-' + slug(h.text) + '.md', section(h));
    else console.log(`${i + 1}. ${h.text}\n\n${rule}\n${section(h)}\n${rule}\n`);
  });
} else if (cmd === 'explode') {
  const list = hs.filter((h) => h.level === 2);
  console.log(`\n📚 Exploding ${list.length} sections from ${base} to ${arg}:\n`);
  const title = (hs.find((h) => h.level === 1) || {text: 'Document'}).text;
  let toc = `- [${title}](#table-of-contents)\n`;
  for (const h of list) {
    const name = slug(h.text) + '.md';
    write(arg, name, section(h).replace(/^##/gm, '#'));
    console.log(`✅ Processing ${h.text} → ${name}`);
    toc += `  - [${h.text}](./${name})\n`;
    for (const x of hs.slice(hs.indexOf(h) + 1)) {
      if (x.level <= 2) break;
      toc += '  '.repeat(x.level - 1) + `- [${x.text}](./${name}#${slug(x.text)})\n`;
    }
  }
  const intro = lines.slice(0, list.length ? list[0].line : lines.length).join('\n').trim();
  write(arg, 'index.md', `${intro}\n\n## Table of Contents\n\n${toc}`);
  console.log(`✅ Processing Table of Contents → index.md\n\n✨ Document exploded to ${arg} (${list.length + 1} files)`);
} else if (cmd === 'toc') {
  console.log(`\n📚 Table of Contents for ${base}:\n\n## Table of Contents\n`);
  for (const h of hs) if (h.level <= Number(opt['max-level'])) console.log('  '.repeat(h.level - 1) + `- [${h.text}](#${slug(h.text)})`);
  console.log();
} else {
  const links = [...text.matchAll(/(!?)\[([^\]]*)\]\((\S+?)(?:\s+"([^"]*)")?\)/g)];
  if (cmd === 'search') {
    let found = [];
    const m = /^heading(?:\[depth=(\d)\])?$/.exec(arg);
    if (m) found = hs.filter((h) => !m[1] || h.level === Number(m[1])).map((h) => `heading\n   Text: ${h.text}\n   Level: ${h.level}`);
    else if (arg === 'link') found = links.filter((l) => !l[1]).map((l) => `link\n   URL: ${l[3]}` + (l[4] ? `\n   Title: ${l[4]}` : ''));
    else if (arg === 'code') found = [...text.matchAll(/^```/gm)].filter((_, i) => i % 2 === 0).map(() => 'code');
    console.log(`\n🔍 Found ${found.length} nodes matching "${arg}" in ${base}:\n`);
    found.forEach((f, i) => console.log(`${i + 1}. Type: ${f}\n`));
  } else if (cmd === 'stats') {
    const blocks = text.replace(/^```[\s\S]*?^```/gm, '').split(/\n\n+/).filter((b) => b.trim());
    const lists = blocks.filter((b) => /^(\*|\d+\.) /.test(b));
    const paras = blocks.filter((b) => !/^(#|\*|\d+\.|>)/.test(b));
    console.log(`\n📊 Statistics for ${base}:\n\n📝 Word count: ${(plain(text).match(/[\p{L}\p{N}]+/gu) || []).length}\n📋 Paragraphs: ${paras.length}\n📁 Headings: ${hs.length}`);
    if (hs.length) console.log('   By level:');
    for (let i = 1; i <= 6; i++) {
      const n = hs.filter((h) => h.level === i).length;
      if (n) console.log(`     Level ${i}: ${n}`);
    }
    console.log(`💻 Code blocks: ${(text.match(/^```/gm) || []).length >> 1}\n📌 Lists: ${lists.length}\n🔗 Links: ${links.filter((l) => !l[1]).length}\n🖼️  Images: ${links.filter((l) => l[1]).length}`);
  } else {
    for (const l of links) console.log(l[3]);
  }
}
