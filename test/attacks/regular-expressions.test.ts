import { authorizeUrl } from '@kalends/client';
import { googleEndpoints } from '@kalends/google';
import { microsoftEndpoints } from '@kalends/microsoft';
import { describe, expect, test } from 'vitest';
import { writeRecurrence } from '../../adapters/google/src/events/recurrence-writing.ts';
import { readDescription, replaceDescription } from '../../adapters/microsoft/src/events/description.ts';
import { cpuMsOf } from './cpu-time.ts';

/** Linear work on a megabyte takes some hundred milliseconds at most; quadratic work takes minutes. */
const BOUND_MS = 1_500;
const MEGABYTE = 1_000_000;
const of = (piece: string) => piece.repeat(MEGABYTE / piece.length);
const RULE = '_'.repeat(80);

const BODIES: readonly (readonly [string, string])[] = [
  ['line ends before a letter', `${of('\r\n')}x`],
  ['carriage returns that end no line', of('\r')],
  ['spaces before a letter', `${of(' ')}x`],
  ['tabs and line ends', `${of('\t\r\n ')}x`],
  ['underscores', of('_')],
  ['rules that are one too short', of(`${'_'.repeat(29)} `)],
  ['rules', of(`${'_'.repeat(30)}\r\n`)],
  ['spaces before a rule', `${of(' ')}x${RULE}`],
  ['line ends around a rule', `${of('\r\n')}x${RULE}${of('\r\n')}x`],
];

describe.each(BODIES)('a body of %s', (_name, body) => {
  test.each([true, false])('is read in linear time, of an online meeting: %s', (isOnline) => {
    const meeting = { isOnlineMeeting: isOnline, onlineMeeting: { joinUrl: 'https://teams.example/j' } };
    expect(cpuMsOf(() => readDescription(body, meeting, undefined))).toBeLessThan(BOUND_MS);
    expect(cpuMsOf(() => readDescription(body, meeting, `${body}y`))).toBeLessThan(BOUND_MS);
    expect(cpuMsOf(() => readDescription(`${body}https://teams.example/j`, meeting, `${body}y`))).toBeLessThan(
      BOUND_MS,
    );
  });
});

test.each([
  ['opened bodies', of('<body')],
  ['opened bodies and a closed one', `${of('<body ')}>`],
  ['tags that never end', of('<a ')],
  ['tags without a rule', of('<a>')],
  ['tags before each of many rules', of(`<a><b> <c>${RULE}`)],
  ['angle brackets before a rule', `${of('<')}${RULE}`],
  ['closed tags before a rule', `${of('>')}${RULE}`],
  ['line ends', `${of('\r\n')}x`],
  ['what the link repeats', of('a')],
])('an HTML body of %s gets another text in linear time', (_name, html) => {
  for (const joinUrl of [undefined, 'https://teams.example/j', 'a', `${'a'.repeat(50_000)}b`]) {
    expect(cpuMsOf(() => replaceDescription(html, 'new', joinUrl))).toBeLessThan(BOUND_MS);
  }
});

const START = { start: { dateTime: '2026-03-02T09:00:00+01:00', timeZone: 'Europe/Berlin' }, isAllDay: false };

test.each([
  ['colons', `X${of(':')}"`],
  ['quotes', `RRULE;X=${of('"')}`],
  ['quoted colons', `RRULE;X=${of('":"')}`],
  ['pairs of a colon and a quote', `RRULE${of(':"')}`],
  ['semicolons', `RRULE:${of(';')}`],
])('a recurrence line of %s is written or refused in linear time', (_name, line) => {
  const write = () => {
    try {
      writeRecurrence([line], START);
    } catch (error) {
      expect(error).toMatchObject({ reason: 'unsupported' });
    }
  };
  expect(cpuMsOf(write)).toBeLessThan(BOUND_MS);
});

test('URLs of settings lose their slashes in linear time', () => {
  const url = `http://127.0.0.1/${of('/')}x`;
  const addresses = { baseUrl: url, applicationId: 'a', providerType: 'PROVIDER_A', externalId: 'u' };
  expect(cpuMsOf(() => googleEndpoints(url))).toBeLessThan(BOUND_MS);
  expect(cpuMsOf(() => microsoftEndpoints(url))).toBeLessThan(BOUND_MS);
  expect(cpuMsOf(() => authorizeUrl({ ...addresses, redirectUrl: 'https://a.example', state: 's' }))).toBeLessThan(
    BOUND_MS,
  );
});
