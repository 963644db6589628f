import assert from 'node:assert/strict';
import type { EventContent, EventPatch, ProviderCapabilities, ProviderEvent } from 'kalends/ports';
import { contentShown, keyOf, shownEvent } from './held-events.ts';
import { onStage, type ProviderConformanceOptions, type ProviderStage } from './world.ts';

/** A writable field, two values that it can have here, and its value when cleared. */
interface FieldCase {
  readonly field: keyof EventPatch & keyof EventContent;
  readonly values: readonly [unknown, unknown];
  /** Absent where null does not clear the field. */
  readonly cleared?: unknown;
}

/** Every field round-trips through the provider, alone and with the others. */
export function fieldConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'fields: a new event that says nothing of a field shows it empty', async (stage) => {
    const event = await stage.create({});
    for (const { field, cleared } of fieldCases(stage.capabilities)) {
      // Default reminders depend on the mailbox.
      if (field !== 'reminders') shows(event, field, cleared);
    }
    assert.equal(event.isOrganizer, true);
    assert.equal(event.isCancelled, false);
    assert.notEqual(event.content?.iCalUid, '');
    await readsAlike(stage, event);
  });

  onStage(options, 'fields: what a new event is given is shown by the answer, by get and by a pull', async (stage) => {
    for (const { field, values } of fieldCases(stage.capabilities)) {
      const event = await stage.create({ [field]: values[0] });
      shows(event, field, values[0]);
      await readsAlike(stage, event);
    }
  });

  onStage(
    options,
    'fields: an update changes the field that is sent and no other, and null clears it',
    async (stage) => {
      for (const { field, values, cleared } of fieldCases(stage.capabilities)) {
        let event = await stage.create(everything(stage.capabilities));
        for (const value of [values[1], ...(cleared === undefined && !isOptional(field) ? [] : [null])]) {
          const before = event;
          event = await stage.update(before, { [field]: value });
          shows(event, field, value ?? cleared);
          othersStay(before, event, field);
          await readsAlike(stage, event);
        }
      }
    },
  );

  onStage(options, 'fields: each value of visibility, colour and reminder survives', async (stage) => {
    for (const patch of choices(stage.capabilities)) {
      const [[field, value]] = Object.entries(patch) as [[keyof EventContent, unknown]];
      const event = await stage.create(patch);
      shows(event, field, value);
      await readsAlike(stage, event);
    }
  });

  onStage(options, 'fields: a description of the greatest length survives', async (stage) => {
    const description = 'x'.repeat(stage.capabilities.descriptionLength);
    const event = await stage.create({ description });
    shows(event, 'description', description);
    await readsAlike(stage, event);
  });

  onStage(options, 'fields: extended properties are merged by key, and a null value removes one', async (stage) => {
    for (const field of ['publicExtendedProperties', 'privateExtendedProperties'] as const) {
      const event = await stage.create({ [field]: { a: '1', b: '2' } });
      const merged = await stage.update(event, { [field]: { b: null, c: 'ü 🗓' } });
      shows(merged, field, { a: '1', c: 'ü 🗓' });
      await readsAlike(stage, merged);
    }
  });

  onStage(options, 'fields: each type of event survives', async (stage) => {
    for (const eventType of stage.capabilities.eventTypes) {
      const event = await stage.create({ title: 'Away', eventType });
      shows(event, 'eventType', eventType);
      await readsAlike(stage, event);
      const renamed = await stage.update(event, { title: 'Renamed' });
      shows(renamed, 'eventType', eventType);
      othersStay(event, renamed, 'title');
      if (!stage.capabilities.changesEventType) continue;
      for (const other of stage.capabilities.eventTypes) {
        const changed = await stage.update(event, { eventType: other });
        shows(changed, 'eventType', other);
        await readsAlike(stage, changed);
      }
    }
  });

  onStage(options, 'fields: what was read can be sent back, and then nothing is written', async (stage) => {
    const event = await stage.read(await stage.create(everything(stage.capabilities)));
    const { content } = event;
    assert.ok(content !== null);
    const { title, description, location, visibility, transparency, reminders, recurrence, eventType } = content;
    const { start, end, isAllDay } = content;
    const echo = { title, description, location, visibility, transparency, reminders, eventType };
    const again = await stage.update(event, { ...echo, recurrence, start, end, isAllDay });
    assert.deepEqual(shownEvent(again), shownEvent(event));
    const changed = `the event has the tag ${again.providerTag}, not ${event.providerTag} as before`;
    assert.equal(again.providerTag, event.providerTag, changed);
  });
}

