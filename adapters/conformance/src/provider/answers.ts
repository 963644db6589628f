import assert from 'node:assert/strict';
import type { ResponseStatus } from 'kalends/model';
import type { ProviderEvent } from 'kalends/ports';
import { everything } from './fields.ts';
import { contentShown, holdEvents } from './held-events.ts';
import {
  DAY_MS,
  eventOf,
  exceptionsOf,
  MEETING,
  NINE,
  onStage,
  type ProviderConformanceOptions,
  type ProviderStage,
  refusal,
  requirePart,
  SERIES,
  slotOf,
  targetOf,
} from './world.ts';

/** Attendees and their responses, from both sides of an invitation. */
export function answerConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'attendees: come back with their names, and without an answer', async (stage) => {
    requirePart(stage.capabilities.attendees.max >= 2, 'two attendees');
    const attendees = [{ email: 'ann@example.com', name: 'Ann' }, { email: 'bob@example.com' }];
    const event = await stage.create({ attendees });
    assert.deepEqual(answers(event), { 'ann@example.com': 'needsAction', 'bob@example.com': 'needsAction' });
    assert.equal(event.content?.attendees.find(({ email }) => email === 'ann@example.com')?.name, 'Ann');
    const fewer = await stage.update(event, {
      attendees: [{ email: 'bob@example.com' }, { email: 'cleo@example.com' }],
    });
    assert.deepEqual(Object.keys(answers(fewer)).sort(), ['bob@example.com', 'cleo@example.com']);
    const none = await stage.update(fewer, { attendees: null });
    assert.deepEqual(none.content?.attendees, []);
  });

  onStage(options, 'respond: the organizer is refused', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    const guests = [{ email: 'ann@example.com' }].slice(0, capabilities.attendees.max);
    for (const attendees of [[], guests]) {
      const event = await stage.create({ attendees });
      const call = provider.events.respond(session, calendar, targetOf(event), 'declined', {});
      await refusal(call, ['forbidden']);
    }
  });

  withGuest(options, 'respond: each answer shows on both sides', async (stage, guest) => {
    const event = await stage.create({ attendees: [{ email: guest.session.email }, { email: 'ann@example.com' }] });
    assert.equal((await guest.find(event)).content?.myResponseStatus, 'needsAction');
    for (const answer of ['accepted', 'tentative', 'accepted'] as const) {
      const copy = await guest.find(event);
      assert.equal(copy.isOrganizer, false);
      const { provider } = stage;
      const changes = await provider.events.respond(guest.session, guest.calendar, targetOf(copy), answer, {});
      assert.equal(eventOf(changes).content?.myResponseStatus, answer);
      await stage.settle();
      const seen = answers(await stage.read(event));
      assert.deepEqual(seen, { [guest.session.email]: answer, 'ann@example.com': 'needsAction' });
    }
  });

  withGuest(options, 'respond: a comment goes along, and stays or goes as it is told', async (stage, guest) => {
    const event = await stage.create({ attendees: [{ email: guest.session.email }, { email: 'ann@example.com' }] });
    const { provider, capabilities } = stage;
    const answer = async (response: ResponseStatus, comment?: string | null) => {
      const copy = await guest.find(event);
      await provider.events.respond(guest.session, guest.calendar, targetOf(copy), response, { comment });
      await stage.settle();
      const [own, other] = (await stage.read(event)).content?.attendees ?? [];
      assert.equal(own?.responseStatus, response);
      assert.equal(other?.responseStatus, 'needsAction');
      return own?.comment;
    };
    const shown = (comment: string | undefined) => (capabilities.attendees.commentsShown ? comment : undefined);
    assert.equal(await answer('tentative', 'A bit late'), shown('A bit late'));
    assert.equal(await answer('accepted'), shown('A bit late'));
    assert.equal(await answer('accepted', 'On time'), shown('On time'));
    assert.equal(await answer('tentative', null), undefined);
  });

  withGuest(options, 'respond: an answer under a stale tag is refused', async (stage, guest) => {
    const event = await stage.create({ attendees: [{ email: guest.session.email }] });
    const { provider } = stage;
    const copy = await guest.find(event);
    await stage.update(event, { title: 'Changed' });
    const call = provider.events.respond(guest.session, guest.calendar, targetOf(copy), 'accepted', {
      ifMatch: copy.providerTag ?? '',
    });
    await refusal(call, ['precondition-failed']);
  });

  withGuest(options, 'respond: one occurrence is answered, and then differs from its series', async (stage, guest) => {
    const event = await stage.create({ ...SERIES, attendees: [{ email: guest.session.email }] });
    const { provider } = stage;
    const copy = await guest.find(event);
    const slot = slotOf(copy, NINE + DAY_MS);
    const changes = await provider.events.respond(guest.session, guest.calendar, slot, 'accepted', {});
    assert.equal(eventOf(changes).content?.myResponseStatus, 'needsAction');
    assert.deepEqual(
      exceptionsOf(changes).map(({ content }) => content?.myResponseStatus),
      ['accepted'],
    );
  });

  withGuest(options, 'attendees: an update of the organizer resets nobody’s answer', async (stage, guest) => {
    const guests = [{ email: guest.session.email }];
    const event = await stage.create({ attendees: guests });
    const { provider } = stage;
    const copy = await guest.find(event);
    await provider.events.respond(guest.session, guest.calendar, targetOf(copy), 'accepted', {});
    await stage.settle();
    // The organizer's copy is older than the response.
    const renamed = await stage.update(event, { title: 'Renamed' });
    assert.deepEqual(answers(renamed), { [guest.session.email]: 'accepted' });
    const more = await stage.update(event, { attendees: [...guests, { email: 'ann@example.com' }] });
    assert.deepEqual(answers(more), { [guest.session.email]: 'accepted', 'ann@example.com': 'needsAction' });
    assert.equal((await guest.find(event)).content?.myResponseStatus, 'accepted');
  });

  withGuest(options, 'update: a guest may not change what is the organizer’s', async (stage, guest) => {
    const event = await stage.create({ attendees: [{ email: guest.session.email }] });
    const { provider } = stage;
    const copy = await guest.find(event);
    const { title, description, location, recurrence } = everything(stage.capabilities);
    const theirs = { title, description, location, recurrence, attendees: [], start: MEETING.end, end: MEETING.end };
    for (const [field, value] of Object.entries(theirs)) {
      const patch =
        field === 'start' || field === 'end' ? { start: MEETING.end, end: MEETING.end } : { [field]: value };
      const call = provider.events.update(guest.session, guest.calendar, targetOf(copy), patch, {});
      await refusal(call, ['not-organizer', 'forbidden']);
    }
    const now = await stage.read(event);
    assert.deepEqual(contentShown(now.content!), contentShown(event.content!));
  });

  withGuest(options, 'update: a guest’s own side of an event is the guest’s', async (stage, guest) => {
    const event = await stage.create({ attendees: [{ email: guest.session.email }] });
    const { provider } = stage;
    const copy = await guest.find(event);
    const patch = {
      transparency: 'transparent',
      customColor: '#123456',
      privateExtendedProperties: { k: 'v' },
    } as const;
    const changes = await provider.events.update(guest.session, guest.calendar, targetOf(copy), patch, {});
    const { transparency, customColor, privateExtendedProperties } = eventOf(changes).content ?? {};
    assert.deepEqual({ transparency, customColor, privateExtendedProperties }, patch);
    await stage.settle();
    assert.deepEqual(contentShown((await stage.read(event)).content!), contentShown(event.content!));
  });
}

