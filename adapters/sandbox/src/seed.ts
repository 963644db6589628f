import type { IcsCalendar, MailboxSeed, SandboxServer } from './kernel/kernel.ts';
import type { Sandbox } from './sandbox-interface.ts';
import { type DemoPerson, demoWeek } from './seed-events.ts';

const ADA = { email: 'ada@gmail.example', name: 'Ada Lovelace', timeZone: 'Europe/London' };
const CHARLES = { email: 'charles@gmail.example', name: 'Charles Babbage', timeZone: 'Europe/London' };
const GRACE = { email: 'grace@outlook.example', name: 'Grace Hopper', timeZone: 'America/New_York' };
const HOWARD = { email: 'howard@outlook.example', name: 'Howard Aiken', timeZone: 'America/New_York' };
const KATHERINE = { email: 'katherine@caldav.example', name: 'Katherine Johnson', timeZone: 'America/New_York' };
const DOROTHY = { email: 'dorothy@caldav.example', name: 'Dorothy Vaughan', timeZone: 'America/New_York' };
const MARY = { email: 'mary@example.org', name: 'Mary Somerville' };

/** E-mail addresses of the mailboxes that the demo fills. */
export interface DemoMailboxes {
  readonly google: string;
  readonly microsoft: string;
  readonly caldav: string;
}

/**
 * Fills one Google, one Microsoft and one CalDAV mailbox with believable calendars around the current week: recurring meetings
 * with moved and cancelled occurrences, all-day events, several zones, guests, and a calendar that a colleague shares
 * read-only. A mailbox that exists already is left as it is, so a second call changes nothing.
 */
export function seedDemo(sandbox: Sandbox, options: { readonly now?: number } = {}): DemoMailboxes {
  const now = options.now ?? sandbox.clock.now();
  seedProvider(sandbox.google, ADA, CHARLES, now);
  seedProvider(sandbox.microsoft, GRACE, HOWARD, now);
  seedProvider(sandbox.caldav, KATHERINE, DOROTHY, now);
  return { google: ADA.email, microsoft: GRACE.email, caldav: KATHERINE.email };
}

function seedProvider(provider: SandboxServer, owner: MailboxSeed, colleague: MailboxSeed, now: number): void {
  if (provider.hasMailbox(owner.email)) return;
  provider.addMailbox(owner);
  provider.addMailbox(colleague);
  provider.importCalendar(owner.email, workCalendar(owner, colleague, now), 'primary');
  provider.importCalendar(owner.email, homeCalendar(owner, now));
  const shared = provider.importCalendar(colleague.email, sharedCalendar(colleague, now));
  provider.shareCalendar({
    ownerEmail: colleague.email,
    calendarId: shared,
    withEmail: owner.email,
    role: 'reader',
  });
}

function workCalendar(owner: MailboxSeed, colleague: MailboxSeed, now: number): IcsCalendar {
  const { timeZone } = owner;
  const week = demoWeek({ now, timeZone, calendar: `work-${owner.email}` });
  const me: DemoPerson = { email: owner.email, name: owner.name };
  // Graph clamps the 29th and later to the month's last day where RRULE skips, so pay day is before.
  const payDay = Number(week.date(-3).slice(8)) > 28 ? -10 : -3;
  const them: DemoPerson = { email: colleague.email, name: colleague.name };
  const accepted = { partstat: 'ACCEPTED' };
  return {
    name: 'Work',
    timeZone,
    events: [
      ...week.series(
        {
          key: 'team-sync',
          summary: 'Team sync',
          description: 'What we did, what we will do, what is in the way.',
          location: 'Room 3',
          day: -28,
          at: '10:00',
          length: 45,
          recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
          organizer: me,
          attendees: [
            { ...me, ...accepted },
            { ...them, ...accepted },
            { ...MARY, partstat: 'TENTATIVE', kind: 'optional' },
          ],
        },
        [{ slotDay: 0, moved: { day: 1, at: '14:00', summary: 'Team sync (moved)' } }, { slotDay: 7 }],
      ),
      ...week.series(
        {
          key: 'stand-up',
          summary: 'Stand-up',
          day: -14,
          at: '09:15',
          length: 15,
          recurrence: ['RRULE:FREQ=WEEKLY;COUNT=60;BYDAY=MO,TU,WE,TH,FR'],
        },
        [{ slotDay: 2 }, { slotDay: 4, moved: { day: 4, at: '11:45' } }],
      ),
      week.event({ key: 'lunch', summary: 'Lunch with Mary', location: 'The Analytical Canteen', day: 3, at: '12:30' }),
      week.event({
        key: 'new-york',
        summary: 'Call with New York',
        day: 1,
        at: '09:00',
        length: 30,
        timeZone: 'America/New_York',
      }),
      week.event({
        key: 'tokyo',
        summary: 'Review with Tokyo',
        day: -11,
        at: '17:00',
        timeZone: 'Asia/Tokyo',
        recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TH'],
      }),
      week.event({
        key: 'invitation',
        summary: 'Notes on the engine: reading',
        day: 3,
        at: '15:00',
        organizer: MARY,
        attendees: [
          { ...MARY, ...accepted },
          { ...me, partstat: 'NEEDS-ACTION' },
        ],
      }),
      week.event({ key: 'adviser', summary: 'Mortgage adviser', day: 2, at: '17:00', visibility: 'private' }),
      week.event({
        key: 'conference',
        summary: 'Engines conference',
        location: 'Turin',
        day: 9,
        length: 2,
        isTentative: true,
        categories: ['Travel'],
      }),
      week.event({
        key: 'pay-day',
        summary: 'Pay day',
        day: payDay,
        recurrence: [`RRULE:FREQ=MONTHLY;BYMONTHDAY=${Number(week.date(payDay).slice(8))}`],
        transparent: true,
      }),
    ],
  };
}

function homeCalendar(owner: MailboxSeed, now: number): IcsCalendar {
  const { timeZone } = owner;
  const week = demoWeek({ now, timeZone, calendar: `home-${owner.email}` });
  return {
    name: 'Home',
    timeZone,
    events: [
      ...week.series(
        { key: 'swimming', summary: 'Swimming', day: -16, at: '10:30', recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=SA'] },
        [{ slotDay: 5, moved: { day: 6, at: '16:00' } }],
      ),
      week.event({ key: 'half-term', summary: 'Half-term', day: 14, length: 5, transparent: true }),
      week.event({ key: 'dentist', summary: 'Dentist', day: 4, at: '08:00', length: 30 }),
    ],
  };
}

function sharedCalendar(colleague: MailboxSeed, now: number): IcsCalendar {
  const { timeZone } = colleague;
  const week = demoWeek({ now, timeZone, calendar: `shared-${colleague.email}` });
  const first = colleague.name.split(' ')[0];
  return {
    name: `${first}'s office hours`,
    timeZone,
    events: [
      ...week.series(
        {
          key: 'office-hours',
          summary: 'Office hours',
          day: -6,
          at: '16:00',
          length: 90,
          recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU,TH'],
        },
        [{ slotDay: 3 }],
      ),
      week.event({ key: 'away', summary: `${first} is away`, day: 7, length: 3 }),
    ],
  };
}
