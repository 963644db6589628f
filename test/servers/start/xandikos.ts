import { join } from 'node:path';
import { ALICE, type RunningServer } from './calendar-server.ts';
import { freePort, start } from './processes.ts';

/** Starts Xandikos. It has one user and takes any password. */
export async function startXandikos(folder: string): Promise<RunningServer> {
  const port = await freePort();
  const data = ['-d', join(folder, 'data'), '--defaults', '--current-user-principal', '/alice/'];
  const daemon = await start({ folder }, 'xandikos', ...data, '-l', '127.0.0.1', '-p', String(port));
  const url = `http://127.0.0.1:${port}/`;
  await daemon.answers(url);
  return { name: 'xandikos', url, alice: ALICE, bob: ALICE, stop: () => daemon.stop() };
}
