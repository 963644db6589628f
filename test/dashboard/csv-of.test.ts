import { expect, it } from 'vitest';
import { csvOf } from '../../adapters/dashboard/page/parts/csv-of.ts';

it('writes rows as RFC 4180 has them', () => {
  const text = csvOf(
    ['a', 'b'],
    [
      ['plain', 'with, comma'],
      ['with "quotes"', 'two\nlines'],
      ['', 'ü'],
    ],
  );
  expect(text).toBe('a,b\r\nplain,"with, comma"\r\n"with ""quotes""","two\nlines"\r\n,ü');
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('lets no spreadsheet run %j', (text) => {
  const [, cell = ''] = csvOf(['a'], [[text]]).split('\r\n');
  expect(cell.replace(/^"/, '')).toMatch(/^'/);
});
