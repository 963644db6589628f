import { postgres, shardedStorage } from '@kalends/postgres';
import { expect, it } from 'vitest';

const URL = 'postgres://localhost/none';
const ADDRESS = 'must be an address of the form postgres://user:password@host:port/database';

function refusal(path: string, rule: string) {
  return expect.objectContaining({
    code: 'InvalidRequest',
    message: `${path}: ${rule}`,
    details: [{ path, message: rule }],
  });
}

it.each([
  ['connectionString', undefined, 'must be given in an object of options, or a pool instead'],
  ['connectionString', URL, 'must be given in an object of options, or a pool instead'],
  ['connectionString', {}, 'must be given, or else a pool'],
  ['connectionString', { connectionString: 'mysql://localhost/none' }, ADDRESS],
  ['connectionString', { connectionString: 'localhost' }, ADDRESS],
  ['connectionString', { connectionString: 5 }, ADDRESS],
  ['pool', { pool: {} }, 'must be a Pool of the pg package'],
  ['pool', { pool: null }, 'must be a Pool of the pg package'],
  ['connectionString', { connectionString: URL, pool: {} }, 'must be left out where a pool is given'],
  ['listen', { connectionString: URL, listen: true }, `${ADDRESS}, or false`],
  ['outageTimeoutMs', { connectionString: URL, outageTimeoutMs: '5' }, 'must be a number from 0'],
  ['statementTimeoutMs', { connectionString: URL, statementTimeoutMs: '5' }, 'must be a number from 1 to 2147483647'],
  ['logger', { connectionString: URL, logger: {} }, 'must be an object with the functions debug, info, warn, error'],
  ['clock', { connectionString: URL, clock: Date }, 'must be an object with the functions now, sleep'],
])('%s: %j is refused', (path, options, rule) => {
  expect(() => postgres(options as never)).toThrow(refusal(path, rule));
});

it.each(['max', 'statementTimeout', 'name'])('%s is not an option', (name) => {
  expect(() => postgres({ connectionString: URL, [name]: 4 } as never)).toThrow(
    new RegExp(`^${name}: is not an option; the options are connectionString, pool,`),
  );
});

it.each([
  URL,
  'PostgreSQL://localhost/none',
  'socket:/run/postgresql?db=none',
  '/run/postgresql none',
])('takes the address %s', (connectionString) => {
  expect(() => postgres({ connectionString, clock: undefined } as never)).not.toThrow();
});

it('refuses a logger that takes the fields first, in a database among several too', () => {
  const rule = 'must take the message before the fields; wrap this one in fieldsFirst of kalends';
  const one = { name: 'home', connectionString: URL, logger: { ...console, bindings() {} } };
  expect(() => postgres({ connectionString: URL, logger: one.logger })).toThrow(refusal('logger', rule));
  expect(() => shardedStorage({ shards: [one] })).toThrow(refusal('logger', rule));
});

it('names the database of a wrong option among several', () => {
  const shards = [
    { name: 'home', connectionString: URL },
    { name: 'one', connectionString: URL, max: 4 },
  ];
  expect(() => shardedStorage({ shards })).toThrow(/^shards\[1\]\.max: is not an option/);
  expect(() => shardedStorage({ shards: 'home' } as never)).toThrow(refusal('shards', 'must be a list of databases'));
});