interface Guest {
  readonly session: ProviderStage['session'];
  readonly calendar: ProviderStage['calendar'];
  /** Finds the guest's own copy of an event by the properties that both copies share. */
  find(event: ProviderEvent): Promise<ProviderEvent>;
}

function withGuest(
  options: ProviderConformanceOptions,
  name: string,
  run: (stage: ProviderStage, guest: Guest) => Promise<void>,
): void {
  onStage(options, name, async (stage) => {
    const { guest, provider, capabilities } = stage;
    requirePart(guest, 'a guest');
    requirePart(capabilities.attendees.max >= 2, 'two attendees');
    const find = async ({ content }: ProviderEvent): Promise<ProviderEvent> => {
      const { held } = await holdEvents({ provider, ...guest }, null);
      const copies = [...held.values()].filter(
        (copy) => copy.seriesId === null && copy.content?.iCalUid === content?.iCalUid,
      );
      assert.equal(copies.length, 1, 'the invitation has arrived, once');
      return copies[0] as ProviderEvent;
    };
    await run(stage, { ...guest, find });
  });
}

function answers({ content }: ProviderEvent): Readonly<Record<string, string>> {
  return Object.fromEntries((content?.attendees ?? []).map(({ email, responseStatus }) => [email, responseStatus]));
}
