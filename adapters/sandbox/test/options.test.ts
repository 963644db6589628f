import { createSandbox } from '@kalends/sandbox';
import { expect, it } from 'vitest';

it.each([
  ['options', null, 'must be an object of options'],
  ['options', 7, 'must be an object of options'],
  ['Seed', { Seed: 7 }, 'is not an option; did you mean seed?'],
  ['seed', { seed: 'x' }, 'must be a whole number'],
  ['fetch', { fetch: 5 }, 'must be a function'],
  ['clock', { clock: {} }, 'must be an object with the functions now'],
  ['state', { state: 'state.json' }, 'must be an object with the functions load, save'],
  ['time', { time: { now: Date.now } }, 'must be an object with the functions now, wait'],
])('%s: %j is refused', (path, options, rule) => {
  expect(() => createSandbox(options as never)).toThrow(
    expect.objectContaining({
      code: 'InvalidRequest',
      message: `${path}: ${rule}`,
      details: [{ path, message: rule }],
    }),
  );
});

it('takes the system clock and undefined', () => {
  expect(() => createSandbox({ clock: Date, seed: undefined } as never)).not.toThrow();
});
