import assert from 'node:assert/strict';
import type { EventPatch, NewEvent, ProviderCapabilities, ProviderEvent } from 'kalends/ports';
import { shownEvent, shownEvents } from './held-events.ts';
import { days } from './times.ts';
import {
  eventOf,
  MEETING,
  newRequestId,
  onStage,
  type ProviderConformanceOptions,
  refusal,
  SERIES,
  targetOf,
} from './world.ts';

/** Of one event, by the interface's own rule: the engine refuses more. */
const MOST_ATTENDEES = 200;

/** create, update and delete: once, under a tag, or not at all. */
export function writeConformance(options: ProviderConformanceOptions): void {
  creation(options);
  preconditions(options);
  deletion(options);
  refusals(options);
}

function creation(options: ProviderConformanceOptions): void {
  onStage(options, 'create: a repetition with the same requestId finds the first result', async (stage) => {
    const { provider, session, calendar } = stage;
    for (const input of [MEETING, SERIES]) {
      const requestId = newRequestId();
      const first = eventOf(await provider.events.create(session, calendar, input, { requestId }));
      await stage.settle();
      const again = await provider.events.create(session, calendar, { ...input, title: 'Again' }, { requestId });
      assert.deepEqual(shownEvent(eventOf(again)), shownEvent(first));
    }
    assert.equal((await stage.pull()).size, 2);
  });

  onStage(options, 'create: repetitions at the same time make one event', async (stage) => {
    const { provider, session, calendar } = stage;
    const requestId = newRequestId();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => provider.events.create(session, calendar, MEETING, { requestId })),
    );
    await stage.settle();
    assert.deepEqual([...(await stage.pull()).keys()], [eventOf(answers[0] ?? []).providerEventId]);
    assert.equal(new Set(answers.map((changes) => eventOf(changes).providerEventId)).size, 1);
  });

  onStage(options, 'create: a UID is kept where it can be, and found again', async (stage) => {
    const { provider, session, calendar } = stage;
    const kept = provider.capabilities(calendar).keepsUidOf.includes('default');
    for (const input of [MEETING, SERIES]) {
      const requestId = newRequestId();
      const iCalUid = `${requestId}, kept@example.com`;
      const found = async () => {
        const changes = await provider.events.findCreated(session, calendar, requestId, kept ? iCalUid : undefined);
        return changes.filter(({ kind }) => kind !== 'deleted');
      };
      assert.deepEqual(await found(), []);
      for (let times = 0; times < 2; times += 1) {
        const key = { requestId, ...(kept ? { iCalUid } : {}), notifyAttendees: undefined };
        const created = eventOf(await provider.events.create(session, calendar, input, key));
        assert.equal(created.content?.iCalUid === iCalUid, kept);
        await stage.settle();
        assert.deepEqual(shownEvent(eventOf(await found())), shownEvent(await stage.read(created)));
      }
    }
    assert.equal((await stage.pull()).size, 2);
  });

  onStage(options, 'create: the requestId of a deleted event makes another, or is told as spent', async (stage) => {
    const { provider, session, calendar } = stage;
    for (const input of [MEETING, SERIES]) {
      const requestId = newRequestId();
      const event = eventOf(await provider.events.create(session, calendar, input, { requestId }));
      await stage.settle();
      await provider.events.delete(session, calendar, targetOf(event), {});
      await stage.settle();
      const found = await provider.events.findCreated(session, calendar, requestId);
      const again = await provider.events.create(session, calendar, input, { requestId });
      await stage.settle();
      if (found.length === 0) await provider.events.delete(session, calendar, targetOf(eventOf(again)), {});
      else {
        const { providerEventId } = event;
        assert.deepEqual(found, [{ kind: 'deleted', providerEventId }], 'the event is told as deleted');
        assert.equal((await stage.pull()).size, 0, 'a spent requestId makes nothing');
      }
    }
  });

  onStage(options, 'create: other requestIds make other events', async (stage) => {
    const [one, other] = [await stage.create({}), await stage.create({})];
    assert.notEqual(one.providerEventId, other.providerEventId);
    assert.notEqual(one.content?.iCalUid, other.content?.iCalUid);
    assert.equal((await stage.pull()).size, 2);
  });
}

