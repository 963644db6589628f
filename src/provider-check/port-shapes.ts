import { z } from 'zod';
import { BUSY_TYPES, calendar, calendarEvent } from '../model/index.ts';
import { ProviderError, unreadableField } from '../ports/index.ts';

const text = z.string();
const texts = z.array(text);

/** The content of an event: what the interface shows, without the fields that the engine derives. */
export const portContent = calendarEvent.omit({
  id: true,
  etag: true,
  isRecurring: true,
  isException: true,
  isCancelled: true,
  recurringEventId: true,
  originalStart: true,
});

/** An event of a provider beside its ids and its content. */
export const portEvent = z.object({
  providerTag: text.nullable(),
  recurrenceId: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('instant'), startMs: z.number() }),
      z.object({ kind: z.literal('date'), date: text }),
    ])
    .nullable(),
  isCancelled: z.boolean(),
  isOrganizer: z.boolean(),
  content: z.object({}).nullable(),
  overrides: z
    .object({ customColor: z.boolean(), publicExtendedProperties: texts, privateExtendedProperties: texts })
    .optional(),
  isKeptLocally: z.boolean().optional(),
  unreadableParts: texts.optional(),
  uncopyable: z.array(z.object({ field: text, reason: text, state: text.optional() })).optional(),
  untold: z.record(text, z.unknown()).optional(),
  providerData: z.record(text, z.unknown()).optional(),
});

/** A calendar of a provider. */
export const portCalendar = calendar.extend({ providerTag: text.nullable() });

const unreadable = z.object({
  kind: z.literal('unreadable'),
  providerEventId: text,
  seriesId: text.nullable(),
  reason: text,
});

/** A change of events; the events in it are checked one by one. */
export const portEventChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('event'), event: z.object({}) }),
  z.object({
    kind: z.literal('series'),
    master: z.object({}),
    exceptions: z.array(z.unknown()),
    unreadable: z.array(unreadable).optional(),
  }),
  unreadable,
  z.object({ kind: z.literal('deleted'), providerEventId: text, exceptionsMayStay: z.boolean().optional() }),
  z.object({ kind: z.literal('reread'), providerEventId: text }),
]);

/** A change of calendars. */
export const portCalendarChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('calendar'), calendar: z.object({}) }),
  z.object({ kind: z.literal('deleted'), calendarId: text }),
  z.object({ kind: z.literal('unreadable'), calendarId: text, reason: text }),
]);

const page = { changes: z.array(z.unknown()), full: z.boolean() };
export const portEventPage = z.object({ ...page, nextToken: text.optional() });
export const portCalendarPage = z.object({ ...page, nextToken: text.nullish() });

export const portEventChanges = z.array(z.unknown());
export const portTags = z.array(z.object({ providerEventId: text, providerTag: text.nullable() }));

export const portPeople = z.array(z.object({}));
/** Busy time of one person. */
export const portPersonBusy = z.object({
  spans: z.array(z.object({ startMs: z.number(), endMs: z.number(), type: z.enum(BUSY_TYPES) })),
});

/** Checks what holds objects together. @throws ProviderError malformed */
export function requireAnswer(value: unknown, shape: z.ZodType): void {
  if (!shape.safeParse(value).success) {
    throw new ProviderError('malformed', 'the answer of the provider is not as the port defines it');
  }
}

/** Checks a value of a provider against its type. @throws ProviderError unreadable, naming the field and never a value */
export function requireShape(value: unknown, shape: z.ZodType): void {
  const issue = shape.safeParse(value).error?.issues[0];
  // Deeper names may be the user's, such as the key of a property.
  if (issue !== undefined) throw unreadableField(String(issue.path[0] ?? 'object'), 'must be as the port defines it');
}
