import pg from 'pg';

const INT8 = 20;

/** How values arrive: as the driver does it, save that int8 is a number, and none that a number cannot hold. */
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