function preconditions(options: ProviderConformanceOptions): void {
  onStage(options, 'update and delete: under a stale tag nothing happens', async (stage) => {
    const { provider, session, calendar } = stage;
    for (const input of [MEETING, SERIES]) {
      const before = await stage.create(input);
      assert.ok(before.providerTag !== null, 'an event has a tag');
      const now = await stage.update(before, { title: 'Theirs' });
      assert.notEqual(now.providerTag, before.providerTag);
      const stale = { ifMatch: before.providerTag };
      const target = targetOf(before);
      await refusal(provider.events.update(session, calendar, target, { title: 'Mine' }, stale), [
        'precondition-failed',
      ]);
      await refusal(provider.events.delete(session, calendar, target, stale), ['precondition-failed']);
      assert.deepEqual(shownEvent(await stage.read(before)), shownEvent(now));
    }
  });

  onStage(options, 'update and delete: under the present tag they happen', async (stage) => {
    const { provider, session, calendar } = stage;
    const before = await stage.read(await stage.create({}));
    const patch = { title: 'Mine' };
    const ifMatch = providerTagOf(before);
    const after = eventOf(await provider.events.update(session, calendar, targetOf(before), patch, { ifMatch }));
    assert.equal(after.content?.title, 'Mine');
    await stage.settle();
    const now = await stage.read(after);
    await provider.events.delete(session, calendar, targetOf(now), { ifMatch: providerTagOf(now) });
    await stage.settle();
    assert.equal((await stage.pull()).size, 0);
  });
}

function providerTagOf({ providerTag }: ProviderEvent): string {
  assert.ok(providerTag !== null, 'an event has a tag');
  return providerTag;
}

function deletion(options: ProviderConformanceOptions): void {
  onStage(options, 'delete: what is gone is gone for get and pull, and may be deleted again', async (stage) => {
    const { provider, session, calendar } = stage;
    for (const input of [MEETING, SERIES]) {
      const event = await stage.create(input);
      for (let times = 0; times < 2; times += 1) {
        const changes = await provider.events.delete(session, calendar, targetOf(event), {});
        for (const change of changes) assert.equal(change.kind, 'deleted');
        await stage.settle();
        const { providerEventId } = event;
        for (const isSeries of [false, true]) {
          const found = await provider.events.get(session, calendar, providerEventId, { isSeries });
          const mayStay = found.some((change) => change.kind === 'deleted' && change.exceptionsMayStay === true);
          assert.deepEqual(found, [{ kind: 'deleted', providerEventId, ...(mayStay && { exceptionsMayStay: true }) }]);
        }
        assert.equal((await stage.pull()).size, 0);
      }
    }
  });

  onStage(options, 'update: isCancelled deletes', async (stage) => {
    const { provider, session, calendar } = stage;
    for (const input of [MEETING, SERIES]) {
      const event = await stage.create(input);
      await provider.events.update(session, calendar, targetOf(event), { isCancelled: true }, {});
      await stage.settle();
      assert.equal((await stage.pull()).size, 0);
    }
  });

  onStage(options, 'get: in a calendar that never was nothing is found', async (stage) => {
    const { provider, session, calendar } = stage;
    const { providerEventId } = await stage.create({});
    const nowhere = { ...calendar, id: `${calendar.id}x`, isPrimary: false };
    await refusal(provider.events.get(session, nowhere, providerEventId), ['not-found']);
  });
}

