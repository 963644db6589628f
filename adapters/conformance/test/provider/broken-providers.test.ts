import {
  type CalendarRef,
  type EventChange,
  type EventPatch,
  type Provider,
  type ProviderCapabilities,
  ProviderError,
  type ProviderEvent,
} from 'kalends/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADA, type Harness, startHarness } from '../../../google/test/harness.ts';
import { playCases } from '../../src/parity/play-cases.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ limits: { callsPerInterval: Number.POSITIVE_INFINITY } });
});
afterAll(() => harness.close());

/** Plays the cases of these beginnings with a provider, and returns the messages of those that fail. */
async function failuresOf(provider: Provider, ...beginnings: readonly string[]): Promise<readonly string[]> {
  const failures: string[] = [];
  const session = harness.sessionOf(ADA);
  const createWorld = async () => {
    const calendar = await harness.provider.calendars.create(session, { name: 'Beside' });
    return { provider, session, calendar, close: () => harness.provider.calendars.delete(session, calendar.id) };
  };
  const wants = (name: string) => beginnings.some((beginning) => name.startsWith(beginning));
  await playCases(createWorld, wants, ({ name, error }) => {
    if (error !== undefined) failures.push(`${name}: ${(error as Error).message}`);
  });
  return failures;
}

const within = (events: Partial<Provider['events']>): Provider => ({
  ...harness.provider,
  events: { ...harness.provider.events, ...events },
});
const withCalendars = (calendars: Partial<Provider['calendars']>): Provider => ({
  ...harness.provider,
  calendars: { ...harness.provider.calendars, ...calendars },
});

async function* mapped<Page>(pages: AsyncIterable<Page>, map: (page: Page) => Page): AsyncIterable<Page> {
  for await (const page of pages) yield map(page);
}

/** Changes each event of an answer. */
function changed(
  changes: readonly EventChange[],
  change: (event: ProviderEvent) => ProviderEvent,
): readonly EventChange[] {
  return changes.map((each) => {
    if (each.kind === 'event') return { ...each, event: change(each.event) };
    if (each.kind === 'series')
      return { ...each, master: change(each.master), exceptions: each.exceptions.map(change) };
    return each;
  });
}

/** A provider whose answers show each event otherwise. */
function showing(change: (event: ProviderEvent) => ProviderEvent): Provider {
  const { pull, get, create, update } = harness.provider.events;
  return within({
    pull: (...given) => mapped(pull(...given), (page) => ({ ...page, changes: changed(page.changes, change) })),
    get: async (...given) => changed(await get(...given), change),
    create: async (...given) => changed(await create(...given), change),
    update: async (...given) => changed(await update(...given), change),
  });
}

const cut = ({ content, ...event }: ProviderEvent): ProviderEvent => ({
  ...event,
  content: content && { ...content, description: content.description.slice(0, 5_000) },
});

const untitled = ({ content, ...event }: ProviderEvent): ProviderEvent => ({
  ...event,
  content: content && event.seriesId !== null ? { ...content, title: '' } : content,
});

/** Breaks of the contract, each with the case that tells of it. */
const BREAKS: Readonly<Record<string, readonly [begins: string, broken: () => Provider, message: RegExp]>> = {
  'a description is cut': ['fields: a description of', () => showing(cut), /description shows/],
  'an exception lacks the title of its series': ['occurrences: a changed one shows', () => showing(untitled), /title/],
  'pages name another zone': [
    'pull: of an empty calendar',
    () => {
      const { pull } = harness.provider.events;
      const elsewhere = { calendarTimeZone: 'Asia/Tokyo' };
      return within({ pull: (...given) => mapped(pull(...given), (page) => ({ ...page, ...elsewhere })) });
    },
    /zone/,
  ],
  'every calendar exists': [
    'calendars: one that is listed exists',
    () => withCalendars({ exists: async () => true }),
    /no other calendar exists/,
  ],
  'a deleted calendar exists': [
    'calendars: a new one',
    () => withCalendars({ exists: async () => true }),
    /a deleted calendar exists no more/,
  ],
  'a full list of calendars is not called full': [
    'calendars: one that is listed exists',
    () => {
      const { pull } = harness.provider.calendars;
      return withCalendars({ pull: (...given) => mapped(pull(...given), (page) => ({ ...page, full: false })) });
    },
    /full/,
  ],
  'changes of calendars are called full': [
    'calendars: changes since a pull',
    () => {
      const { pull } = harness.provider.calendars;
      return withCalendars({ pull: (...given) => mapped(pull(...given), (page) => ({ ...page, full: true })) });
    },
    /deep-equal/,
  ],
  'a spent requestId is not told': [
    'create: the requestId of a deleted event',
    () => {
      const { findCreated } = harness.provider.events;
      return within({
        findCreated: async (...given) => (await findCreated(...given)).filter(({ kind }) => kind !== 'deleted'),
      });
    },
    /one event was expected/,
  ],
  'changes of events are called full': [
    'pull: what came, changed and went',
    () => {
      const { pull } = harness.provider.events;
      return within({ pull: (...given) => mapped(pull(...given), (page) => ({ ...page, full: true })) });
    },
    /deep-equal/,
  ],
};

test.each(Object.entries(BREAKS))('%s: the kit tells of it', async (_name, [begins, broken, message]) => {
  expect(await failuresOf(broken(), begins)).toEqual([expect.stringMatching(message)]);
  expect(await failuresOf(harness.provider, begins)).toEqual([]);
});

/** A provider whose events have no attendees: it refuses them. */
function alone(): Provider {
  const { create, update } = harness.provider.events;
  const refuse = ({ attendees }: EventPatch) => {
    if (attendees == null || attendees.length === 0) return;
    throw new ProviderError('unsupported', 'Events have no attendees.', { field: 'attendees' });
  };
  return {
    ...within({
      async create(session, calendar, input, options) {
        refuse(input);
        return await create(session, calendar, input, options);
      },
      async update(session, calendar, target, patch, options) {
        refuse(patch);
        return await update(session, calendar, target, patch, options);
      },
    }),
    capabilities: withoutAttendees,
  };
}

function withoutAttendees(calendar: CalendarRef): ProviderCapabilities {
  const capabilities = harness.provider.capabilities(calendar);
  return { ...capabilities, attendees: { ...capabilities.attendees, max: 0 } };
}

test('a provider without attendees passes every case, and one that takes them does not', async () => {
  expect(await failuresOf(alone(), '')).toEqual([]);
  const taking = { ...harness.provider, capabilities: withoutAttendees };
  const failures = [expect.stringContaining('attendees'), expect.stringContaining('attendees')];
  expect(await failuresOf(taking, 'create: what cannot be held', 'update: what cannot be held')).toEqual(failures);
});
