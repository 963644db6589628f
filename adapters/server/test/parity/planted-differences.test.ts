import {
  compareTranscripts,
  type Difference,
  describeDifferences,
  playAccount,
  type Transcript,
} from '@kalends/conformance';
import type { Fetch } from 'kalends/ports';
import { beforeAll, describe, expect, test } from 'vitest';
import { PROVIDER_NAMES, type ProviderName } from '../../src/parity/provider-at.ts';
import { runParity } from '../../src/parity/run-parity.ts';
import { sandboxAccount } from '../../src/parity/sandbox-account.ts';
import { recordSandbox, START_AT } from './record-transcripts.ts';

const CHANGES = 'pull: several changes at once add up too, and a resume point may be used again';
const DELETION = 'delete: what is gone is gone for get and pull, and may be deleted again';

type Body = Record<string, unknown>;

interface Answer {
  status: number;
  headers: Headers;
  body: Body | undefined;
}

/** Changes the answers of the live service's stand-in. */
type Plant = (answer: Answer, request: Request) => void;

/** Plays a case against a second sandbox in the place of the live service, with a difference planted in its answers. */
function playLive(name: ProviderName, played: string, plant: Plant): Promise<Transcript> {
  const { fetch, ...rest } = sandboxAccount(name, START_AT);
  const planted: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const text = await response.text();
    const body = text === '' ? undefined : (JSON.parse(text) as Body);
    const answer: Answer = { status: response.status, headers: new Headers(response.headers), body };
    plant(answer, request);
    const { status, headers } = answer;
    return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), { status, headers });
  };
  return playAccount({ ...rest, fetch: planted, wants: (one) => one === played });
}

const isEvent = (body: Body | undefined): body is Body =>
  body?.['iCalUID'] !== undefined || body?.['iCalUId'] !== undefined;
const listOf = (body: Body | undefined) =>
  [body?.['items'], body?.['value']].find(Array.isArray) as unknown[] | undefined;

/** Plants a change in the answers to `POST` of an event. */
const inCreated =
  (change: (body: Body) => void): Plant =>
  ({ body }, { method }) => {
    if (method === 'POST' && isEvent(body)) change(body);
  };

/** Changes the first list of at least two events that is read. */
function inFirstList(change: (list: unknown[]) => void): Plant {
  let isDone = false;
  return ({ body }, { method }) => {
    const list = listOf(body);
    if (
      isDone ||
      method !== 'GET' ||
      list === undefined ||
      list.length < 2 ||
      !list.every((one) => isEvent(one as Body))
    )
      return;
    isDone = true;
    change(list);
  };
}

interface Case {
  readonly title: string;
  /** @default the one with several changes */
  readonly played?: string;
  readonly plant: (name: ProviderName) => Plant;
  /** Every difference that the plant makes or, of a plant with consequences, one of them. */
  readonly found: (name: ProviderName) => Partial<Difference>;
  /** The adapter takes the changed answer for another one, and does something else. */
  readonly hasConsequences?: true;
  readonly line: RegExp;
}

const organizerOf = (name: ProviderName) => (name === 'google' ? 'email' : 'emailAddress');

