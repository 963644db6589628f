import type { ProviderCalendar } from 'kalends/ports';
import { resolveZone } from 'kalends/zones';
import { z } from 'zod';
import { wireProperty } from '../events/event-wire.ts';
import { expandProperties, propertyId, readValue } from '../events/kept-properties.ts';
import { hexOfColor, nearestColor, readHex } from './calendar-color.ts';

/** The fields of a calendar that the adapter reads. */
export const wireCalendar = z.object({
  id: z.string().min(1),
  changeKey: z.string().nullish(),
  name: z.string().nullish(),
  color: z.string().nullish(),
  hexColor: z.string().nullish(),
  canEdit: z.boolean().nullish(),
  isDefaultCalendar: z.boolean().nullish(),
  owner: z.object({ name: z.string().nullish(), address: z.string().nullish() }).nullish(),
  allowedOnlineMeetingProviders: z.array(z.string()).nullish(),
  defaultOnlineMeetingProvider: z.string().nullish(),
  singleValueExtendedProperties: z.array(wireProperty).nullish(),
});
export type WireCalendar = z.infer<typeof wireCalendar>;

/** A page whose calendars are not checked yet. */
export const uncheckedCalendarPage = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().nullish() });

const COLOR = propertyId('kalends.calendarColor');
const ZONE = propertyId('kalends.calendarZone');
const MARK = propertyId('kalends.creationMark');

/** The `$expand` of a calendar's own properties. */
export const EXPAND_CALENDAR: string = expandProperties([COLOR, ZONE, MARK]);

/** The exact requested colour and the Graph colour it was rounded to; valid while Graph still has the latter. */
const keptColor = z.object({ hex: z.string(), color: z.string() });
const keptText = z.string();

/** Facts about a calendar that its object does not contain. */
export interface MailboxFacts {
  /** IANA name of the mailbox's zone; Graph's calendars have none of their own. */
  readonly timeZone: string;
  /** The mailbox's own address. */
  readonly address: string;
}

/** Maps a calendar. */
export function readCalendar(wire: WireCalendar, mailbox: MailboxFacts): ProviderCalendar {
  const properties = wire.singleValueExtendedProperties;
  const color = readValue(properties, COLOR, keptColor);
  const zone = readValue(properties, ZONE, keptText);
  const owner = wire.owner?.address ?? '';
  const isForeign = owner !== '' && owner.toLowerCase() !== mailbox.address.toLowerCase();
  return {
    id: wire.id,
    providerTag: wire.changeKey ?? null,
    name: wire.name ?? '',
    hexColor:
      color !== undefined && color.color === wire.color
        ? color.hex
        : (readHex(wire.hexColor) ?? hexOfColor(wire.color)),
    readOnly: wire.canEdit === false,
    isPrimary: wire.isDefaultCalendar ?? false,
    isShared: isForeign,
    timeZone: zone !== undefined && resolveZone(zone) !== undefined ? zone : mailbox.timeZone,
    inviteEmail: owner === '' ? mailbox.address : owner,
    allowedOnlineMeetingProviders: (wire.allowedOnlineMeetingProviders ?? []).filter((name) => name !== 'unknown'),
    defaultOnlineMeetingProvider:
      wire.defaultOnlineMeetingProvider && wire.defaultOnlineMeetingProvider !== 'unknown'
        ? wire.defaultOnlineMeetingProvider
        : '',
  };
}

/** Returns the property that finds a new calendar again. */
export function creationMarkOf(wire: WireCalendar): string | undefined {
  return readValue(wire.singleValueExtendedProperties, MARK, keptText);
}

/** A write to a calendar. */
interface CalendarPatch {
  readonly name?: string;
  readonly hexColor?: string | null;
  readonly timeZone?: string | null;
}

/** Returns the body of a patch. An empty property value means none, which Graph cannot express. */
export function writeCalendar(patch: CalendarPatch, creationMark?: string): Readonly<Record<string, unknown>> {
  const { name, hexColor, timeZone } = patch;
  const color = hexColor ? nearestColor(hexColor) : 'auto';
  const properties = [
    ...(hexColor === undefined
      ? []
      : [{ id: COLOR, value: hexColor === null ? '' : JSON.stringify({ hex: hexColor, color }) }]),
    ...(timeZone === undefined ? [] : [{ id: ZONE, value: timeZone === null ? '' : JSON.stringify(timeZone) }]),
    ...(creationMark === undefined ? [] : [{ id: MARK, value: JSON.stringify(creationMark) }]),
  ];
  return {
    ...(name === undefined ? {} : { name }),
    ...(hexColor === undefined ? {} : { color }),
    ...(properties.length === 0 ? {} : { singleValueExtendedProperties: properties }),
  };
}
