import pg from 'pg';

const INT8 = 20;

/** Parses values as the driver does, but int8 as a number; one that a number cannot hold is an error. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (id === INT8 && format !== 'binary') return parseInt8;
    return pg.types.getTypeParser(id, format);
  },
};

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`);
  return value;
}
