import { describe, expect, test } from 'vitest';
import { bind } from '../src/bind.ts';

describe('parameters', () => {
  test('texts, numbers and null pass as they are', () => {
    const values = ['', 'ä', 0, -1.5, Number.MAX_SAFE_INTEGER, null];
    expect(bind(values)).toEqual(values);
  });

  test.each([
    ['a date, which the driver takes for named parameters', new Date(0), '[object Date]'],
    ['a boolean', true, 'boolean true'],
    ['undefined', undefined, 'undefined'],
    ['a bigint', 1n, 'bigint 1'],
    ['an integer that cannot be read back', 2 ** 53, 'number 9007199254740992'],
    ['not a number', Number.NaN, 'number NaN'],
    ['infinity', Number.POSITIVE_INFINITY, 'number Infinity'],
    ['an object', { a: 1 }, '[object Object]'],
    ['bytes', new Uint8Array(1), '[object Uint8Array]'],
  ])('%s is refused by its position', (_, value, description) => {
    const rule = 'must be a text, a finite safe number or null';
    expect(() => bind(['first', value])).toThrow(new TypeError(`Parameter 2 ${rule}, not ${description}`));
  });
});
