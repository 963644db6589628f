import { type CalendarChange, ProviderError } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import { ADA, exceptionsIn, failureOf, GRACE, primaryOf, single, slotOf, targetOf } from '../harness.ts';
import { calendar, DAY, meeting, NINE, writingStage } from './writing-stage.ts';

const stage = writingStage();
const { ada, create, createSeries, events } = stage;

describe('mail to guests', () => {
  test.each(['all', 'externalOnly', 'none'] as const)('sendUpdates %s goes with every write', async (sendUpdates) => {
    await stage.restart({ sendUpdates });
    const event = await create(meeting);
    await events().update(ada(), calendar, targetOf(event), { title: 'New' }, {});
    await events().delete(ada(), calendar, targetOf(event), {});
    const writes = stage.harness.sandbox.requests.list().filter(({ method }) => method !== 'GET');
    expect(writes.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'DELETE']);
    for (const { query } of writes) expect(new URLSearchParams(query).get('sendUpdates')).toBe(sendUpdates);
  });
});

describe('delete', () => {
  test('deletes an event, and again', async () => {
    const event = await create(meeting);
    const gone = [{ kind: 'deleted', providerEventId: event.providerEventId }];
    expect(await events().delete(ada(), calendar, targetOf(event), {})).toEqual(gone);
    expect(await events().delete(ada(), calendar, targetOf(event), {})).toEqual(gone);
  });

  test('cancelling a slot of a series that is gone resolves with that', async () => {
    const series = await createSeries();
    await events().delete(ada(), calendar, targetOf(series), {});
    expect(await events().delete(ada(), calendar, slotOf(series, NINE + DAY), {})).toEqual([
      { kind: 'deleted', providerEventId: series.providerEventId },
    ]);
  });
});

describe('respond', () => {
  test('answers the whole series, then one slot', async () => {
    const series = await createSeries({ attendees: [{ email: GRACE }, { email: 'other@example.com' }] });
    const grace = stage.harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), series.providerEventId));
    const accepted = single(await events().respond(grace, primaryOf(GRACE), targetOf(copy), 'accepted', {}));
    expect(accepted.content?.myResponseStatus).toBe('accepted');
    const slot = await events().respond(grace, primaryOf(GRACE), slotOf(accepted, NINE + DAY), 'declined', {});
    expect(single(slot).content?.myResponseStatus).toBe('accepted');
    expect(exceptionsIn(slot)).toMatchObject([{ content: { myResponseStatus: 'declined' } }]);
    const seen = single(await events().get(ada(), calendar, series.providerEventId));
    expect(seen.content?.attendees.map((guest) => guest.responseStatus)).toEqual(['accepted', 'needsAction']);
  });

  test('the organizer and strangers are refused', async () => {
    const event = await create({ ...meeting, attendees: [{ email: ADA }, { email: GRACE }] });
    const own = events().respond(ada(), calendar, targetOf(event), 'declined', {});
    expect(await failureOf(own)).toMatchObject({ reason: 'forbidden' });
    const { id } = await stage.harness.api(ADA, 'POST', '/calendars/primary/events', {
      summary: 'Alone',
      start: { date: '2026-03-02' },
      end: { date: '2026-03-03' },
    });
    const alone = single(await events().get(ada(), calendar, String(id)));
    const call = events().respond(ada(), calendar, targetOf(alone), 'declined', {});
    expect(ProviderError.isInstance(await failureOf(call))).toBe(true);
  });

  test.each([
    'writer',
    'owner',
  ] as const)("on another person's calendar the account does not answer in that person's name, as its %s", async (role) => {
    const rule = { role, scope: { type: 'user', value: ADA } };
    await stage.harness.api(GRACE, 'POST', '/calendars/primary/acl', rule);
    const shared: CalendarChange[] = [];
    for await (const { changes } of stage.harness.provider.calendars.pull(ada(), null)) shared.push(...changes);
    const listed = shared.find((change) => change.kind === 'calendar' && change.calendar.id === GRACE);
    if (listed?.kind !== 'calendar') throw new Error('not in the list');
    const theirs = { ...primaryOf(GRACE), isPrimary: false, isShared: listed.calendar.isShared };
    for (const others of [[], [{ email: ADA }]]) {
      const { id } = await stage.harness.api(GRACE, 'POST', '/calendars/primary/events/import', {
        iCalUID: `${others.length}@else.example`,
        summary: 'Theirs',
        organizer: { email: 'boss@else.example' },
        start: { dateTime: '2026-03-02T09:00:00Z' },
        end: { dateTime: '2026-03-02T10:00:00Z' },
        attendees: [{ email: GRACE, responseStatus: 'declined' }, ...others],
      });
      const seen = single(await events().get(ada(), theirs, String(id)));
      stage.harness.sandbox.requests.clear();
      for (const comment of [undefined, 'Yes']) {
        const call = events().respond(ada(), theirs, targetOf(seen), 'accepted', { comment });
        expect(await failureOf(call)).toMatchObject({ reason: 'forbidden' });
      }
      expect(stage.harness.sandbox.requests.list().every(({ method }) => method === 'GET')).toBe(true);
    }
  });

  test('an own secondary calendar answers for its own address', async () => {
    const made = await stage.harness.provider.calendars.create(ada(), { name: 'Team' });
    const team = { ...calendar, id: made.id, isPrimary: false, isShared: made.isShared };
    const { id } = await stage.harness.api(ADA, 'POST', `/calendars/${encodeURIComponent(made.id)}/events/import`, {
      iCalUID: 'team@else.example',
      summary: 'For the team',
      organizer: { email: 'boss@else.example' },
      start: { dateTime: '2026-03-02T09:00:00Z' },
      end: { dateTime: '2026-03-02T10:00:00Z' },
      attendees: [{ email: made.id, responseStatus: 'needsAction' }],
    });
    const seen = single(await events().get(ada(), team, String(id)));
    const answered = single(await events().respond(ada(), team, targetOf(seen), 'accepted', {}));
    expect(answered.content?.myResponseStatus).toBe('accepted');
  });

  test('an own primary calendar answers for whichever address of the mailbox was invited', async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    const grace = { ...stage.harness.sessionOf(GRACE), email: 'alias@gmail.example' };
    const copy = single(await events().get(grace, primaryOf(GRACE), event.providerEventId));
    const answered = single(await events().respond(grace, primaryOf(GRACE), targetOf(copy), 'accepted', {}));
    expect(answered.content?.myResponseStatus).toBe('accepted');
  });

  test('the same answer again writes nothing', async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    const grace = stage.harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), event.providerEventId));
    const first = single(await events().respond(grace, primaryOf(GRACE), targetOf(copy), 'tentative', {}));
    const second = single(await events().respond(grace, primaryOf(GRACE), targetOf(first), 'tentative', {}));
    expect(second.providerTag).toBe(first.providerTag);
  });
});
