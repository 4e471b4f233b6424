'use strict';

const { DataError, readRows } = require('./rows.js');
const { typed, toNumber, parsePath, setPath } = require('./values.js');

const TYPES = {
  number: toNumber,
  string: (text) => text,
};

/** The columns of a conversion, by their place in the row. */
class Columns {
  constructor(names, options) {
    this.options = options;
    this.count = names.length;
    this.list = names.map((name, index) => this.make(name, index));
  }

  at(index) {
    this.list[index] ??= this.make('', index);
    return this.list[index];
  }

  make(name, index) {
    const { checkType, flatKeys, includeColumns, ignoreColumns } = this.options;
    let convert = checkType ? typed : TYPES.string;
    let omit = false;
    if (checkType) {
      const match = /^(number|string|omit)#!(.*)$/s.exec(name);
      if (match) {
        omit = match[1] === 'omit';
        convert = TYPES[match[1]] ?? convert;
        name = match[2];
      }
    }
    name = name === '' ? `field${index + 1}` : name;
    if (includeColumns && !includeColumns.test(name)) {
      omit = true;
    }
    if (ignoreColumns && ignoreColumns.test(name)) {
      omit = true;
    }
    return { convert, omit, path: flatKeys ? [name] : parsePath(name) };
  }
}

function toObject(cells, columns, { ignoreEmpty, nullObject }) {
  const object = Object.create(null);
  cells.forEach((text, index) => {
    const column = columns.at(index);
    if (column.omit || (ignoreEmpty && text === '')) {
      return;
    }
    const value = nullObject && text === 'null' ? null : column.convert(text);
    setPath(object, column.path, value);
  });
  return object;
}

function toResult(row, columns, options) {
  switch (options.output) {
    case 'line':
      return row.raw;
    case 'csv':
      return row.columns.filter((_, index) => !columns.at(index).omit);
    default:
      return toObject(row.columns, columns, options);
  }
}

/** Yields the JSON text of each data row. */
function* convert(text, options) {
  let columns = null;
  for (const row of readRows(text, options)) {
    if (columns === null) {
      const ofRow = options.noheader ? row.columns.map(() => '') : row.columns;
      columns = new Columns(options.headers ?? ofRow, options);
      if (!options.noheader) {
        continue;
      }
    }
    if (options.checkColumn && row.columns.length !== columns.count) {
      throw new DataError(`line ${row.line}: number of columns differs from the header`);
    }
    yield JSON.stringify(toResult(row, columns, options));
  }
}

module.exports = { convert };
