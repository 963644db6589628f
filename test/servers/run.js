// Plays test/servers: `npm run test:servers`, or `npm run test:servers -- radicale cyrus` for some of the servers. Packages of Debian
// that are missing are installed, which takes root; without them the run fails and names them. With --figures it measures instead of
// testing: --figures --events=10000 radicale.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';

/** Packages of each server, with a file of each by which it is known to be installed. */
const PACKAGES = {
  radicale: { radicale: '/usr/bin/radicale' },
  xandikos: { xandikos: '/usr/bin/xandikos' },
  davical: {
    davical: '/usr/share/davical/htdocs/caldav.php',
    'php-cli': '/usr/bin/php',
    'php-pgsql': '/usr/share/doc/php-pgsql',
    'php-xml': '/usr/share/doc/php-xml',
    'php-curl': '/usr/share/doc/php-curl',
    postgresql: '/usr/bin/psql',
  },
  cyrus: {
    'cyrus-imapd': '/usr/sbin/cyrmaster',
    'cyrus-caldav': '/usr/lib/cyrus/bin/httpd',
    'sasl2-bin': '/usr/sbin/saslpasswd2',
    'libsasl2-modules': '/usr/share/doc/libsasl2-modules',
  },
  sogo: { sogo: '/usr/sbin/sogod', postgresql: '/usr/bin/psql' },
};

/** The second reader of iCalendar. */
const ORACLE = {
  python3: '/usr/bin/python3',
  'python3-icalendar': '/usr/lib/python3/dist-packages/icalendar',
  'python3-recurring-ical-events': '/usr/lib/python3/dist-packages/recurring_ical_events.py',
};

const given = process.argv.slice(2);
const names = given.filter((word) => word in PACKAGES);
const others = given.filter((word) => !(word in PACKAGES));
const played = names.length === 0 ? Object.keys(PACKAGES) : names;

const wanted = { ...ORACLE, ...Object.assign({}, ...played.map((name) => PACKAGES[name])) };
const missing = Object.keys(wanted).filter((name) => !existsSync(wanted[name]));
if (missing.length > 0) install(missing);
if (process.getuid?.() !== 0 && played.some((name) => name === 'cyrus' || name === 'sogo')) {
  fail('Cyrus and SOGo run as their own users: the run must be root, or name other servers.');
}

if (given.includes('--figures')) {
  const events = others.filter((word) => word.startsWith('--events='));
  const words = [
    'adapters/postgres/test/server/run-source.js',
    'test/servers/figures/measure-servers.ts',
    ...events,
    ...played,
  ];
  process.exit(spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1);
}

process.env.KALENDS_TEST_SERVERS = played.join(' ');
const vitest = await startVitest('test', others, {
  config: fileURLToPath(new URL('servers.config.ts', import.meta.url)),
  watch: false,
  run: true,
});
await vitest.close();

/** @param {readonly string[]} packages */
function install(packages) {
  console.info(`missing: ${packages.join(' ')}`);
  if (process.getuid?.() !== 0)
    fail(`Install them first: apt-get install --no-install-recommends ${packages.join(' ')}`);
  // The packages would start services of their own, with settings of nobody's.
  const quiet = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const run = (/** @type {string[]} */ ...words) =>
    spawnSync('apt-get', words, { env: quiet, stdio: 'inherit' }).status;
  if (run('update', '-qq') !== 0 || run('install', '-y', '-qq', '--no-install-recommends', ...packages) !== 0) {
    fail('The packages could not be installed.');
  }
}

/** @param {string} why */
function fail(why) {
  console.error(why);
  process.exit(1);
}
