import { readFileSync } from 'node:fs';
import { replayTranscript, type Transcript, waitlessClock } from '@kalends/conformance';
import { describe, expect, test } from 'vitest';
import { providerAt } from '../../src/parity/provider-at.ts';

/** Recorded from the sandbox: the cases of `--only delete`. */
const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`transcripts/${name}.json`, import.meta.url), 'utf8')) as Transcript;

describe.each(['google'] as const)('%s', (name) => {
  const replay = (transcript: Transcript) =>
    replayTranscript(transcript, (fetch) => {
      const clock = waitlessClock(() => transcript.recordedAt);
      return providerAt(name, `http://transcript.test/${name}`, clock, fetch);
    });

  test('the adapter plays its recorded cases again', async () => {
    const transcript = read(name);
    const results = await replay(transcript);
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(3);
  });

  test('a missing answer, and one that was not asked for, fail the case', async () => {
    const transcript = read(name);
    const [first, ...rest] = transcript.cases.filter(({ name: one }) => one.startsWith('delete: '));
    if (first === undefined || rest.length > 0) throw new Error('one case was expected');
    const played = async (exchanges: typeof first.exchanges) =>
      (await replay({ ...transcript, cases: [{ ...first, exchanges }] })).map(({ error }) => String(error));
    expect(await played(first.exchanges.slice(0, -1))).toEqual([expect.stringContaining('has no further')]);
    expect(await played([...first.exchanges, ...first.exchanges.slice(-1)])).toEqual([
      expect.stringContaining('was not sent'),
    ]);
  });
});
