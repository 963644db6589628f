import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALICE, BOB, type RunningServer } from './calendar-server.ts';
import { startDatabase } from './databases.ts';
import { freePort, run, start } from './processes.ts';

/** A principal needs all privileges that DAViCal gives to its own calendars: 7168. */
const USERS = `
INSERT INTO usr (username, password, fullname, email) VALUES ${[ALICE, BOB]
  .map(({ username, password, email }) => `('${username}', '**${password}', '${username}', '${email}')`)
  .join(', ')};
INSERT INTO principal (type_id, user_no, displayname, default_privileges)
  SELECT 1, user_no, fullname, 7168::BIT(24) FROM usr WHERE username IN ('${ALICE.username}', '${BOB.username}');
`;

/** Does what the packaged configuration of Apache does. */
const ROUTER = `<?php
$path = explode('?', $_SERVER['REQUEST_URI'], 2)[0];
$root = '/usr/share/davical/htdocs';
if (preg_match('#^/davical/caldav\\.php(/.*)?$#', $path, $match)) $info = $match[1] ?? '/';
elseif (str_starts_with($path, '/.well-known/')) $info = $path;
else { http_response_code(404); return true; }
$_SERVER['SCRIPT_NAME'] = '/davical/caldav.php';
$_SERVER['PHP_SELF'] = '/davical/caldav.php' . $info;
$_SERVER['PATH_INFO'] = rawurldecode($info);
$_SERVER['DOCUMENT_ROOT'] = $root;
$_SERVER['SCRIPT_FILENAME'] = "$root/caldav.php";
chdir($root);
require "$root/caldav.php";
return true;
`;

/** Starts DAViCal on the web server of PHP, with a PostgreSQL of its own. */
export async function startDavical(folder: string): Promise<RunningServer> {
  const database = await startDatabase();
  const { environment } = database;
  try {
    await run({ folder, environment }, 'sh', '/usr/share/davical/dba/create-database.sh', 'davical', 'secret');
    await run({ folder, environment }, 'psql', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'davical', '-c', USERS);
    await writeFile(join(folder, 'router.php'), ROUTER);
    const port = await freePort();
    const settings = {
      display_errors: '0',
      log_errors: '1',
      error_log: join(folder, 'php.log'),
      include_path: '/usr/share/davical/inc:/usr/share/awl/inc',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-d', `${name}=${value}`]);
    const daemon = await start(
      { folder, environment: { ...environment, PHP_CLI_SERVER_WORKERS: '3' } },
      'php',
      ...flags,
      '-S',
      `127.0.0.1:${port}`,
      'router.php',
    );
    await daemon.answers(`http://127.0.0.1:${port}/`);
    const url = `http://127.0.0.1:${port}/davical/caldav.php/`;
    const stop = async () => {
      await daemon.stop('SIGKILL');
      await database.server.stop();
    };
    return { name: 'davical', url, alice: ALICE, bob: BOB, stop };
  } catch (error) {
    await database.server.stop();
    throw error;
  }
}
