import { readFileSync } from 'node:fs';
import { type Exchange, printTranscript, replayTranscript, type Transcript } from '@kalends/conformance';
import { describe, expect, test } from 'vitest';
import { PROVIDER_NAMES, type ProviderName, providerAt } from '../../src/parity/provider-at.ts';
import { recordSandbox, transcriptFile } from './record-transcripts.ts';

const read = (name: ProviderName) => JSON.parse(readFileSync(transcriptFile(name), 'utf8')) as Transcript;

async function failures(name: ProviderName, transcript: Transcript): Promise<readonly string[]> {
  const results = await replayTranscript(transcript, (service) =>
    providerAt(name, { root: `http://transcript.test/${name}`, ...service }),
  );
  expect(results.length).toBeGreaterThan(0);
  return results.flatMap(({ error }) => (error === undefined ? [] : [String(error)]));
}

/** Changes the exchanges of the deletion. */
function changed(transcript: Transcript, change: (exchanges: readonly Exchange[]) => readonly Exchange[]): Transcript {
  const cases = transcript.cases
    .filter(({ name }) => name.startsWith('delete: '))
    .map((one) => ({ ...one, exchanges: change(one.exchanges) }));
  return { ...transcript, cases };
}

/** Changes the first exchange that is one of those, and those alone. */
function changedFirst(isIt: (exchange: Exchange) => boolean, change: (exchange: Exchange) => readonly Exchange[]) {
  return (exchanges: readonly Exchange[]) => {
    const index = exchanges.findIndex(isIt);
    expect(index).toBeGreaterThanOrEqual(0);
    return exchanges.flatMap((one, at) => (at === index ? change(one) : [one]));
  };
}

const isCreation = ({ operation }: Exchange) => operation.startsWith('POST ');

describe.each(PROVIDER_NAMES)('%s', (name) => {
  test('the adapter plays its recorded cases again', async () => {
    const transcript = read(name);
    expect(transcript.cases).toHaveLength(6);
    expect(await failures(name, transcript)).toEqual([]);
  });

  test('a recording has the same bytes each time', async () => {
    const isDeletion = (one: string) => one.startsWith('delete: ');
    const [first, second] = [await recordSandbox(name, isDeletion), await recordSandbox(name, isDeletion)];
    expect(printTranscript(first)).toBe(printTranscript(second));
    expect(JSON.parse(printTranscript(first))).toEqual(first);
  });

  test('a missing answer fails the case, and so does one that is not asked for', async () => {
    const short = changed(read(name), (exchanges) => exchanges.slice(0, -1));
    expect(await failures(name, short)).toEqual([expect.stringContaining('has no further')]);
    const long = changed(read(name), (exchanges) => [...exchanges, ...exchanges.slice(-1)]);
    expect(await failures(name, long)).toEqual([expect.stringContaining('was not sent')]);
  });

  test('another body of a request fails the case, and so does another query', async () => {
    const body = changed(
      read(name),
      changedFirst(isCreation, (one) => [{ ...one, requestBody: { ...(one.requestBody as object), further: 1 } }]),
    );
    expect(await failures(name, body)).toEqual([expect.stringMatching(/POST .*: body: members/)]);
    const query = changed(
      read(name),
      changedFirst(
        ({ query: sent }) => Object.keys(sent).length > 0,
        (one) => [{ ...one, query: { ...one.query, further: '1' } }],
      ),
    );
    expect(await failures(name, query)).toEqual([expect.stringMatching(/GET .*: query: members/)]);
  });

  test('a throttled answer and an expired token are played again', async () => {
    const refused = (status: number, responseHeaders: Exchange['responseHeaders']) => (one: Exchange) => [
      { ...one, status, responseHeaders, responseBody: { error: { code: status, message: '~message.9~' } } },
      one,
    ];
    const isList = ({ operation }: Exchange) => operation.startsWith('GET ');
    const throttled = changed(read(name), changedFirst(isList, refused(429, { 'retry-after': '90' })));
    expect(await failures(name, throttled)).toEqual([]);
    const expired = changed(read(name), changedFirst(isList, refused(401, {})));
    expect(await failures(name, expired)).toEqual([]);
    const refresh = changed(
      read(name),
      changedFirst(isList, (one) => [{ ...one, operation: 'POST /token', path: ['token'], query: {} }, one]),
    );
    expect(await failures(name, refresh)).toEqual([]);
  });
});

test('the clock shows the time of each request, which a window follows', async () => {
  const HOUR_MS = 3_600_000;
  const movedBy = (ms: number, query: Exchange['query']) =>
    Object.fromEntries(
      Object.entries(query).map(([name, value]) => [
        name,
        ['startDateTime', 'endDateTime'].includes(name) ? new Date(Date.parse(value) + ms).toISOString() : value,
      ]),
    );
  const later = (windowMs: number, requestMs: number) =>
    changed(read('microsoft'), (exchanges) =>
      exchanges.map((one) => ({
        ...one,
        at: one.at + requestMs,
        query: one.operation.endsWith('/delta') ? movedBy(windowMs, one.query) : one.query,
      })),
    );
  expect(await failures('microsoft', later(HOUR_MS, HOUR_MS))).toEqual([]);
  // The request waited for its turn.
  expect(await failures('microsoft', later(HOUR_MS, HOUR_MS + 100_000))).toEqual([]);
  const wrong = [expect.stringContaining('calendarView/delta: query')];
  expect(await failures('microsoft', later(HOUR_MS, 0))).toEqual(wrong);
  expect(await failures('microsoft', later(0, HOUR_MS))).toEqual(wrong);
});
