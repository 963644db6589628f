import { caldav, icloud } from '@kalends/caldav';
import { google } from '@kalends/google';
import { icsFeed } from '@kalends/ics-feed';
import { microsoft } from '@kalends/microsoft';
import { describe, expect, it } from 'vitest';

function refusal(path: string, rule: string) {
  return expect.objectContaining({
    code: 'InvalidRequest',
    message: `${path}: ${rule}`,
    details: [{ path, message: rule }],
  });
}

const ADAPTERS = { google, microsoft, caldav, icloud, icsFeed };

describe.each(Object.entries(ADAPTERS))('%s', (_, create) => {
  it.each([
    ['options', null, 'must be an object of options'],
    ['options', 'https://calendar.example', 'must be an object of options'],
    ['fetch', { fetch: 5 }, 'must be a function'],
    ['clock', { clock: Date }, 'must be an object with the functions now, sleep'],
    ['logger', { logger: {} }, 'must be an object with the functions debug, info, warn, error'],
    ['limits', { limits: 4 }, 'must be an object of options'],
    ['limits.Concurrency', { limits: { Concurrency: 2 } }, 'is not an option; did you mean concurrency?'],
    ['limits.concurrency', { limits: { concurrency: 0 } }, 'must be a whole number from 1 on, or Infinity'],
    ['limits.callsPerInterval', { limits: { callsPerInterval: '9' } }, 'must be a whole number from 1 on, or Infinity'],
    ['limits.intervalMs', { limits: { intervalMs: 0 } }, 'must be more than 0 milliseconds'],
    ['limits.timeoutMs', { limits: { timeoutMs: Number.NaN } }, 'must be more than 0 milliseconds'],
    ['limits.maxAnswerBytes', { limits: { maxAnswerBytes: 0.5 } }, 'must be a whole number from 1 on, or Infinity'],
  ])('refuses %s: %j', (path, options, rule) => {
    expect(() => create(options as never)).toThrow(refusal(path, rule));
  });

  it('names its options where one is unknown', () => {
    expect(() => create({ nonsense: 1 } as never)).toThrow(/^nonsense: is not an option; the options are .*limits/);
    expect(() => create({ limits: { concurency: 2 } } as never)).toThrow(
      /^limits\.concurency: is not an option; the options are .*concurrency/,
    );
  });

  it('takes undefined as left out', () => {
    const limits = { concurrency: undefined, timeoutMs: undefined };
    expect(() => create({ fetch: undefined, limits, clock: undefined } as never)).not.toThrow();
  });
});

it.each([
  ['sendupdates', { sendupdates: 'none' }, 'is not an option; did you mean sendUpdates?'],
  ['sendUpdates', { sendUpdates: 'None' }, 'must be one of all, externalOnly, none'],
  ['baseUrl', { baseUrl: 'nope' }, 'must be an http or https URL'],
  ['baseUrl', { baseUrl: new URL('https://calendar.example') }, 'must be an http or https URL'],
  ['oauth', { oauth: 'https://calendar.example' }, 'must be an object of addresses'],
  ['oauth.tokenURL', { oauth: { tokenURL: 'https://calendar.example' } }, 'is not an option; did you mean tokenUrl?'],
  ['oauth.tokenUrl', { oauth: { tokenUrl: '/token' } }, 'must be an http or https URL'],
  ['scopes', { scopes: 'openid email' }, 'must be a list of scopes, with at least one'],
  ['scopes', { scopes: [] }, 'must be a list of scopes, with at least one'],
  ['scopes', { scopes: ['openid email'] }, 'must be a list of scopes, with at least one'],
  ['limits.pageSize', { limits: { pageSize: 0 } }, 'must be a whole number from 1 on'],
  [
    'limits.conferenceWaitsMs',
    { limits: { conferenceWaitsMs: 250 } },
    'must be a list of milliseconds, each from 0 on',
  ],
  [
    'retry.attempt',
    { retry: { attempt: 3 } },
    'is not an option; the options are attempts, baseDelayMs, maxDelayMs, maxWaitMs',
  ],
  ['retry.attempts', { retry: { attempts: 0 } }, 'must be a whole number from 1 on, or Infinity'],
  ['retry.baseDelayMs', { retry: { baseDelayMs: -1 } }, 'must be a number of milliseconds, from 0 on'],
])('google refuses %s: %j', (path, options, rule) => {
  expect(() => google(options as never)).toThrow(refusal(path, rule));
});

it.each([
  ['graphUrl', { graphUrl: 'graph.microsoft.com' }, 'must be an http or https URL'],
  ['loginUrl', { loginUrl: 'ftp://login.example' }, 'must be an http or https URL'],
  ['tenant', { tenant: '' }, 'must be common, organizations, consumers, or the id or domain of a tenant'],
  ['scopes', { scopes: 'x' }, 'must be a list of scopes, with at least one'],
  ['window.pastDays', { window: { pastDays: 3 } }, 'is not an option; the options are pastMs, futureMs'],
  ['window', { window: { pastMs: -1 } }, 'must reach at least a day ahead and cover at most 1825 days'],
  ['window', { window: { futureMs: '172800000' } }, 'must reach at least a day ahead and cover at most 1825 days'],
])('microsoft refuses %s: %j', (path, options, rule) => {
  expect(() => microsoft(options as never)).toThrow(refusal(path, rule));
});

it.each([caldav, icloud, icsFeed])('%o refuses networks that are no list', (create) => {
  expect(() => create({ allowedNetworks: '10.0.0.0/8' } as never)).toThrow(
    refusal('allowedNetworks', 'must be a list'),
  );
});
