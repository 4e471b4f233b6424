// CSS-like selectors over the tree.

const PSEUDO = new Set(['first-child', 'last-child', 'only-child', 'nth-child', 'root', 'empty', 'not', 'is', 'matches', 'has',
  'first-of-type', 'last-of-type']);

function parseSelector(input) {
  let i = 0;
  const fail = () => { throw new Error(`Invalid selector: ${input}`); };
  const space = () => { const from = i; while (/\s/.test(input[i] || '')) i++; return i > from; };
  const take = (re) => {
    const m = re.exec(input.slice(i));
    if (m) i += m[0].length;
    return m;
  };

  function list(nested) {
    const all = [complex(nested)];
    while (input[i] === ',') { i++; all.push(complex(nested)); }
    return all;
  }

  function complex(nested) {
    const parts = [];
    space();
    let combinator = ' ';
    if (nested === 'has' && /[>+~]/.test(input[i] || '')) { combinator = input[i++]; space(); }
    for (;;) {
      parts.push({ combinator, ...compound() });
      const blank = space();
      const c = input[i];
      if (c === undefined || c === ',' || (nested && c === ')')) break;
      if (/[>+~]/.test(c)) { combinator = c; i++; space(); } else if (blank) combinator = ' '; else fail();
    }
    return parts;
  }

  function compound() {
    const tests = [];
    const from = i;
    let m;
    if ((m = take(/^(?:\*|[a-zA-Z][\w-]*)/)) && m[0] !== '*') {
      const type = m[0];
      tests.push((n) => n.type === type);
    }
    for (;;) {
      if (input[i] === '[') {
        m = take(/^\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\s\]]+))\s*)?\]/);
        if (!m) fail();
        const [, name, op] = m;
        const want = m[3] ?? m[4] ?? m[5];
        tests.push((n) => {
          const value = n[name];
          if (value === undefined || value === null || typeof value === 'object') return false;
          const s = String(value);
          switch (op) {
            case undefined: return true;
            case '=': return s === want;
            case '^=': return s.startsWith(want);
            case '$=': return s.endsWith(want);
            case '*=': return s.includes(want);
            case '~=': return s.split(/\s+/).includes(want);
            default: return s === want || s.startsWith(want + '-');
          }
        });
      } else if (input[i] === ':') {
        m = take(/^:([a-z-]+)/);
        if (!m || !PSEUDO.has(m[1])) fail();
        tests.push(pseudo(m[1]));
      } else break;
    }
    if (i === from) fail();
    return { tests };
  }

  function pseudo(name) {
    const siblings = (n) => (n.parent ? n.parent.children : [n]);
    const same = (n) => siblings(n).filter((x) => x.type === n.type);
    if (['not', 'is', 'matches', 'has'].includes(name)) {
      if (input[i++] !== '(') fail();
      const inner = list(name === 'has' ? 'has' : 'arg');
      if (input[i++] !== ')') fail();
      if (name === 'has') return (n) => descendants(n).some((d) => inner.some((sel) => matches(d, sel, n)));
      return (n) => inner.some((sel) => matches(n, sel)) !== (name === 'not');
    }
    if (name === 'nth-child') {
      const m = take(/^\(\s*(?:(odd|even)|(\d+)|([+-]?\d*)n\s*(?:([+-])\s*(\d+))?)\s*\)/);
      if (!m) fail();
      let a = 0;
      let b = 0;
      if (m[1]) { a = 2; b = m[1] === 'odd' ? 1 : 0; } else if (m[2]) b = Number(m[2]);
      else {
        a = m[3] === '' || m[3] === '+' ? 1 : m[3] === '-' ? -1 : Number(m[3]);
        b = m[5] ? Number(m[4] + m[5]) : 0;
      }
      return (n) => {
        const k = siblings(n).indexOf(n) + 1 - b;
        return a === 0 ? k === 0 : k % a === 0 && k / a >= 0;
      };
    }
    switch (name) {
      case 'first-child': return (n) => n.parent && siblings(n)[0] === n;
      case 'last-child': return (n) => n.parent && siblings(n).at(-1) === n;
      case 'only-child': return (n) => n.parent && siblings(n).length === 1;
      case 'first-of-type': return (n) => n.parent && same(n)[0] === n;
      case 'last-of-type': return (n) => n.parent && same(n).at(-1) === n;
      case 'root': return (n) => !n.parent;
      default: return (n) => !n.value && !(n.children && n.children.length);
    }
  }

  const result = list(false);
  if (i < input.length) fail();
  return result;
}

function descendants(node) {
  return (node.children || []).flatMap((c) => [c, ...descendants(c)]);
}

function matches(node, parts, scope, at = parts.length - 1) {
  if (!parts[at].tests.every((t) => t(node))) return false;
  const { combinator } = parts[at];
  const ok = (n) => (at === 0 ? n === scope : matches(n, parts, scope, at - 1));
  if (at === 0 && (!scope || combinator === ' ')) return true;
  if (combinator === ' ') {
    for (let p = node.parent; p; p = p.parent) if (ok(p)) return true;
    return false;
  }
  if (combinator === '>') return Boolean(node.parent) && ok(node.parent);
  const before = node.parent ? node.parent.children.slice(0, node.parent.children.indexOf(node)) : [];
  return combinator === '+' ? before.length > 0 && ok(before.at(-1)) : before.some(ok);
}

export function selectAll(selector, root) {
  const parsed = parseSelector(selector);
  const link = (n) => (n.children || []).forEach((c) => {
    Object.defineProperty(c, 'parent', { value: n, enumerable: false, configurable: true });
    link(c);
  });
  link(root);
  return [root, ...descendants(root)].filter((n) => parsed.some((sel) => matches(n, sel)));
}
