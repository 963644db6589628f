import { sqlite } from '@kalends/sqlite';
import { expect, it } from 'vitest';

it.each([
  ['path', undefined, 'must name a file, or be :memory:'],
  ['path', 'kalends.db', 'must name a file, or be :memory:'],
  ['path', {}, 'must name a file, or be :memory:'],
  ['path', { path: 5 }, 'must name a file, or be :memory:'],
  ['file', { file: 'x' }, 'is not an option; the options are path, clock, logger, prefix'],
  ['clock', { path: ':memory:', clock: {} }, 'must be an object with the functions now, sleep'],
])('%s: %j is refused', (path, options, rule) => {
  expect(() => sqlite(options as never)).toThrow(
    expect.objectContaining({
      code: 'InvalidRequest',
      message: `${path}: ${rule}`,
      details: [{ path, message: rule }],
    }),
  );
});