function refusals(options: ProviderConformanceOptions): void {
  onStage(options, 'create: what cannot be held is refused, naming the field, and nothing is made', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    for (const [field, patch] of beyond(capabilities)) {
      const input: NewEvent = { ...MEETING, ...patch };
      const call = provider.events.create(session, calendar, input, { requestId: newRequestId() });
      await refusal(call, ['unsupported', 'invalid'], field, patch);
    }
    assert.equal((await stage.pull()).size, 0);
  });

  onStage(options, 'create: a type of event without days, guests or free time is refused them', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    const { start, end } = days('2026-03-02', '2026-03-03');
    for (const eventType of capabilities.bareEventTypes.filter((type) => capabilities.eventTypes.includes(type))) {
      for (const [field, patch] of [
        ['isAllDay', { isAllDay: true, start, end }],
        ['attendees', { attendees: [{ email: 'somebody@example.com' }] }],
        ['transparency', { transparency: 'transparent' }],
      ] as const) {
        const input: NewEvent = { ...MEETING, eventType, ...patch };
        const call = provider.events.create(session, calendar, input, { requestId: newRequestId() });
        await refusal(call, ['unsupported'], field, patch);
      }
    }
    assert.equal((await stage.pull()).size, 0);
  });

  onStage(options, 'update: what cannot be held is refused, naming the field, and nothing changes', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    const event = await stage.create(MEETING);
    const before = shownEvents(await stage.pull());
    const types = capabilities.eventTypes.filter((eventType) => eventType !== 'default');
    const retypings = capabilities.changesEventType
      ? []
      : types.map((eventType) => ['eventType', { eventType }] as const);
    for (const [field, patch] of [...beyond(capabilities), ...retypings]) {
      const call = provider.events.update(session, calendar, targetOf(event), { title: 'Half', ...patch }, {});
      await refusal(call, ['unsupported', 'invalid'], field, patch);
    }
    assert.deepEqual(shownEvents(await stage.pull()), before);
  });
}

/** Patches just beyond the capabilities, by the field that the error names. */
function beyond(capabilities: ProviderCapabilities): readonly (readonly [string, EventPatch])[] {
  const { attendees, colorIds, eventTypes, meetings, recurrence, reminders, descriptionLength } = capabilities;
  const cases: (readonly [string, EventPatch])[] = [
    ['generateMeetingUrlProvider', { generateMeetingUrlProvider: 'nobodyMeetsHere' }],
    ['conferenceData', { conferenceData: { conferenceId: 'without a link' } }],
    ['description', { description: 'x'.repeat(descriptionLength + 1) }],
  ];
  if (attendees.max < MOST_ATTENDEES) {
    const crowd = Array.from({ length: attendees.max + 1 }, (_, index) => ({ email: `guest${index}@example.com` }));
    cases.push(['attendees', { attendees: crowd }]);
  }
  if (!attendees.answersWritable) {
    cases.push(['attendees', { attendees: [{ email: 'somebody@example.com', responseStatus: 'accepted' }] }]);
  }
  if (colorIds !== 'any') cases.push(['colorId', { colorId: 'no colour' }]);
  for (const eventType of ['outOfOffice', 'focusTime'] as const) {
    if (!eventTypes.includes(eventType)) cases.push(['eventType', { eventType }]);
  }
  if (!meetings.givenByHand) {
    const conferenceData = { conferenceType: 'addOn', joinUrl: 'https://video.example/1' };
    cases.push(['conferenceData', { conferenceData }]);
  }
  if (recurrence.rules === 'patterned') {
    for (const rule of [
      'FREQ=MONTHLY;BYMONTHDAY=2,16',
      'FREQ=YEARLY;BYMONTH=3,5;BYMONTHDAY=2',
      'FREQ=YEARLY;BYYEARDAY=61',
    ]) {
      cases.push(['recurrence', { recurrence: [`RRULE:${rule}`] }]);
    }
  }
  if (recurrence.maxCount !== null) {
    cases.push(['recurrence', { recurrence: [`RRULE:FREQ=DAILY;COUNT=${recurrence.maxCount + 1}`] }]);
  }
  if (recurrence.maxInterval !== null) {
    cases.push(['recurrence', { recurrence: [`RRULE:FREQ=WEEKLY;INTERVAL=${recurrence.maxInterval + 1}`] }]);
  }
  if (!recurrence.rdate) cases.push(['recurrence', { recurrence: ['RDATE:20260304T090000Z'] }]);
  for (const method of ['email', 'popup'] as const) {
    const patch = { reminders: { useDefault: false, isReminderOn: true, overrides: [{ method, minutes: 10 }] } };
    if (!reminders.methods.includes(method)) cases.push(['reminders', patch]);
  }
  const [method = 'popup'] = reminders.methods;
  const overrides = Array.from({ length: reminders.maxOverrides + 1 }, (_, index) => ({ method, minutes: index }));
  cases.push(['reminders', { reminders: { useDefault: false, isReminderOn: true, overrides } }]);
  return cases;
}