const PLANTED: readonly Case[] = [
  {
    title: 'another status',
    plant:
      () =>
      (answer, { method }) => {
        if (method === 'PATCH' && answer.status === 200) answer.status = 202;
      },
    found: () => ({ kind: 'status', place: '', live: '202', sandbox: '200' }),
    line: /^ {2}the live service answers 202, the sandbox 200 /,
  },
  {
    title: 'a missing key',
    plant: () =>
      inCreated((body) => {
        delete body['htmlLink'];
        delete body['webLink'];
      }),
    found: (name) => ({
      kind: 'key',
      place: name === 'google' ? 'htmlLink' : 'webLink',
      live: 'absent',
      sandbox: 'present',
    }),
    line: /^ {2}20[01]: (html|web)Link is absent at the live service and present at the sandbox /,
  },
  {
    title: 'a further key, deep in an answer',
    plant: () =>
      inCreated((body) => {
        Object.assign(body['organizer'] as Body, { unheardOf: 1 });
      }),
    found: () => ({ kind: 'key', place: 'organizer.unheardOf', live: 'present', sandbox: 'absent' }),
    line: /^ {2}20[01]: organizer\.unheardOf is present at the live service and absent at the sandbox /,
  },
  {
    title: 'another type',
    plant: (name) =>
      inCreated((body) => {
        Object.assign(body['organizer'] as Body, { [organizerOf(name)]: null });
      }),
    found: (name) => ({
      kind: 'type',
      place: `organizer.${organizerOf(name)}`,
      live: 'null',
      sandbox: name === 'google' ? 'string' : 'object',
    }),
    hasConsequences: true,
    line: /^ {2}20[01]: organizer\.email(Address)? is null at the live service and (string|object) at the sandbox /,
  },
  {
    title: 'a failure without a body',
    played: DELETION,
    plant: () => (answer) => {
      if (answer.status >= 400) answer.body = undefined;
    },
    found: () => ({ kind: 'type', place: '', live: 'null', sandbox: 'object' }),
    hasConsequences: true,
    line: /^ {2}4\d\d: the body is null at the live service and object at the sandbox /,
  },
  {
    title: 'a swapped order',
    plant: () => inFirstList((list) => list.reverse()),
    found: (name) => ({ kind: 'order', place: name === 'google' ? 'items' : 'value' }),
    line: /^ {2}200: (items|value) come in another order: 1 2.* of the live service are .*2 1 at the sandbox /,
  },
  {
    title: 'a missing item of a list',
    plant: () => inFirstList((list) => list.pop()),
    found: (name) => ({ kind: 'items', place: name === 'google' ? 'items' : 'value' }),
    hasConsequences: true,
    line: /^ {2}200: (items|value) has \d+ items? at the live service and \d+ items? at the sandbox /,
  },
  {
    title: 'a further item of an array',
    plant: (name) =>
      inCreated((body) => {
        const list = body[name === 'google' ? 'recurrence' : 'categories'] as unknown[] | undefined;
        list?.push(name === 'google' ? 'EXDATE:20260303T090000Z' : 'Blue category');
      }),
    found: (name) => ({ kind: 'items', place: name === 'google' ? 'recurrence' : 'categories' }),
    hasConsequences: true,
    line: /^ {2}20[01]: (recurrence has 2 items|categories has 1 item) at the live service and (1 item|0 items) at the sandbox /,
  },
  {
    title: 'another media type',
    plant:
      () =>
      ({ headers }, { method }) => {
        if (method === 'POST') headers.set('content-type', 'text/html');
      },
    found: () => ({ kind: 'header', place: 'content-type', live: '~contenttype.1~', sandbox: 'application/json' }),
    line: /^ {2}20[01]: header content-type is ~contenttype\.1~ at the live service and application\/json at the sandbox /,
  },
  {
    title: 'a further header',
    plant:
      () =>
      ({ headers, status }, { method }) => {
        if (method === 'POST' && status < 300) headers.set('etag', '"planted"');
      },
    found: () => ({ kind: 'header', place: 'etag', live: 'present', sandbox: 'absent' }),
    line: /^ {2}20[01]: header etag is present at the live service and absent at the sandbox /,
  },
  {
    title: 'a further call',
    plant: () => {
      let isDone = false;
      return (answer, { method, url }) => {
        if (isDone || method !== 'GET' || !url.includes('/events')) return;
        isDone = true;
        Object.assign(answer, { status: 401, body: { error: { code: 401, message: 'expired' } } });
      };
    },
    found: () => ({ kind: 'calls', place: '', live: 'called once', sandbox: 'called 0 times' }),
    hasConsequences: true,
    line: /^ {2}called once at the live service, called 0 times at the sandbox /,
  },
  {
    title: 'a failing case',
    plant:
      () =>
      (answer, { method }) => {
        if (method === 'PATCH')
          Object.assign(answer, { status: 400, body: { error: { code: 400, message: 'wrong' } } });
      },
    found: () => ({ kind: 'result', place: '', sandbox: 'passes' }),
    hasConsequences: true,
    line: /^ {2}the case fails \(provider error invalid.* at the live service and passes at the sandbox /,
  },
];

/** Every kind: a new one does not compile without a place here. */
const KINDS: Readonly<Record<Difference['kind'], true>> = {
  result: true,
  calls: true,
  status: true,
  header: true,
  key: true,
  type: true,
  items: true,
  order: true,
};

describe.each(PROVIDER_NAMES)('%s', (name) => {
  let sandbox: Transcript;
  beforeAll(async () => {
    sandbox = await recordSandbox(name, (one) => one === CHANGES || one === DELETION);
  });

  test('every kind of difference is planted', () => {
    expect(new Set(PLANTED.map(({ found }) => found(name).kind))).toEqual(new Set(Object.keys(KINDS)));
  });

  test('two sandboxes do not differ, at another time either', async () => {
    const errors: unknown[] = [];
    const { transcript, differences } = await runParity(
      name,
      sandboxAccount(name, START_AT + 3_600_000),
      (one) => one === CHANGES || one === DELETION,
      ({ error }) => errors.push(error),
    );
    expect(errors).toEqual([undefined, undefined]);
    expect(transcript.cases.flatMap(({ exchanges }) => exchanges).length).toBeGreaterThan(20);
    expect(differences).toEqual([]);
    expect(compareTranscripts(transcript, sandbox)).toEqual([]);
  });

  test.each(PLANTED)('$title is found', async ({ played = CHANGES, plant, found, hasConsequences, line }) => {
    const live = await playLive(name, played, plant(name));
    const differences = compareTranscripts(live, sandbox);
    expect(differences).toContainEqual(expect.objectContaining(found(name)));
    if (hasConsequences === undefined) {
      for (const difference of differences) expect(difference).toMatchObject(found(name));
    }
    expect(describeDifferences(differences)).toContainEqual(expect.stringMatching(line));
  });
});
