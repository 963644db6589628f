import { expect, it } from 'vitest';
import { createLogger } from '../src/logger.ts';
import { loggedFields } from './logged-fields.ts';

/** Ids that providers, or the programs of their users, choose: they may name a person. */
const LEFT_OUT = ['calendarId', 'objectId', 'providerEventId', 'seriesId'];

it('the log has every field that the sources give it, but those that are left out on purpose', () => {
  const places = loggedFields();
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  logger.info('all', Object.fromEntries([...places.keys()].map((name) => [name, 'x'])));
  const written = JSON.parse(lines[0] ?? '{}');
  const dropped = [...places].filter(([name]) => !(name in written) && !LEFT_OUT.includes(name));
  expect(dropped).toEqual([]);
  expect(LEFT_OUT.filter((name) => !places.has(name) || name in written)).toEqual([]);
});
