#!/usr/bin/env node
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parse, plain } from '../lib/parse.js';
import { stringify } from '../lib/stringify.js';
import { selectAll } from '../lib/select.js';

const VERSION = '1.6.1';
const HELP = `
📚 mdcut v${VERSION} - Markdown Tree Parser CLI

Usage: mdcut <command> <file> [options]

Commands:
  list <file>                   List all headings in the file
  extract <file> <heading>      Extract a specific section by heading text
  extract-all <file> [level]    Extract all sections at level (default: 2)
  explode <file> <output-dir>   Extract all level 2 sections and create index
  assemble <dir> <output-file>  Reassemble exploded document from directory
  tree <file>                   Show the document structure as a tree
  search <file> <selector>      Search using CSS-like selectors
  stats <file>                  Show document statistics
  toc <file>                    Generate table of contents
  check-links <file>            Verify that links are reachable
  version                       Show version information
  help                          Show this help message

Options:
  --output, -o <dir>            Output directory for extracted files
  --level, -l <number>          Heading level to work with
  --format, -f <json|text>      Output format (default: text)
  --max-level <number>          Maximum heading level for TOC (default: 3)
  --recursive, -r               Recursively check linked markdown files

Examples:
  mdcut list README.md
  mdcut extract README.md "Installation"
  mdcut extract-all README.md 2 --output ./sections
  mdcut explode README.md ./exploded
  mdcut assemble ./exploded reassembled.md
  mdcut tree README.md
  mdcut search README.md "heading[depth=2]"
  mdcut stats README.md
  mdcut toc README.md --max-level 2

For more information, visit: (address left out)
`;

const USAGE = {
  list: ['<file>'],
  extract: ['<file>', '<heading>'],
  'extract-all': ['<file>'],
  explode: ['<file>', '<output-dir>'],
  assemble: ['<dir>', '<output-file>'],
  tree: ['<file>'],
  search: ['<file>', '<selector>'],
  stats: ['<file>'],
  toc: ['<file>'],
  'check-links': ['<file>'],
};

const print = (s = '') => console.log(s);
const read = (file) => fs.readFileSync(file, 'utf8');
const slug = (s) => s.toLowerCase().replace(/[^\p{L}\p{M}\p{N}_\s-]/gu, '').trim().replace(/[\s-]+/g, '-');
const icon = (level) => (level === 1 ? '📁' : level === 2 ? '📄' : '📃');
const toJson = (value) => JSON.stringify(value, null, 2);

function walk(node, visit) {
  visit(node);
  (node.children || []).forEach((c) => walk(c, visit));
}

function all(root, type) {
  const found = [];
  walk(root, (n) => { if (n.type === type) found.push(n); });
  return found;
}

function headingsOf(root) {
  return all(root, 'heading').map((n) => ({ level: n.depth, text: plain(n) }));
}

function sectionAt(root, index) {
  const nodes = root.children;
  let end = index + 1;
  while (end < nodes.length && !(nodes[end].type === 'heading' && nodes[end].depth <= nodes[index].depth)) end++;
  return nodes.slice(index, end);
}

function level(value, fallback) {
  if (value === undefined) return fallback;
  if (!/^\d+$/.test(value)) throw new Error(`Not a level: ${value}`);
  return Number(value);
}

function write(file, content) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  print(`✅ Written to ${file}`);
}

function outline(headings) {
  for (const h of headings) print(`${'  '.repeat(h.level - 1)}${icon(h.level)} ${h.text}`);
}

function list([file], options) {
  const headings = headingsOf(parse(read(file)));
  if (options.format === 'json') return print(toJson(headings));
  print(`\n📋 Headings in ${file} (${headings.length} total):\n`);
  outline(headings);
}

function extract([file, wanted], options) {
  const root = parse(read(file));
  const key = wanted.trim().toLowerCase();
  const index = root.children.findIndex((n) => n.type === 'heading' && plain(n).trim().toLowerCase() === key);
  if (index < 0) {
    console.error(`❌ Section "${wanted}" not found in ${file}`);
    const similar = headingsOf(root).filter((h) => h.text.toLowerCase().includes(key.slice(0, 3)));
    if (similar.length) {
      console.error('\n💡 Did you mean:');
      similar.forEach((h) => console.error(`  - ${h.text}`));
    }
    process.exitCode = 1;
    return;
  }
  const markdown = stringify(sectionAt(root, index));
  if (options.output !== undefined) {
    write(path.join(options.output, `${slug(plain(root.children[index]))}.md`), markdown);
  } else {
    print(`\n📄 Section "${wanted}":\n`);
    print(markdown);
  }
}