/** Returns the writable fields of a plain event in this calendar. */
function fieldCases(capabilities: ProviderCapabilities): readonly FieldCase[] {
  const { colorIds, reminders, visibilities } = capabilities;
  const [method = 'popup'] = reminders.methods;
  const override = (minutes: number) => ({
    useDefault: false,
    isReminderOn: true,
    overrides: [{ method, minutes }],
  });
  const ids = colorIds === 'any' ? ['1', '2'] : colorIds;
  return [
    { field: 'title', values: ['Plänning 🗓', 'Other'], cleared: '' },
    { field: 'description', values: ['One\nTwo', 'Other'], cleared: '' },
    { field: 'location', values: ['Room 1', 'Elsewhere'], cleared: '' },
    { field: 'publicExtendedProperties', values: [{ room: '1' }, { room: '2' }], cleared: {} },
    { field: 'privateExtendedProperties', values: [{ crm: '42' }, { crm: '' }], cleared: {} },
    ...(ids.length < 2 ? [] : [{ field: 'colorId', values: [ids[0], ids[1]] } as const]),
    { field: 'customColor', values: ['#123456', '#fedcba'] },
    ...(visibilities.includes('private')
      ? [{ field: 'visibility', values: ['private', 'default'], cleared: 'default' } as const]
      : []),
    { field: 'transparency', values: ['transparent', 'opaque'], cleared: 'opaque' },
    { field: 'reminders', values: [override(30), override(0)], cleared: { useDefault: true } },
    {
      field: 'recurrence',
      values: [['RRULE:FREQ=DAILY;COUNT=5'], ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3']],
      cleared: null,
    },
    ...extensionCases(capabilities),
  ];
}

/** Returns the cases of the fields beyond the specification that are kept; `showAs` has tests of its own. */
export function extensionCases({ extensions }: Pick<ProviderCapabilities, 'extensions'>): readonly FieldCase[] {
  const cases: readonly FieldCase[] = [
    { field: 'status', values: ['tentative', 'confirmed'], cleared: 'confirmed' },
    { field: 'categories', values: [['Blue'], ['Red', 'Blüe']], cleared: [] },
    { field: 'locationDetails', values: [PLACE, { uri: 'https://rooms.example/1' }] },
    { field: 'guestsCanModify', values: [true, false], cleared: false },
    { field: 'guestsCanInviteOthers', values: [false, true], cleared: true },
    { field: 'guestsCanSeeOtherGuests', values: [false, true], cleared: true },
    { field: 'allowNewTimeProposals', values: [false, true], cleared: true },
  ];
  const kept = new Set<string>(extensions);
  return cases.filter(({ field }) => kept.has(field));
}

const PLACE = {
  address: { street: 'Hauptstraße 1', city: 'Berlin', countryOrRegion: 'Germany' },
  coordinates: { latitude: 52.5, longitude: 13.4 },
};

/** Returns a patch that gives every field its first value. */
export function everything(capabilities: ProviderCapabilities): EventPatch {
  return Object.fromEntries(fieldCases(capabilities).map(({ field, values }) => [field, values[0]]));
}

function choices({ visibilities, colorIds, reminders }: ProviderCapabilities): readonly EventPatch[] {
  const overrides = Array.from({ length: reminders.maxOverrides }, (_, index) => ({
    method: reminders.methods[index % reminders.methods.length] ?? ('popup' as const),
    minutes: 10 * (index + 1),
  }));
  return [
    ...visibilities.map((visibility) => ({ visibility })),
    ...(colorIds === 'any' ? ['some text'] : colorIds).map((colorId) => ({ colorId })),
    { reminders: { useDefault: true } },
    { reminders: { useDefault: false, isReminderOn: false, overrides: [] } },
    { reminders: { useDefault: false, isReminderOn: true, overrides } },
  ];
}

/** Fields that can be cleared. */
function isOptional(field: string): boolean {
  return field === 'colorId' || field === 'customColor' || field === 'locationDetails';
}

function shows({ content }: ProviderEvent, field: keyof EventContent, value: unknown): void {
  assert.ok(content !== null);
  assert.deepEqual(content[field], value, `${field} shows ${JSON.stringify(content[field])}`);
}

function othersStay(before: ProviderEvent, after: ProviderEvent, field: keyof EventContent): void {
  assert.ok(before.content !== null && after.content !== null);
  // showAs is another form of these two.
  const showAs = field === 'status' || field === 'transparency' ? { showAs: '' } : {};
  const { [field]: _was, ...was } = { ...contentShown(before.content), updatedAt: '', ...showAs };
  const { [field]: _is, ...is } = { ...contentShown(after.content), updatedAt: '', ...showAs };
  assert.deepEqual(is, was, `an update of ${field} changed something else`);
}

/** Checks that `get` and a full pull return the same event. */
export async function readsAlike(stage: ProviderStage, event: ProviderEvent): Promise<void> {
  assert.deepEqual(shownEvent(await stage.read(event)), shownEvent(event), 'get shows what the write answered');
  const pulled = (await stage.pull()).get(keyOf(event));
  assert.ok(pulled !== undefined, 'a pull shows the event');
  assert.deepEqual(shownEvent(pulled), shownEvent(event), 'a pull shows what the write answered');
}
