import { calendarIdOf } from '../identity.ts';
import type { MicrosoftWorld, StoredCalendar } from '../state.ts';
import { newChangeKey, notifyCalendar } from '../sync/changes.ts';

/** Adds an empty calendar to its owner's mailbox. */
export function createCalendar(
  world: MicrosoftWorld,
  input: { readonly ownerEmail: string; readonly name: string; readonly isDefault: boolean; readonly color: string },
): StoredCalendar {
  const calendar: StoredCalendar = {
    key: world.kernel.randomText(24),
    ownerEmail: input.ownerEmail.toLowerCase(),
    name: input.name,
    isDefault: input.isDefault,
    changeKey: newChangeKey(world),
    seq: 0,
    events: {},
    tombstones: [],
    allowedOnlineMeetingProviders: ['teamsForBusiness'],
    extendedProperties: {},
  };
  const owner = world.state.mailboxes[calendar.ownerEmail];
  if (!owner) throw new RangeError(`no mailbox ${input.ownerEmail}`);
  world.state.calendars[calendar.key] = calendar;
  owner.calendarLinks.push({
    id: calendarIdOf(calendar.key),
    temporaryId: world.state.settings.calendarIdQuirk && !input.isDefault ? calendarIdOf(`${calendar.key}.new`) : null,
    calendarKey: calendar.key,
    role: 'owner',
    color: input.color,
  });
  notifyCalendar(world, calendar, 'updated');
  world.kernel.touched();
  return calendar;
}