function extractAll([file, levelArgument], options) {
  const depth = level(levelArgument ?? options.level, 2);
  const root = parse(read(file));
  const sections = [];
  root.children.forEach((n, i) => {
    if (n.type === 'heading' && n.depth === depth) sections.push({ text: plain(n), nodes: sectionAt(root, i) });
  });
  print(`\n📚 Found ${sections.length} sections at level ${depth} in ${file}:\n`);
  sections.forEach(({ text, nodes }, i) => {
    const markdown = stringify(nodes);
    if (options.output !== undefined) {
      write(path.join(options.output, `${String(i + 1).padStart(2, '0')}-${slug(text)}.md`), markdown);
      return;
    }
    const rule = '─'.repeat(50);
    print(`${i + 1}. ${text}\n`);
    print(rule);
    print(markdown);
    print(`${rule}\n`);
  });
}

// Change the level of all headings of a piece of text, leaving the rest as it is.
function shift(text, by) {
  const lines = text.split('\n');
  const headings = parse(text).children.filter((n) => n.type === 'heading').reverse();
  for (const h of headings) {
    const depth = Math.min(6, Math.max(1, h.depth + by));
    lines.splice(h.position.start, h.position.end - h.position.start, `${'#'.repeat(depth)} ${h.raw}`.trimEnd());
  }
  return lines.join('\n');
}

function explode([file, dir]) {
  const text = read(file).replace(/\r\n?/g, '\n');
  const lines = text.split('\n');
  const nodes = parse(text).children;
  const headings = nodes.filter((n) => n.type === 'heading');
  const sections = headings.filter((h) => h.depth === 2);
  print(`\n📚 Exploding ${sections.length} sections from ${file} to ${dir}:\n`);

  const titleNode = headings.find((h) => h.depth === 1);
  const title = titleNode ? titleNode.raw : 'Table of Contents';
  const toc = [`- [${title}](#table-of-contents)`];
  fs.mkdirSync(dir, { recursive: true });
  for (const section of sections) {
    const at = headings.indexOf(section);
    let next = at + 1;
    while (next < headings.length && headings[next].depth > 2) next++;
    const end = next < headings.length ? headings[next].position.start : lines.length;
    const name = `${slug(plain(section))}.md`;
    write(path.join(dir, name), shift(lines.slice(section.position.start, end).join('\n'), -1));
    print(`✅ Processing ${plain(section)} → ${name}`);
    toc.push(`  - [${section.raw}](./${name})`);
    for (const h of headings.slice(at + 1, next)) {
      toc.push(`${'  '.repeat(h.depth - 1)}- [${h.raw}](./${name}#${slug(plain(h))})`);
    }
  }

  const first = sections.length ? nodes.indexOf(sections[0]) : nodes.length;
  const intro = nodes.slice(0, first).filter((n) => n.type === 'paragraph')
    .map((n) => lines.slice(n.position.start, n.position.end).join('\n'));
  const index = [`# ${title}`, ...intro, '## Table of Contents', toc.join('\n')].join('\n\n') + '\n';
  write(path.join(dir, 'index.md'), index);
  print('✅ Processing Table of Contents → index.md');
  print(`\n✨ Document exploded to ${dir} (${sections.length + 1} files)`);
}

