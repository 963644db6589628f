// The provider of the soak, in a process of its own: ACCOUNTS mailboxes with EVENTS events among them.
import { createSandbox } from '@kalends/sandbox';
import { eventOf } from './mailbox.js';

const [accounts, events] = process.argv.slice(2).map(Number);
const CLIENT = { clientId: 'soak', clientSecret: 'soak' };
const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

function calendarOf(count) {
  const imported = Array.from({ length: count }, (_, index) =>
    eventOf(
      `event-${index}`,
      START_MS + (index % 8_000) * HOUR_MS,
      index % 20 === 0 ? ['RRULE:FREQ=WEEKLY;COUNT=30'] : [],
    ),
  );
  return { name: 'Soak', timeZone: 'Europe/Berlin', events: imported };
}

const sandbox = createSandbox({ seed: 1 });
sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
const mailboxes = Array.from({ length: accounts }, (_, index) => {
  const email = `soak${index}@gmail.example`;
  sandbox.google.addMailbox({ email, name: 'Soak', timeZone: 'Europe/Berlin' });
  sandbox.google.importCalendar(email, calendarOf(Math.ceil(events / accounts)), 'primary');
  return { email, refreshToken: sandbox.google.issueRefreshToken({ email, clientId: CLIENT.clientId }) };
});
const { url } = await sandbox.listen();
process.once('disconnect', () => process.exit());
process.send({ sandbox: url, client: CLIENT, mailboxes });
