import { describeDifferences, type ParityAccount } from '@kalends/conformance';
import type { Fetch } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import { runParity } from '../../src/parity/run-parity.ts';
import { sandboxAccount } from '../../src/parity/sandbox-account.ts';

const PROVIDERS = ['google', 'microsoft'] as const;
const CASES = [
  'pull: several changes at once add up too, and a resume point may be used again',
  'delete: what is gone',
];
const wants = (name: string) => CASES.some((one) => name.startsWith(one));

type Body = Record<string, unknown>;
type Plant = (answer: { status: number; body: Body | undefined }, request: Request) => void;

/** A second sandbox in the place of the live service, with changed answers. */
function account(name: (typeof PROVIDERS)[number], plant: Plant): ParityAccount {
  const { fetch, ...rest } = sandboxAccount(name);
  const planted: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const text = await response.text();
    const answer = { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as Body) };
    plant(answer, request);
    const body = answer.body === undefined ? null : JSON.stringify(answer.body);
    return new Response(body, { status: answer.status, headers: response.headers });
  };
  return { ...rest, fetch: planted };
}

async function linesOf(name: (typeof PROVIDERS)[number], plant: Plant): Promise<readonly string[]> {
  const { differences } = await runParity(name, account(name, plant), wants, () => undefined);
  return describeDifferences(differences);
}

const isEvent = ({ body }: { body: Body | undefined }) =>
  body?.['iCalUID'] !== undefined || body?.['iCalUId'] !== undefined;
const listOf = (body: Body | undefined) =>
  [body?.['items'], body?.['value']].find(Array.isArray) as unknown[] | undefined;

describe.each(PROVIDERS)('%s', (name) => {
  test('two sandboxes do not differ', async () => {
    const results: unknown[] = [];
    const { transcript, differences } = await runParity(
      name,
      account(name, () => undefined),
      wants,
      ({ error }) => {
        results.push(error);
      },
    );
    expect(results).toEqual([undefined, undefined]);
    expect(transcript.cases.flatMap(({ exchanges }) => exchanges).length).toBeGreaterThan(20);
    expect(differences).toEqual([]);
  });

  test('a changed status is found', async () => {
    const lines = await linesOf(name, (answer, { method }) => {
      if (method === 'PATCH' && answer.status === 200) answer.status = 202;
    });
    expect(lines.join('\n')).toMatch(/PATCH .*events\/\{id\}\n {2}the live service answers 202, the sandbox 200/);
  });

  test('a missing key and a further one are found', async () => {
    const lines = await linesOf(name, (answer, { method }) => {
      if (method !== 'POST' || !isEvent(answer) || answer.body === undefined) return;
      delete answer.body[name === 'google' ? 'htmlLink' : 'webLink'];
      answer.body['unheardOf'] = 1;
    });
    expect(lines.join('\n')).toMatch(/Link is absent at the live service and present at the sandbox/);
    expect(lines.join('\n')).toMatch(/unheardOf is present at the live service and absent at the sandbox/);
  });

  test('another type is found, deep in an answer', async () => {
    const lines = await linesOf(name, (answer, { method }) => {
      if (method !== 'POST' || !isEvent(answer) || answer.body === undefined) return;
      const organizer = answer.body['organizer'] as Body;
      organizer['planted'] = null;
      Object.assign(organizer, { planted: undefined, email: undefined, emailAddress: undefined });
      answer.body['organizer'] = { ...organizer, ...(name === 'google' ? { email: null } : { emailAddress: ['a'] }) };
    });
    expect(lines.join('\n')).toMatch(
      /organizer\.email(Address)? is (null|array) at the live service and (string|object)/,
    );
  });

  test('a swapped order is found', async () => {
    const lines = await linesOf(name, ({ body }, { method }) => {
      if (method === 'GET') listOf(body)?.reverse();
    });
    expect(lines.join('\n')).toMatch(/(items|value) come in another order/);
  });
});
