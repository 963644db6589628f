import { replayTranscript } from '@kalends/conformance';
import { expect, test } from 'vitest';
import { PROVIDER_NAMES, providerAt } from '../../src/parity/provider-at.ts';
import { operationsOf, recordSandbox, validatedOperations } from './record-transcripts.ts';

test.each(PROVIDER_NAMES)('every case can be recorded and played again: %s', { timeout: 300_000 }, async (name) => {
  const transcript = await recordSandbox(name, () => true);
  const played = transcript.cases.filter(({ failure }) => failure !== null).map((one) => `${one.name}: ${one.failure}`);
  expect(played).toEqual([]);
  expect(operationsOf(transcript)).toEqual(validatedOperations(name));
  const results = await replayTranscript(transcript, (service) =>
    providerAt(name, { root: `http://transcript.test/${name}`, ...service }),
  );
  expect(results.length).toBeGreaterThan(70);
  expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
});
