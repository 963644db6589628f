import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type CalendarServer, type RunningServer, SERVER_NAMES, type ServerName } from './calendar-server.ts';
import { startCyrus } from './cyrus.ts';
import { startDavical } from './davical.ts';
import { startRadicale } from './radicale.ts';
import { startSogo } from './sogo.ts';
import { startXandikos } from './xandikos.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly calendarServers: readonly CalendarServer[];
  }
}

const START: Readonly<Record<ServerName, (folder: string) => Promise<RunningServer>>> = {
  radicale: startRadicale,
  xandikos: startXandikos,
  davical: startDavical,
  cyrus: startCyrus,
  sogo: startSogo,
};

/** Starts the servers that `KALENDS_TEST_SERVERS` names, or all, for the tests, and ends them after the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { servers, stop } = await startServers(process.env['KALENDS_TEST_SERVERS']?.split(/[\s,]+/) ?? []);
  project.provide(
    'calendarServers',
    servers.map(({ name, url, alice, bob }) => ({ name, url, alice, bob })),
  );
  return stop;
}

/** Starts the servers of these names, or all without a name, each in a folder of its own; `stop` ends them. */
export async function startServers(
  wanted: readonly string[],
): Promise<{ readonly servers: readonly CalendarServer[]; stop(): Promise<void> }> {
  const named = wanted.filter((name) => name !== '');
  const wrong = named.filter((name) => !SERVER_NAMES.includes(name as ServerName));
  if (wrong.length > 0) throw new Error(`no such server: ${wrong.join(', ')}; there are ${SERVER_NAMES.join(', ')}`);
  const names = SERVER_NAMES.filter((name) => named.length === 0 || named.includes(name));
  // Not below a temporary folder of the user: the servers' own users must be able to enter it.
  const folder = await mkdtemp('/tmp/kalends-servers-');
  await chmod(folder, 0o755);
  const servers: RunningServer[] = [];
  const stop = async () => {
    const ends = await Promise.allSettled(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  try {
    for (const name of names) {
      const own = join(folder, name);
      await mkdir(own);
      const begin = performance.now();
      servers.push(await START[name](own));
      console.info(`${name} started in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { servers, stop };
}
