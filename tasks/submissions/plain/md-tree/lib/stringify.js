// Write a tree out as normalised Markdown.

export function stringify(nodes) {
  const text = blocks(nodes, false);
  return text ? text + '\n' : '';
}

function blocks(nodes, tight) {
  let out = '';
  let bullet = '*';
  nodes.forEach((node, i) => {
    const previous = nodes[i - 1];
    if (node.type === 'list') {
      const adjacent = previous && previous.type === 'list' && previous.ordered === node.ordered;
      bullet = adjacent && bullet === '*' ? '-' : '*';
    }
    if (i > 0) out += tight ? '\n' : '\n\n';
    out += block(node, bullet);
  });
  return out;
}

function block(node, bullet) {
  switch (node.type) {
    case 'heading': {
      const text = inline(node.children).replace(/\n/g, ' ');
      return '#'.repeat(node.depth) + (text ? ' ' + text : '');
    }
    case 'paragraph': return inline(node.children);
    case 'blockquote':
      return blocks(node.children, false).split('\n').map((l) => (l ? '> ' + l : '>')).join('\n');
    case 'code': {
      const runs = node.value.match(/`{3,}/g) || [];
      const fence = '`'.repeat(Math.max(3, ...runs.map((r) => r.length + 1)));
      const info = (node.lang || '') + (node.meta ? ' ' + node.meta : '');
      return `${fence}${info}\n${node.value}${node.value ? '\n' : ''}${fence}`;
    }
    case 'thematicBreak': return '***';
    case 'html': return node.value;
    case 'table': return node.raw;
    case 'definition': return `[${node.label}]: ${target(node)}`;
    case 'list': {
      const loose = node.spread || node.children.some((c) => c.spread);
      return node.children.map((item, i) => {
        const marker = (node.ordered ? `${node.start + i}.` : bullet) + ' ';
        const task = item.checked === null ? '' : item.checked ? '[x] ' : '[ ] ';
        const body = task + blocks(item.children, !item.spread);
        const pad = ' '.repeat(marker.length);
        return (marker + body.split('\n').map((l, k) => (k && l ? pad + l : l)).join('\n')).trimEnd();
      }).join(loose ? '\n\n' : '\n');
    }
    default: return inline([node]);
  }
}

function target(node) {
  const url = !node.url || /\s/.test(node.url) ? `<${node.url}>` : node.url;
  const empty = node.type !== 'definition' && !node.url && !node.title;
  return (empty ? '' : url) + (node.title ? ` "${node.title}"` : '');
}

function inline(nodes) {
  return nodes.map((node) => {
    switch (node.type) {
      case 'text': return node.raw;
      case 'emphasis': return `*${inline(node.children)}*`;
      case 'strong': return `**${inline(node.children)}**`;
      case 'delete': return `~~${inline(node.children)}~~`;
      case 'inlineCode': {
        let fence = '`';
        while (node.value.includes(fence)) fence += '`';
        const pad = /^`|`$/.test(node.value) ? ' ' : '';
        return fence + pad + node.value + pad + fence;
      }
      case 'break': return '\\\n';
      case 'html': return node.value;
      case 'link': return node.auto ? `<${inline(node.children)}>` : `[${inline(node.children)}](${target(node)})`;
      case 'image': return `![${node.alt}](${target(node)})`;
      case 'linkReference': return `[${inline(node.children)}]${reference(node)}`;
      case 'imageReference': return `![${node.alt}]${reference(node)}`;
      default: return '';
    }
  }).join('');
}

function reference(node) {
  if (node.referenceType === 'full') return `[${node.label}]`;
  return node.referenceType === 'collapsed' ? '[]' : '';
}
