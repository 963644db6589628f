// kalends inside a program of your own: no HTTP at all.
import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';

/** An engine, and one application with its OAuth clients. */
export async function createCalendarEngine({ database, secret, publicUrl }) {
  const engine = createEngine({
    storage: sqlite({ path: database }),
    providers: { PROVIDER_A: google(), PROVIDER_B: microsoft() },
    secret,
    publicUrl,
  });
  await engine.start();
  const [existing] = (await engine.applications.list()).data;
  const application =
    existing ??
    (await engine.applications.create({ name: 'My application', redirectUrls: ['https://app.example.com/connected'] }));
  await engine.oauthClients.set(application.id, 'PROVIDER_A', {
    clientId: 'your-google-client-id',
    clientSecret: 'your-google-client-secret',
  });
  await engine.oauthClients.set(application.id, 'PROVIDER_B', {
    clientId: 'your-microsoft-client-id',
    clientSecret: 'your-microsoft-client-secret',
  });
  return { engine, caller: { applicationId: application.id } };
}

/** The titles of what happens in a calendar in a week, occurrences of recurring events included. */
export async function titlesOfWeek({ engine, caller }, accountId, calendarId, startDateTime, endDateTime) {
  const query = { expandRecurrences: true, orderBy: 'startDateTime', startDateTime, endDateTime };
  const { data } = await engine.events.list(caller, accountId, calendarId, query);
  return data.map(({ title }) => title);
}
