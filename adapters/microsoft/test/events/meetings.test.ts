import fc from 'fast-check';
import type { CalendarRef, EventPatch, EventTarget, NewEvent, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { ADA, BEN, collect, createHarness, type Harness, nextRequestId, onlyEvent, onlySeries } from '../harness.ts';

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

const ZONE = 'America/New_York';
const input: NewEvent = {
  title: 'Meeting',
  start: { dateTime: '2026-02-02T09:00:00-05:00', timeZone: ZONE },
  end: { dateTime: '2026-02-02T10:00:00-05:00', timeZone: ZONE },
  generateMeetingUrlProvider: 'teamsForBusiness',
};
const create = async (more: Partial<NewEvent> = {}, at = calendar) =>
  harness.provider.events.create(session, at, { ...input, ...more }, { requestId: nextRequestId() });
const whole = (current: ProviderEvent): EventTarget => ({
  kind: 'event',
  providerEventId: current.providerEventId,
  current,
});
const update = (target: EventTarget, patch: EventPatch) =>
  harness.provider.events.update(session, calendar, target, patch, {});

test('a link that is there a moment later is waited for', async () => {
  harness.control('setMeetingDelay', { ms: 700 });
  const event = onlyEvent(await create({ description: 'About\n\nit' }));
  expect(event.content).toMatchObject({
    description: 'About\n\nit',
    generateMeetingUrlProvider: 'teamsForBusiness',
    conferenceData: { joinUrl: expect.stringMatching(/^https:/) },
  });
  expect(event.content?.conferenceData?.conferenceDetails).not.toHaveProperty('createRequest');
  expect(harness.waits).toEqual([250, 500]);
  const plain = onlyEvent(await create({ generateMeetingUrlProvider: null }));
  const met = onlyEvent(await update(whole(plain), { generateMeetingUrlProvider: 'teamsForBusiness' }));
  expect(met.content?.conferenceData?.joinUrl).toMatch(/^https:/);
});

test('an event that becomes a meeting keeps the markup of its body', async () => {
  const made = onlyEvent(await create({ generateMeetingUrlProvider: null }));
  const html = '<p>See <a href="https://example.com/notes">the notes</a></p>';
  await harness.graph(ADA, 'PATCH', `me/events/${made.providerEventId}`, {
    body: { contentType: 'html', content: html },
  });
  const met = onlyEvent(await update(whole(made), { title: 'Online', generateMeetingUrlProvider: 'teamsForBusiness' }));
  expect(met.content).toMatchObject({
    description: expect.stringContaining('See the notes<https://example.com/notes>'),
    conferenceData: { joinUrl: expect.stringMatching(/^https:/) },
  });
  const id = met.providerEventId;
  const body = await harness.provider.events.getDescription?.(session, calendar, id, 'html');
  expect(body).toContain(html);
});

test('one that takes longer is pending, and comes with a later pull', async () => {
  harness.control('setMeetingDelay', { ms: 3_600_000 });
  const { token } = await collect(harness.provider.events.pull(session, calendar, null));
  const event = onlyEvent(await create({ description: 'About it' }));
  const { conferenceData } = event.content ?? {};
  expect(conferenceData).toEqual({
    conferenceType: 'teamsForBusiness',
    conferenceDetails: {
      createRequest: {
        requestId: event.providerEventId,
        conferenceSolutionKey: { type: 'teamsForBusiness' },
        status: { statusCode: 'pending' },
      },
      entryPoints: [],
      conferenceSolution: { key: { type: 'teamsForBusiness' }, name: 'Microsoft Teams', iconUri: '' },
    },
  });
  // Sent back as read it is no second wish; and a description may be changed meanwhile.
  await update(whole(event), { conferenceData: structuredClone(conferenceData) ?? null });
  await update(whole(event), { description: 'Another' });
  harness.sandbox.clock.advance(3_600_000);
  const { changes } = await collect(harness.provider.events.pull(session, calendar, token));
  expect(onlyEvent(changes).content).toMatchObject({
    description: 'Another',
    conferenceData: { joinUrl: expect.stringMatching(/^https:/) },
  });
});

test('a look that fails does not fail the write', async () => {
  harness.control('setMeetingDelay', { ms: 3_600_000 });
  harness.sandbox.faults.arm({
    provider: 'microsoft',
    method: 'GET',
    path: '/v1.0/me/calendars/[^/]+/events/[^/]+',
    kind: 'answer',
    status: 403,
    body: '{"error":{"code":"ErrorAccessDenied"}}',
    skip: 1,
    times: 1,
  });
  expect(onlyEvent(await create()).content?.generateMeetingUrlProvider).toBe('teamsForBusiness');
});

test('each provider that a calendar allows makes its meeting; another one is refused, naming those', async () => {
  const providers = ['skypeForBusiness', 'skypeForConsumer', 'teamsForBusiness'];
  for (const name of providers) {
    harness.control('setOnlineMeetingProviders', { email: ADA, providers: [name] });
    const allowing = await harness.primary(ADA);
    const event = onlyEvent(await create({ generateMeetingUrlProvider: name }, allowing));
    expect(event.content?.conferenceData?.conferenceType).toBe(name);
    const asked = { conferenceDetails: { createRequest: { conferenceSolutionKey: { type: name } } } };
    const other = onlyEvent(await create({ generateMeetingUrlProvider: null, conferenceData: asked }, allowing));
    expect(other.content?.generateMeetingUrlProvider).toBe(name);
    for (const wrong of [...providers, 'hangoutsMeet', ''].filter((each) => each !== name)) {
      await expect(create({ generateMeetingUrlProvider: wrong }, allowing)).rejects.toMatchObject({
        reason: 'unsupported',
        field: 'generateMeetingUrlProvider',
        message: `this calendar allows ${name}, not "${wrong}"`,
      });
    }
  }
  harness.control('setOnlineMeetingProviders', { email: ADA, providers: [] });
  await expect(create({}, await harness.primary(ADA))).rejects.toThrow('this calendar allows none');
});

test('conference data beside a provider must say the same', async () => {
  const event = onlyEvent(await create());
  const { conferenceData = {} } = event.content ?? {};
  const both = { generateMeetingUrlProvider: 'teamsForBusiness' };
  expect(onlyEvent(await update(whole(event), { ...both, conferenceData })).content?.conferenceData).toEqual(
    conferenceData,
  );
  for (const wrong of [null, { joinUrl: 'https://elsewhere.example' }, { conferenceDetails: {} }]) {
    await expect(update(whole(event), { ...both, conferenceData: wrong })).rejects.toMatchObject({
      reason: 'unsupported',
      field: 'conferenceData',
    });
  }
});

test('a guest sees the meeting, and no meeting of its own', async () => {
  harness.control('setMeetingDelay', { ms: 700 });
  const event = onlyEvent(await create({ attendees: [{ email: BEN }] }));
  const bens = await harness.session(BEN);
  const { changes } = await collect(harness.provider.events.pull(bens, await harness.primary(BEN), null));
  expect(onlyEvent(changes).content?.conferenceData?.joinUrl).toBe(event.content?.conferenceData?.joinUrl);
});

test('an occurrence of a series keeps its own description in the meeting when the rule changes', async () => {
  const { master } = onlySeries(await create({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'], description: 'All' }));
  const recurrenceId = { kind: 'instant', startMs: Date.UTC(2026, 1, 9, 14) } as const;
  const current = { ...master, providerEventId: '', seriesId: master.providerEventId, recurrenceId };
  const slot: EventTarget = { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current, master };
  await update(slot, { description: 'Only  this' });
  const after = onlySeries(await update(whole(master), { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=9'] }));
  expect(after.exceptions.map(({ content }) => [content?.description, content?.conferenceData?.joinUrl])).toEqual([
    ['Only  this', master.content?.conferenceData?.joinUrl],
  ]);
});

const word = fc.constantFrom(
  'a',
  'b  c',
  ' ',
  '\t',
  '\n',
  '\n\n\n',
  '<b>&amp;</b>',
  '_'.repeat(31),
  'ü',
  '\r\n',
  '\u00a0',
);
const description = fc.array(word, { maxLength: 6 }).map((words) => words.join(''));

test('any description comes back from a meeting as it was written, and its link stays', async () => {
  const event = onlyEvent(await create());
  const joinUrl = event.content?.conferenceData?.joinUrl;
  await fc.assert(
    fc.asyncProperty(description, description, async (first, second) => {
      const made = onlyEvent(await create({ description: first }));
      expect(made.content?.description).toBe(first);
      for (const text of [second, first]) {
        const after = onlyEvent(await update(whole(event), { description: text }));
        expect(after.content).toMatchObject({ description: text, conferenceData: { joinUrl } });
      }
    }),
    { numRuns: sizeOf('runs', { short: 20, long: 200 }) },
  );
});
