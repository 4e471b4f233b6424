'use strict';

const CANDIDATES = [',', ';', '\t', '|', ':'];

// Choose the separator that is most frequent in the first line.
function chooseDelimiter(delimiter, text) {
  if (delimiter !== 'auto' && !Array.isArray(delimiter)) return delimiter;
  const candidates = delimiter === 'auto' ? CANDIDATES : delimiter;
  const line = text.split(/\r?\n/, 1)[0];
  let best = ',';
  let most = 0;
  for (const candidate of candidates) {
    const count = candidate ? line.split(candidate).length - 1 : 0;
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

// Split a text into rows: { cells, raw }.
function parseRows(text, options) {
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  const delimiter = chooseDelimiter(options.delimiter, text) || ',';
  const quote = options.quote === 'off' ? null : options.quote;
  const escape = options.escape;
  const rows = [];
  let pos = 0;

  const eolLength = (at) => {
    if (text[at] === '\n') return 1;
    if (text[at] === '\r' && text[at + 1] === '\n') return 2;
    return 0;
  };
  const atEnd = (at) => at >= text.length || eolLength(at) > 0;
  const skipBlanks = (at) => {
    while (at < text.length && (text[at] === ' ' || text[at] === '\t') && !text.startsWith(delimiter, at)) at++;
    return at;
  };

  const quoted = (start) => {
    let value = '';
    let at = start + quote.length;
    while (at < text.length) {
      if (escape && text.startsWith(escape + quote, at)) {
        value += quote;
        at += escape.length + quote.length;
        continue;
      }
      if (text.startsWith(quote, at)) {
        let after = at + quote.length;
        if (options.trim) after = skipBlanks(after);
        if (atEnd(after) || text.startsWith(delimiter, after)) return { value, end: after };
      }
      value += text[at++];
    }
    throw new Error(`Error: unclosed quote in row ${rows.length + 1}`);
  };

  const plain = (start) => {
    let at = start;
    while (!atEnd(at) && !text.startsWith(delimiter, at)) at++;
    const value = text.slice(start, at);
    return { value: options.trim ? value.trim() : value, end: at };
  };

  while (pos < text.length) {
    const start = pos;
    const cells = [];
    for (;;) {
      const begin = options.trim ? skipBlanks(pos) : pos;
      const cell = quote && text.startsWith(quote, begin) ? quoted(begin) : plain(pos);
      cells.push(cell.value);
      pos = cell.end;
      if (atEnd(pos)) break;
      pos += delimiter.length;
    }
    const raw = text.slice(start, pos);
    pos += eolLength(pos);
    if (raw.trim() === '') continue;
    if (options.maxRowLength > 0 && raw.length > options.maxRowLength) {
      throw new Error(`Error: row ${rows.length + 1} is longer than ${options.maxRowLength}`);
    }
    rows.push({ cells, raw });
  }
  return rows;
}

module.exports = { parseRows };