function assemble([dir, output]) {
  const root = parse(read(path.join(dir, 'index.md')));
  const titleNode = root.children.find((n) => n.type === 'heading' && n.depth === 1);
  if (!titleNode) throw new Error('No title found in index.md');
  const files = [];
  for (const link of all(root, 'link')) {
    const name = link.url.replace(/#.*$/, '').replace(/^\.\//, '');
    if (link.url.startsWith('./') && name.endsWith('.md') && !files.includes(name)) files.push(name);
  }
  print(`\n📚 Assembling document: ${titleNode.raw}`);
  print(`📖 Found ${files.length} sections to assemble`);
  const parts = [`# ${titleNode.raw}`];
  for (const name of files) {
    print(`✅ Processing ${name}...`);
    parts.push(shift(read(path.join(dir, name)).replace(/\r\n?/g, '\n'), 1).trim());
  }
  write(output, parts.join('\n\n') + '\n');
  print(`\n✨ Document assembled to ${output}`);
}

function tree([file]) {
  const headings = headingsOf(parse(read(file)));
  print(`\n🌳 Document structure for ${file}:\n`);
  outline(headings);
}

function search([file, selector], options) {
  const found = selectAll(selector, parse(read(file)));
  if (options.format === 'json') {
    return print(toJson(found.map((n) => {
      if (n.type === 'heading') return { type: n.type, level: n.depth, text: plain(n) };
      if (n.type === 'link') return { type: n.type, url: n.url, title: n.title, text: plain(n) };
      return { type: n.type, text: plain(n) };
    })));
  }
  print(`\n🔍 Found ${found.length} nodes matching "${selector}" in ${file}:\n`);
  found.forEach((n, i) => {
    print(`${i + 1}. Type: ${n.type}`);
    if (n.type === 'heading') {
      print(`   Level: ${n.depth}`);
      print(`   Text: ${plain(n)}`);
    } else if (n.url !== undefined) {
      print(`   URL: ${n.url}`);
      if (n.title) print(`   Title: ${n.title}`);
    } else if (plain(n)) {
      print(`   Text: ${plain(n)}`);
    }
    print();
  });
}

function stats([file]) {
  const root = parse(read(file));
  const count = (type) => all(root, type).length;
  const words = all(root, 'text').reduce((sum, n) => sum + n.value.split(/\s+/).filter(Boolean).length, 0);
  const headings = headingsOf(root);
  print(`\n📊 Statistics for ${file}:\n`);
  print(`📝 Word count: ${words}`);
  print(`📋 Paragraphs: ${count('paragraph')}`);
  print(`📁 Headings: ${headings.length}`);
  if (headings.length) print('   By level:');
  for (let l = 1; l <= 6; l++) {
    const n = headings.filter((h) => h.level === l).length;
    if (n) print(`     Level ${l}: ${n}`);
  }
  print(`💻 Code blocks: ${count('code')}`);
  print(`📌 Lists: ${count('list')}`);
  print(`🔗 Links: ${count('link')}`);
  print(`🖼️  Images: ${count('image')}`);
}

function toc([file], options) {
  const max = level(options['max-level'], 3);
  const headings = headingsOf(parse(read(file))).filter((h) => h.level <= max);
  print(`\n📚 Table of Contents for ${file}:\n`);
  print('## Table of Contents\n');
  for (const h of headings) print(`${'  '.repeat(h.level - 1)}- [${h.text}](#${slug(h.text)})`);
  print();
}

async function checkLinks([file], options) {
  const seen = new Set();
  let broken = 0;
  async function check(current) {
    seen.add(path.resolve(current));
    const root = parse(read(current));
    const urls = new Set([...all(root, 'link'), ...all(root, 'definition')].map((n) => n.url)
      .filter((u) => u && !u.startsWith('#') && !u.startsWith('mailto:')));
    print(`\n🔗 Checking ${urls.size} links in ${current}:\n`);
    const next = [];
    for (const url of urls) {
      let ok;
      if (/^https?:/.test(url)) {
        ok = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(5000) }).then((r) => r.ok, () => false);
      } else {
        const local = path.resolve(path.dirname(current), url.replace(/[?#].*$/, ''));
        ok = fs.existsSync(local);
        if (ok && local.endsWith('.md')) next.push(path.relative('.', local));
      }
      if (!ok) broken++;
      print(`${ok ? '✅' : '❌'} ${url}`);
    }
    if (options.recursive) {
      for (const n of next) if (!seen.has(path.resolve(n))) await check(n);
    }
  }
  await check(file);
  if (broken) process.exitCode = 1;
}

const COMMANDS = {
  list, extract, 'extract-all': extractAll, explode, assemble, tree, search, stats, toc, 'check-links': checkLinks,
};

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      output: { type: 'string', short: 'o' },
      level: { type: 'string', short: 'l' },
      format: { type: 'string', short: 'f' },
      'max-level': { type: 'string' },
      recursive: { type: 'boolean', short: 'r' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  const [command, ...args] = positionals;
  if (values.version || command === 'version') return print(`mdcut v${VERSION}`);
  if (values.help || command === undefined || command === 'help') return print(HELP);
  if (!Object.hasOwn(COMMANDS, command)) throw new Error(`Unknown command: ${command}`);
  if (args.length < USAGE[command].length) {
    throw new Error(`Missing argument\nUsage: mdcut ${command} ${USAGE[command].join(' ')}`);
  }
  await COMMANDS[command](args, values);
}

main().catch((error) => {
  console.error(`❌ ${error.message}`);
  process.exitCode = 1;
});
