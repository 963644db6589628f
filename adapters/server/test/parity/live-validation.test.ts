import { expect, test } from 'vitest';
import { PROVIDER_NAMES } from '../../src/parity/provider-at.ts';
import { operationsOf, recordSandbox, validatedOperations } from './record-transcripts.ts';

/** They play every operation; the long suite looks at all cases. */
const CASES = [
  'calendars: a new one is listed',
  'calendars: an update changes',
  'create: a UID is kept',
  'delete: what is gone',
  'pull: several changes at once',
  'attachments: an event without any',
];

test.each(PROVIDER_NAMES)('the table of live validations has the operations that are played: %s', async (name) => {
  const transcript = await recordSandbox(name, (one) => CASES.some((beginning) => one.startsWith(beginning)));
  expect(operationsOf(transcript)).toEqual(validatedOperations(name));
});
