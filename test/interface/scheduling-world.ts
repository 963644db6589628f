import { type Connected, calendarsPath } from './steps.ts';
import { createWorld, SANDBOX_URL, type World } from './world.ts';

/** A world whose sandbox has a CalDAV server besides. */
export function createSchedulingWorld(options: Parameters<typeof createWorld>[0] = {}): Promise<World> {
  return createWorld(options, { hasCalDav: true });
}

/** Creates a mailbox at the CalDAV server and connects it. */
export async function connectCalDav(world: World, email = 'dav@caldav.example'): Promise<Connected> {
  world.sandbox.caldav.addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });
  const password = world.sandbox.caldav.addAppPassword({ email });
  const credentials = { kind: 'password', serverUrl: `${SANDBOX_URL}/caldav/`, username: email, password };
  const sent = { email, providerType: 'CALDAV', credentials };
  const connected = await world.call('POST', '/v1/endUserAccounts', { body: sent });
  if (connected.status !== 201) throw new Error(`connecting failed: ${JSON.stringify(connected.body)}`);
  const { body } = await world.call('GET', calendarsPath(connected.body.id));
  const primary = body.data?.find(({ isPrimary }: { isPrimary: boolean }) => isPrimary);
  if (primary === undefined) throw new Error(`no primary calendar: ${JSON.stringify(body)}`);
  return { accountId: connected.body.id, email, calendarId: primary.id };
}
