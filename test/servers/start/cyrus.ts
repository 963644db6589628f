import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALICE, BOB, type RunningServer } from './calendar-server.ts';
import { freePort, run, start } from './processes.ts';

const PROGRAMS = '/usr/lib/cyrus/bin';

/** A mailbox of each user; without it every request is answered with 500. */
const MAILBOXES = `
import imaplib, sys
server = imaplib.IMAP4('127.0.0.1', int(sys.argv[1]))
server.authenticate('PLAIN', lambda _: b'\\0cyrus\\0secret')
for user in sys.argv[2:]:
    assert server.create('user/' + user)[0] == 'OK'
`;

const configuration = (folder: string) => ({
  configdirectory: join(folder, 'conf'),
  proc_path: join(folder, 'run/proc'),
  mboxname_lockpath: join(folder, 'run/lock'),
  defaultpartition: 'default',
  'partition-default': join(folder, 'spool'),
  sievedir: join(folder, 'sieve'),
  admins: 'cyrus',
  altnamespace: 'no',
  unixhierarchysep: 'yes',
  virtdomains: 'off',
  allowplaintext: 'yes',
  httpmodules: 'caldav',
  caldav_allowscheduling: 'on',
  caldav_create_default: 'yes',
  // By default meetings that ended a week ago are no longer delivered; those of the provider kit are in March 2026.
  caldav_historical_age: '-1',
  sasl_pwcheck_method: 'auxprop',
  sasl_auxprop_plugin: 'sasldb',
  sasl_sasldb_path: join(folder, 'conf/sasldb2'),
  sasl_mech_list: 'PLAIN',
  servername: 'localhost',
});

const services = (settings: string, imapPort: number, httpPort: number) => `START {
  recover cmd="${PROGRAMS}/ctl_cyrusdb -C ${settings} -r"
}
SERVICES {
  imap cmd="${PROGRAMS}/imapd -C ${settings}" listen="127.0.0.1:${imapPort}" prefork=0 maxchild=5
  http cmd="${PROGRAMS}/httpd -C ${settings}" listen="127.0.0.1:${httpPort}" prefork=1 maxchild=10
}
EVENTS {
}
`;

/** Starts Cyrus with its HTTP service. Its processes run as its own user, so the caller must be root. */
export async function startCyrus(folder: string): Promise<RunningServer> {
  for (const name of ['conf', 'spool', 'run/proc', 'run/lock', 'sieve'])
    await mkdir(join(folder, name), { recursive: true });
  const [imapPort, httpPort] = [await freePort(), await freePort()];
  const settings = join(folder, 'imapd.conf');
  const lines = Object.entries(configuration(folder)).map(([name, value]) => `${name}: ${value}\n`);
  await writeFile(settings, lines.join(''));
  await writeFile(join(folder, 'cyrus.conf'), services(settings, imapPort, httpPort));
  await run({ folder }, 'chown', '-R', 'cyrus:mail', folder);
  for (const user of ['cyrus', ALICE.username, BOB.username]) {
    const words = `printf secret | saslpasswd2 -p -c -f '${join(folder, 'conf/sasldb2')}' -u localhost ${user}`;
    await run({ folder }, 'runuser', '-u', 'cyrus', '--', 'sh', '-c', words);
  }
  const pidFile = join(folder, 'master.pid');
  const files = ['-M', join(folder, 'cyrus.conf'), '-p', pidFile];
  const daemon = await start({ folder }, `${PROGRAMS}/master`, '-C', settings, ...files);
  const url = `http://127.0.0.1:${httpPort}/dav/`;
  await daemon.answers(url);
  await run({ folder }, 'python3', '-c', MAILBOXES, String(imapPort), ALICE.username, BOB.username);
  const stop = async () => {
    // The services have process groups of their own, which end with their master.
    process.kill(Number(await readFile(pidFile, 'utf8')), 'SIGTERM');
    await daemon.stop();
  };
  return { name: 'cyrus', url, alice: ALICE, bob: BOB, stop };
}
