import { readFileSync } from 'node:fs';
import { caldav } from '@kalends/caldav';
import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';
import type { ExtensionField } from 'kalends/model';
import type { CalendarRef, ProviderCapabilities } from 'kalends/ports';
import { expect, it } from 'vitest';

const PROVIDERS = [google(), microsoft(), caldav()];

function calendar(isPrimary: boolean): CalendarRef {
  return {
    id: 'c',
    timeZone: 'UTC',
    isPrimary,
    isShared: false,
    inviteEmail: '',
    allowedOnlineMeetingProviders: ['theirs'],
    defaultOnlineMeetingProvider: 'theirs',
  };
}

const yes = (holds: boolean) => (holds ? 'yes' : 'refused');
const list = (values: readonly string[]) => (values.length === 0 ? '–' : values.join(', '));

const kept =
  (field: ExtensionField) =>
  ({ extensions }: ProviderCapabilities) =>
    yes(extensions.includes(field));

/** The rows of the table, each as one calendar of the provider has it. */
const ROWS: Readonly<Record<string, (primary: ProviderCapabilities, other: ProviderCapabilities) => string>> = {
  '`colorId`': ({ colorIds }) => (colorIds === 'any' ? 'any text' : list(colorIds)),
  '`visibility`': ({ visibilities }) => list(visibilities),
  '`eventType` on the primary calendar': ({ eventTypes }) => list(eventTypes),
  '`eventType` on another calendar': (_primary, { eventTypes }) => list(eventTypes),
  'imported events keep their UID if of type': ({ keepsUidOf }) => list(keepsUidOf),
  '`eventType` of an existing event': ({ changesEventType }) => (changesEventType ? 'may change' : 'fixed'),
  'timed, busy and without attendees only': ({ bareEventTypes }) => list(bareEventTypes),
  'who sees `publicExtendedProperties`': ({ publicProperties }) => `the ${publicProperties}`,
  '`generateMeetingUrlProvider`': ({ meetings }) =>
    meetings.providers.length === 0
      ? 'refused'
      : meetings.providers.join() === 'theirs' && meetings.defaultProvider === 'theirs'
        ? 'what the calendar allows'
        : '?',
  '`conferenceData` by hand': ({ meetings }) => yes(meetings.givenByHand),
  'taking a meeting away': ({ meetings }) => yes(meetings.removable),
  'methods of `reminders`': ({ reminders }) => list(reminders.methods),
  '`reminders.overrides`': ({ reminders }) => `up to ${reminders.maxOverrides}`,
  'frequencies of `recurrence`': ({ recurrence }) => list(recurrence.frequencies),
  'rules of `recurrence`': ({ recurrence }) => recurrence.rules,
  'largest COUNT': ({ recurrence }) => String(recurrence.maxCount ?? '–'),
  'largest INTERVAL': ({ recurrence }) => String(recurrence.maxInterval ?? '–'),
  RDATE: ({ recurrence }) => yes(recurrence.rdate),
  EXDATE: ({ recurrence }) => yes(recurrence.exdate),
  'bringing a cancelled occurrence back': ({ occurrences }) => yes(occurrences.restorable),
  'moving an occurrence past its neighbour': ({ occurrences }) => yes(occurrences.crossesNeighbours),
  '`visibility` of one occurrence': ({ occurrences }) => yes(occurrences.ownVisibility),
  'answers of newly invited attendees': ({ attendees }) =>
    attendees.answersWritable ? 'can be written' : "the attendee's own",
  "taking one's answer back": ({ attendees }) => yes(attendees.answerRevocable),
  'mail about a write': ({ attendees }) => (attendees.mailSelectable ? 'as asked for' : 'sent by the provider'),
  "changing one's own copy of a meeting without mail": ({ attendees }) => yes(attendees.ownCopyIsQuiet),
  "`comment` of another's answer": ({ attendees }) => (attendees.commentsShown ? 'shown' : 'not shown'),
  '`showAs` of any event': ({ showAs }) => list(showAs),
  '`status`': kept('status'),
  '`guestsCanSeeOtherGuests`': kept('guestsCanSeeOtherGuests'),
  '`guestsCanModify`': kept('guestsCanModify'),
  '`guestsCanInviteOthers`': kept('guestsCanInviteOthers'),
  '`allowNewTimeProposals`': kept('allowNewTimeProposals'),
  '`categories`': kept('categories'),
  '`locationDetails`': kept('locationDetails'),
  'longest `description`': ({ descriptionLength }) => String(descriptionLength),
};

it('the table of capabilities is what the providers say', () => {
  const text = readFileSync(new URL('../../docs/capabilities.md', import.meta.url), 'utf8');
  const table = text.slice(text.indexOf('|---|---|---|---|'), text.indexOf('`customColor` and private'));
  const written = [...table.matchAll(/^\| (?!-)(.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm)].map((row) => row.slice(1));
  const rows = Object.entries(ROWS).map(([name, show]) => [
    name,
    ...PROVIDERS.map((provider) => show(provider.capabilities(calendar(true)), provider.capabilities(calendar(false)))),
  ]);
  expect(written).toEqual(rows);
});
