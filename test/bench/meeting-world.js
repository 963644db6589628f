// An engine with people of 20 calendars each, for POST /v1/availability, and a table with the same busy intervals for a bare driver.
import { google, googleEndpoints } from '@kalends/google';
import { createSandbox } from '@kalends/sandbox';
import { createEngine } from 'kalends';
import { eventOf } from './mailbox.js';

const SANDBOX = 'http://sandbox.test';
const CLIENT = { clientId: 'bench', clientSecret: 'bench' };
const ZONE = 'Europe/Berlin';
const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** A Monday that has not begun: slots in the past are not offered. */
export const FROM_MS = Date.UTC(2036, 2, 3);
export const PEOPLE = 20;
export const CALENDARS = 20;
const DAYS = 366;
/** Events of a calendar: one in four days, and a weekly series. */
const EVERY_MS = 4 * DAY_MS;

function eventsOf(person, calendar) {
  const single = Array.from({ length: (DAYS * DAY_MS) / EVERY_MS }, (_, index) => {
    const hour = (person * 7 + calendar * 5 + index * 11) % 96;
    return eventOf(`e${index}`, FROM_MS + index * EVERY_MS + hour * HOUR_MS);
  });
  const hour = (person * 3 + calendar * 13) % 168;
  return [...single, eventOf('series', FROM_MS + hour * HOUR_MS, ['RRULE:FREQ=WEEKLY'])];
}

/** Every mirror is fresh. */
export async function createMeetingWorld(storage) {
  const sandbox = createSandbox({ seed: 1 });
  sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  const engine = createEngine({
    storage,
    providers: {
      PROVIDER_A: google({
        ...googleEndpoints(`${SANDBOX}/google`),
        fetch: (input, init) => sandbox.fetch(new Request(input, init)),
        limits: { callsPerInterval: Number.POSITIVE_INFINITY },
      }),
    },
    secret: Buffer.alloc(32, 1).toString('base64'),
    sync: { freshWithoutPushMs: 24 * HOUR_MS, readWaitMs: 600_000 },
  });
  await engine.start({ background: false });
  const application = await engine.applications.create({ name: 'Bench' });
  await engine.oauthClients.set(application.id, 'PROVIDER_A', CLIENT);
  const caller = { applicationId: application.id };
  const people = [];
  for (let person = 0; person < PEOPLE; person += 1) {
    const email = `person${person}@gmail.example`;
    sandbox.google.addMailbox({ email, name: 'Bench', timeZone: ZONE });
    for (let calendar = 0; calendar < CALENDARS; calendar += 1) {
      const target = calendar === 0 ? 'primary' : undefined;
      const events = eventsOf(person, calendar);
      sandbox.google.importCalendar(email, { name: `Calendar ${calendar}`, timeZone: ZONE, events }, target);
    }
    const refreshToken = sandbox.google.issueRefreshToken({ email, clientId: CLIENT.clientId });
    const { account } = await engine.accounts.upsert(caller, { email, providerType: 'PROVIDER_A', refreshToken });
    const { data } = await engine.calendars.list(caller, account.id, { pageSize: 250 });
    const calendarIds = data.map(({ id }) => id);
    for (const id of calendarIds) await engine.events.list(caller, account.id, id, { pageSize: 1 });
    people.push({ endUserAccountId: account.id, calendarIds });
  }
  return { engine, caller, people };
}

/** The busy intervals as rows of a table that has nothing else. */
export async function fillBusy({ run, place }, { engine, caller, people }) {
  await run(`create table bare_busy (account text not null, calendar text not null, range_start bigint not null,
    range_end bigint not null)`);
  const values = [1, 2, 3, 4].map(place).join(', ');
  await run('begin');
  for (const { endUserAccountId, calendarIds } of people) {
    const query = {
      startDateTime: new Date(FROM_MS).toISOString(),
      endDateTime: new Date(FROM_MS + DAYS * DAY_MS).toISOString(),
      timeZone: 'UTC',
      calendarIds,
    };
    for (const { calendarId, busySlots } of await engine.freeBusy.query(caller, endUserAccountId, query)) {
      for (const { start, end } of busySlots) {
        const range = [Date.parse(start.dateTime), Date.parse(end.dateTime)];
        await run(`insert into bare_busy values (${values})`, [endUserAccountId, calendarId, ...range]);
      }
    }
  }
  await run('commit');
  await run('create index bare_busy_start on bare_busy (account, calendar, range_start)');
  await run('analyze bare_busy');
}
