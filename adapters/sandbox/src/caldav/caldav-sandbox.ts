import { resolveZone } from 'kalends/zones';
import { type CalDavSandbox, ControlError, type Kernel, type MailboxSeed } from '../kernel/kernel.ts';
import { type CalDavContext, findMailbox } from './caldav-context.ts';
import { answerDav } from './caldav-server.ts';
import { type CalDavState, emptyCalDavState, type Mailbox } from './caldav-state.ts';
import { addAppPassword, calendarOf, createControls } from './controls.ts';
import { importEvents } from './import-calendar.ts';
import { addCalendar } from './methods/calendar-methods.ts';
import { KEYS } from './properties.ts';
import { escapeXml } from './wire/print-xml.ts';
import { zoneText } from './zone-text.ts';

const DEFAULT_CALENDAR = 'personal';

/**
 * Creates a stateful CalDAV server (RFC 4791, 6578, 6638) that keeps to the letter, with quirks of real servers to turn on. Below its
 * root: `/principals/{email}/` and `/calendars/{email}/{calendar}/{object}`.
 */
export function createCalDavSandbox(kernel: Kernel): CalDavSandbox {
  const context: CalDavContext = { kernel, state: emptyCalDavState() };
  return {
    fetch: (request, root) => answerDav(context, request, root),
    snapshot: () => context.state,
    restore(snapshot) {
      context.state = { ...emptyCalDavState(), ...(structuredClone(snapshot) as Partial<CalDavState>) };
    },
    addMailbox: (seed) => addMailbox(context, seed),
    hasMailbox: (email) => findMailbox(context, email) !== undefined,
    mailboxes: () => Object.values(context.state.mailboxes).map(({ email }) => email),
    addAppPassword: ({ email }) => addAppPassword(context, email),
    importCalendar(email, source, into = 'new') {
      const mailbox = existing(context, email);
      const slug = into === 'new' ? kernel.randomText(12) : mailbox.defaultCalendar;
      const calendar =
        into === 'new'
          ? addCalendar(context, mailbox, slug)
          : calendarOf(context, email, mailbox.defaultCalendar).calendar;
      if (into === 'new') {
        calendar.props[KEYS.name] = escapeXml(source.name);
        setZone(context, calendar.id, source.timeZone);
      }
      importEvents(context, calendar, mailbox, source);
      return pathOf(mailbox, slug);
    },
    shareCalendar({ ownerEmail, calendarId, withEmail, role }) {
      const { calendar } = calendarOf(context, ownerEmail, calendarId);
      const guest = existing(context, withEmail);
      if (calendar.owner !== existing(context, ownerEmail).email) {
        throw new ControlError(`calendarId: ${ownerEmail} does not own ${calendarId}`);
      }
      const known = Object.entries(guest.links).find(([, link]) => link.calendarId === calendar.id)?.[0];
      const slug = known ?? `${calendar.id}-shared`;
      guest.links[slug] = { calendarId: calendar.id, role };
      kernel.touched();
      return pathOf(guest, slug);
    },
    controls: createControls(context),
  };
}

const pathOf = ({ email }: Mailbox, slug: string): string =>
  `/calendars/${encodeURIComponent(email)}/${encodeURIComponent(slug)}/`;

function existing(context: CalDavContext, email: string): Mailbox {
  const mailbox = findMailbox(context, email);
  if (mailbox === undefined) throw new ControlError(`email: no CalDAV mailbox ${email}`);
  return mailbox;
}

function addMailbox(context: CalDavContext, seed: MailboxSeed): void {
  const email = seed.email.toLowerCase();
  if (findMailbox(context, email) !== undefined) return;
  if (resolveZone(seed.timeZone) === undefined) throw new ControlError(`timeZone: not an IANA zone: ${seed.timeZone}`);
  const mailbox: Mailbox = {
    email,
    name: seed.name,
    timeZone: seed.timeZone,
    passwords: [],
    links: {},
    defaultCalendar: DEFAULT_CALENDAR,
  };
  context.state.mailboxes[email] = mailbox;
  const { id, props } = addCalendar(context, mailbox, DEFAULT_CALENDAR);
  props[KEYS.name] = 'Personal';
  setZone(context, id, seed.timeZone);
}

/** Sets the zone of a calendar, as a VCALENDAR with one VTIMEZONE (RFC 4791 §5.2.2). */
function setZone({ state, kernel }: CalDavContext, calendarId: string, timeZone: string): void {
  const calendar = state.calendars[calendarId];
  if (calendar === undefined) return;
  const zone = zoneText(timeZone, new Date(kernel.clock.now()).getUTCFullYear());
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//kalends//sandbox//EN', zone, 'END:VCALENDAR', ''];
  calendar.props[KEYS.timeZone] = escapeXml(lines.join('\r\n'));
}
