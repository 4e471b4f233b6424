'use strict';

class DataError extends Error {}

/** Returns the line end that a text uses. */
function lineEnd(text) {
  const lf = text.indexOf('\n');
  if (lf < 0) {
    return text.includes('\r') ? '\r' : '\n';
  }
  return lf > 0 && text[lf - 1] === '\r' ? '\r\n' : '\n';
}

/** Of the delimiters, returns the one that occurs most often in a line. */
function chooseDelimiter(delimiters, line) {
  let best = delimiters[0] ?? ',';
  let most = 0;
  if (delimiters.length > 1) {
    for (const delimiter of delimiters) {
      const count = delimiter === '' ? 0 : line.split(delimiter).length - 1;
      if (count > most) {
        best = delimiter;
        most = count;
      }
    }
  }
  return best;
}

/** Splits rows into columns. */
class RowSplitter {
  constructor({ quote, escape, trim }, delimiter) {
    this.quote = quote;
    this.escape = escape;
    this.trim = trim;
    this.delimiter = delimiter;
  }

  /** Returns the columns of a row, or null if a quote is not closed. */
  split(row) {
    const pieces = this.delimiter === '' ? [row] : row.split(this.delimiter);
    if (this.quote === '') {
      return pieces.map((piece) => this.clean(piece));
    }
    const columns = [];
    for (let i = 0; i < pieces.length; i++) {
      const start = this.trim ? pieces[i].trimStart() : pieces[i];
      if (!start.startsWith(this.quote)) {
        columns.push(this.clean(pieces[i]));
        continue;
      }
      // A quoted column reaches up to the piece that closes it.
      const parts = [start.slice(this.quote.length)];
      while (!this.isClosed(parts.at(-1))) {
        if (++i >= pieces.length) {
          return null;
        }
        parts.push(pieces[i]);
      }
      parts.push(this.clipQuote(parts.pop()));
      columns.push(this.unescape(parts.join(this.delimiter)));
    }
    return columns;
  }

  clean(piece) {
    return this.trim ? piece.trim() : piece;
  }

  /** Tells whether a quoted column ends with this piece. */
  isClosed(piece) {
    const text = this.trim ? piece.trimEnd() : piece;
    if (!text.endsWith(this.quote)) {
      return false;
    }
    const before = text.slice(0, text.length - this.quote.length);
    if (this.escape === '') {
      return true;
    }
    let escapes = 0;
    for (
      let end = before.length;
      before.slice(0, end).endsWith(this.escape);
      end -= this.escape.length
    ) {
      escapes++;
    }
    return escapes % 2 === 0;
  }

  clipQuote(piece) {
    const text = this.trim ? piece.trimEnd() : piece;
    return text.slice(0, text.length - this.quote.length);
  }

  unescape(text) {
    return this.escape === '' ? text : text.replaceAll(this.escape + this.quote, this.quote);
  }
}

/**
 * Yields the rows of a text, each as the raw text and the list of its columns.
 * Empty lines between rows are left out.
 */
function* readRows(text, options) {
  if (text.startsWith('\uFEFF')) {
    text = text.slice(1);
  }
  const end = lineEnd(text);
  const lines = text.split(end);
  const first = lines.find((line) => line !== '') ?? '';
  const splitter = new RowSplitter(options, chooseDelimiter(options.delimiter, first));

  let raw = null;
  let firstLine = 0;
  for (let i = 0; i < lines.length; i++) {
    if (raw === null) {
      if (lines[i].trim() === '' && (options.trim || lines[i] === '')) {
        continue;
      }
      raw = lines[i];
      firstLine = i + 1;
    } else {
      raw += end + lines[i];
      // A line without a quote leaves an open column open.
      if (!lines[i].includes(options.quote)) {
        checkLength(raw, options, firstLine);
        continue;
      }
    }
    checkLength(raw, options, firstLine);
    const columns = splitter.split(raw);
    if (columns !== null) {
      yield { raw, columns, line: firstLine };
      raw = null;
    }
  }
  if (raw !== null) {
    throw new DataError(`line ${firstLine}: unclosed quote`);
  }
}

function checkLength(raw, { maxRowLength }, line) {
  if (maxRowLength > 0 && raw.length > maxRowLength) {
    throw new DataError(`line ${line}: row exceeds the maximum size`);
  }
}

module.exports = { DataError, readRows };
