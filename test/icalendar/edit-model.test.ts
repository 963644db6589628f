import fc from 'fast-check';
import { type EditContext, editResource, type PrintableGroup, printEvents, readCalendars } from 'kalends/icalendar';
import type { EventContent, EventPatch } from 'kalends/ports';
import { recurrenceIdText } from 'kalends/recurrence';
import { expect, test } from 'vitest';
import { fields, groups } from './event-contents.ts';

const ZONE = 'Europe/Berlin';
const CONTEXT: EditContext = { now: Date.UTC(2026, 5, 1), calendarZone: ZONE, email: 'me@example.com' };

/** Fields that stand alone: writing one changes no other. */
const ALONE = [
  'title',
  'description',
  'location',
  'visibility',
  'categories',
  'colorId',
  'customColor',
  'conferenceData',
  'locationDetails',
  'guestsCanModify',
  'guestsCanSeeOtherGuests',
] as const;

const KINDS = ['publicExtendedProperties', 'privateExtendedProperties'] as const;

type Fields = typeof fields extends fc.Arbitrary<infer Value> ? Value : never;

/** Some of the fields, null where the event is to have none. */
const patches: fc.Arbitrary<EventPatch> = fc
  .tuple(fields, fc.subarray([...ALONE, ...KINDS], { minLength: 1 }))
  .map(([given, names]) => Object.fromEntries(names.map((name) => [name, (given as Fields)[name] ?? null])));

function read(text: string): PrintableGroup {
  const [group] = readCalendars(text, { calendarZone: ZONE })[0]?.groups ?? [];
  if (group === undefined) throw new Error('no group');
  return group;
}

/** The content that a patch makes of another, told field by field: the model that the lines are compared with. */
function patched(content: EventContent, patch: EventPatch): EventContent {
  const next: Record<string, unknown> = { ...content };
  for (const name of ALONE) {
    const value = patch[name];
    if (value === undefined) continue;
    if (value === null && ['title', 'description', 'location'].includes(name)) next[name] = '';
    else if (value === null && name === 'guestsCanSeeOtherGuests') next[name] = true;
    else if (value === null) delete next[name];
    else next[name] = value;
  }
  for (const kind of KINDS) {
    const changes = patch[kind];
    if (changes === null) next[kind] = {};
    else if (changes !== undefined) next[kind] = { ...content[kind], ...changes };
  }
  return next as EventContent;
}

/** Returns the content that an exception shows after a change of its series: fields and keys that were the series' are so still. */
function followed(own: EventContent, before: EventContent, after: EventContent): EventContent {
  const next: Record<string, unknown> = { ...own };
  const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
  for (const name of ALONE) {
    if (!same(own[name], before[name])) continue;
    if (after[name] === undefined) delete next[name];
    else next[name] = after[name];
  }
  for (const kind of KINDS) {
    const keys = new Set([...Object.keys(own[kind]), ...Object.keys(after[kind])]);
    const entries = [...keys].flatMap((key): [string, string][] => {
      const value = same(of(own[kind], key), of(before[kind], key)) ? of(after[kind], key) : of(own[kind], key);
      return value === undefined ? [] : [[key, value]];
    });
    next[kind] = Object.fromEntries(entries);
  }
  return next as EventContent;
}

/** A property may be called `toString`. */
function of(properties: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** Contents without their times of change. */
function comparable({ master, exceptions }: PrintableGroup): unknown {
  const shown = (content: EventContent | null | undefined) =>
    content == null ? content : { ...content, updatedAt: '', createdAt: '' };
  const bySlot = exceptions.map(({ recurrenceId, content, isCancelled }): [string, unknown] => [
    recurrenceId === null ? '' : recurrenceIdText(recurrenceId),
    { isCancelled, content: shown(content) },
  ]);
  return { master: shown(master?.content), exceptions: Object.fromEntries(bySlot) };
}

const living = groups.filter(({ master }) => master?.isCancelled === false);

test('an edit of an event or a series is what the model of its fields says, exceptions included', () => {
  fc.assert(
    fc.property(living, patches, (group, patch) => {
      const text = printEvents([group], { timeZone: ZONE });
      const before = group.master?.content;
      if (before == null) return;
      const after = patched(before, patch);
      const exceptions = group.exceptions.map((exception) => ({
        ...exception,
        content: exception.content === null ? null : followed(exception.content, before, after),
      }));
      const wanted: PrintableGroup = {
        ...group,
        master: { recurrenceId: null, isCancelled: false, content: after },
        exceptions,
      };
      const edited = editResource(text, { kind: 'event' }, patch, CONTEXT);
      expect(comparable(read(edited))).toEqual(comparable(wanted));
      expect(editResource(edited, { kind: 'event' }, patch, CONTEXT)).toBe(edited);
    }),
    { numRuns: 300 },
  );
});

test('an edit of an exception is what the model says, and changes nothing else', () => {
  fc.assert(
    fc.property(living, patches, fc.nat(), (group, patch, pick) => {
      const modified = group.exceptions.filter(({ content }) => content !== null);
      const target = modified[pick % Math.max(1, modified.length)];
      if (target?.recurrenceId == null || target.content === null) return;
      const text = printEvents([group], { timeZone: ZONE });
      const own = { ...target, content: patched(target.content, patch) };
      const wanted = { ...group, exceptions: group.exceptions.map((one) => (one === target ? own : one)) };
      const at = { kind: 'occurrence', recurrenceId: target.recurrenceId } as const;
      expect(comparable(read(editResource(text, at, patch, CONTEXT)))).toEqual(comparable(wanted));
    }),
    { numRuns: 300 },
  );
});

test('a cancelled exception has no component, and comes back as its series has it', () => {
  fc.assert(
    fc.property(living, fc.nat(), (group, pick) => {
      const target = group.exceptions[pick % Math.max(1, group.exceptions.length)];
      if (target?.recurrenceId == null) return;
      const text = printEvents([group], { timeZone: ZONE });
      const at = { kind: 'occurrence', recurrenceId: target.recurrenceId } as const;
      const others = group.exceptions.filter((one) => one !== target);
      const cancelled = editResource(text, at, { isCancelled: true }, CONTEXT);
      const stub = { recurrenceId: target.recurrenceId, isCancelled: true, content: null };
      expect(comparable(read(cancelled))).toEqual(comparable({ ...group, exceptions: [...others, stub] }));
      const restored = editResource(cancelled, at, { isCancelled: false }, CONTEXT);
      expect(comparable(read(restored))).toEqual(comparable({ ...group, exceptions: others }));
    }),
    { numRuns: 300 },
  );
});
