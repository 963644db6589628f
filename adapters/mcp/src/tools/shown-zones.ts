import { instantOf, parseDateTime } from 'kalends/zones';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { allCalendars } from './account-reads.ts';
import { readLocal } from './inputs.ts';

/**
 * Checks that times without a zone mean the same in each zone in which tools show an event: its own, its calendar's, and that of the
 * account's primary calendar. @throws ToolRefusal that asks for the zone
 */
export async function checkUnnamedZone(
  context: ToolContext,
  { accountId, calendarId }: { readonly accountId: string; readonly calendarId: string },
  ownZone: string,
  sent: { readonly start?: string | undefined; readonly end?: string | undefined },
): Promise<void> {
  const walls = (['start', 'end'] as const).flatMap((field) => {
    const text = sent[field];
    // With an offset it is the same instant in each zone.
    if (text === undefined || parseDateTime(text)?.offsetMs !== undefined) return [];
    const time = readLocal(field, text);
    return time.isDay ? [] : [time.wallMs];
  });
  if (walls.length === 0) return;
  const calendars = await allCalendars(context, accountId);
  const shownZones = [calendars.find(({ id }) => id === calendarId), calendars[0]].map((each) => each?.timeZone);
  const others = [...new Set(shownZones)].filter(
    (zone): zone is string =>
      zone !== undefined && walls.some((wallMs) => instantOf(zone, wallMs) !== instantOf(ownZone, wallMs)),
  );
  if (others.length === 0) return;
  throw new ToolRefusal(
    `timeZone: is needed here. The event is kept in ${ownZone}, and its times are shown in ${others.join(' and in ')} too. Name the zone in which start and end are meant.`,
  );
}
