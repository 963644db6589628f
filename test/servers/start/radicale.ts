import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALICE, BOB, type RunningServer } from './calendar-server.ts';
import { freePort, start } from './processes.ts';

/** Starts Radicale with two users. */
export async function startRadicale(folder: string): Promise<RunningServer> {
  const port = await freePort();
  const users = join(folder, 'users');
  await mkdir(join(folder, 'data'), { recursive: true });
  await writeFile(users, [ALICE, BOB].map(({ username, password }) => `${username}:${password}\n`).join(''));
  const configuration = [
    '[server]',
    `hosts = 127.0.0.1:${port}`,
    '[auth]',
    'type = htpasswd',
    `htpasswd_filename = ${users}`,
    'htpasswd_encryption = plain',
    // A wrong password is otherwise answered after a second.
    'delay = 0',
    '[rights]',
    'type = owner_only',
    '[storage]',
    `filesystem_folder = ${join(folder, 'data')}`,
    '[web]',
    'type = none',
  ];
  await writeFile(join(folder, 'config'), `${configuration.join('\n')}\n`);
  const daemon = await start({ folder }, 'radicale', '-C', join(folder, 'config'));
  const url = `http://127.0.0.1:${port}/`;
  await daemon.answers(url);
  return { name: 'radicale', url, alice: ALICE, bob: BOB, stop: () => daemon.stop() };
}
