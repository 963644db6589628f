import assert from 'node:assert/strict';
import type { CalendarEvent, ExtensionField } from 'kalends/model';
import { availabilityAs, DEFAULT_AVAILABILITY, type ProviderCapabilities, type ProviderEvent } from 'kalends/ports';
import { extensionCases, readsAlike } from './fields.ts';
import {
  DAY_MS,
  eventOf,
  exceptionsOf,
  exceptionTarget,
  MEETING,
  NINE,
  newRequestId,
  onStage,
  type ProviderConformanceOptions,
  refusal,
  requirePart,
  SERIES,
  slotOf,
  targetOf,
} from './world.ts';

const STATES: readonly CalendarEvent['showAs'][] = ['free', 'tentative', 'busy', 'oof', 'workingElsewhere'];
const GUESTS = [{ email: 'ann@example.com' }];

/** Fields beyond the specification: kept, or refused by name. Their round trips are among those of all fields. */
export function extensionConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'showAs: each state survives with the fields that it consists of, or is refused', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    for (const showAs of STATES.filter((state) => !capabilities.showAs.includes(state) && state !== 'oof')) {
      const event = await stage.create({});
      await refusal(
        provider.events.update(session, calendar, targetOf(event), { showAs }, {}),
        ['unsupported'],
        'showAs',
        { showAs },
      );
    }
    for (const showAs of capabilities.showAs) {
      const made = await stage.create({ title: 'State', showAs });
      showsState(made, showAs);
      await readsAlike(stage, made);
      for (const next of capabilities.showAs) {
        const changed = await stage.update(await stage.create({ showAs }), { showAs: next });
        const before = availabilityAs(showAs, DEFAULT_AVAILABILITY);
        showsState(changed, next, availabilityAs(next, before));
        await readsAlike(stage, changed);
      }
    }
  });

  onStage(options, 'showAs: follows transparency and status, which keep each other', async (stage) => {
    let event = await stage.create({ status: 'tentative' });
    assert.equal(event.content?.showAs, 'tentative');
    event = await stage.update(event, { transparency: 'transparent' });
    showsState(event, 'free', { transparency: 'transparent', status: 'tentative', eventType: 'default' });
    event = await stage.update(event, { transparency: null });
    showsState(event, 'tentative');
    event = await stage.update(event, { showAs: null });
    showsState(event, 'busy');
    await readsAlike(stage, event);
  });

  onStage(options, 'extensions: a field that is not kept is refused by name, and null is not', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    const kept = new Set<string>(capabilities.extensions);
    const event = await stage.create({ attendees: GUESTS.slice(0, capabilities.attendees.max) });
    for (const { field, values } of extensionCases(ALL_EXTENSIONS).filter(({ field }) => !kept.has(field))) {
      const own = { [field]: values[0] };
      const input = { ...MEETING, ...own };
      const creation = provider.events.create(session, calendar, input, { requestId: newRequestId() });
      await refusal(creation, ['unsupported'], field, own);
      const update = provider.events.update(session, calendar, targetOf(event), own, {});
      await refusal(update, ['unsupported'], field, own);
      const after = await stage.update(event, { [field]: null });
      assert.deepEqual(after.content?.[field], event.content?.[field]);
    }
    assert.equal((await stage.pull()).size, 1);
  });

  onStage(options, 'extensions: an occurrence keeps its own value while its series changes', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    for (const { field, values } of extensionCases(capabilities)) {
      const master = await stage.create(SERIES);
      const own = { [field]: values[0] };
      const written = await provider.events.update(session, calendar, slotOf(master, NINE + DAY_MS), own, {});
      const [exception] = exceptionsOf(written);
      assert.ok(exception !== undefined);
      assert.deepEqual(exception.content?.[field], values[0], field);
      const renamed = await provider.events.update(session, calendar, targetOf(master), { title: 'Renamed' }, {});
      assert.deepEqual(exceptionsOf(renamed)[0]?.content?.[field], values[0], field);
      const target = exceptionTarget(master, exception);
      const other = await provider.events.update(session, calendar, target, { [field]: values[1] }, {});
      assert.deepEqual(exceptionsOf(other)[0]?.content?.[field], values[1], field);
    }
  });

  onStage(options, 'attendees: are required, optional or resources, and stay so', async (stage) => {
    requirePart(stage.capabilities.attendees.max >= 3, 'three attendees');
    const attendees = [
      { email: 'ann@example.com' },
      { email: 'bob@example.com', kind: 'optional' },
      { email: 'room@example.com', kind: 'resource' },
    ] as const;
    const kinds = ['ann@example.com required', 'bob@example.com optional', 'room@example.com resource'];
    const event = await stage.create({ attendees });
    assert.deepEqual(kindsOf(event), kinds);
    const list = attendees.map(({ email }) => ({ email, name: 'Person' }));
    const renamed = await stage.update(event, { attendees: list });
    assert.deepEqual(kindsOf(renamed), kinds);
    await readsAlike(stage, renamed);
    const required = await stage.update(renamed, { attendees: [{ email: 'bob@example.com', kind: 'required' }] });
    assert.deepEqual(kindsOf(required), ['bob@example.com required']);
    await readsAlike(stage, required);
  });

  onStage(options, 'mail: of an event without attendees there is none to withhold', async (stage) => {
    const { provider, session, calendar } = stage;
    const event = await stage.create({});
    const quiet = { notifyAttendees: 'none' } as const;
    const changes = await provider.events.update(session, calendar, targetOf(event), { title: 'x' }, quiet);
    assert.equal(eventOf(changes).content?.title, 'x');
  });

  onStage(options, 'mail: is withheld where that is asked for, or the write is refused', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    requirePart(capabilities.attendees.max > 0, 'an attendee');
    const event = await stage.create({ attendees: GUESTS });
    const quiet = { notifyAttendees: 'none' } as const;
    const update = () => provider.events.update(session, calendar, targetOf(event), { title: 'Quiet' }, quiet);
    const creation = () =>
      provider.events.create(
        session,
        calendar,
        { ...MEETING, attendees: GUESTS },
        { requestId: newRequestId(), ...quiet },
      );
    const removal = () => provider.events.delete(session, calendar, targetOf(event), quiet);
    for (const write of [creation, update, removal]) {
      if (capabilities.attendees.mailSelectable) await write();
      else await refusal(write(), ['unsupported'], 'notifyAttendees');
    }
    assert.equal((await stage.pull()).size, 1);
  });
}

const ALL_EXTENSIONS: Pick<ProviderCapabilities, 'extensions'> = {
  extensions: [
    'status',
    'categories',
    'locationDetails',
    'guestsCanModify',
    'guestsCanInviteOthers',
    'guestsCanSeeOtherGuests',
    'allowNewTimeProposals',
  ] satisfies readonly ExtensionField[],
};

function showsState(
  { content }: ProviderEvent,
  showAs: CalendarEvent['showAs'],
  wanted = availabilityAs(showAs, DEFAULT_AVAILABILITY),
): void {
  assert.ok(content !== null);
  const { transparency, status, eventType } = content;
  assert.deepEqual({ showAs: content.showAs, transparency, status, eventType }, { showAs, ...wanted });
}

function kindsOf({ content }: ProviderEvent): readonly string[] {
  return (content?.attendees ?? []).map(({ email, kind }) => `${email} ${kind}`).sort();
}
