import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { DAMAGED_TEXTS } from './result-code.ts';

/**
 * Runs in the child process. Text, so that it is the same from sources and from a build. It checks table by table: while a read
 * transaction is open the write-ahead log cannot be restarted, so each table has one of its own.
 */
const CHECK = `
const [path, driver, damaged] = JSON.parse(process.argv[1]);
const { DatabaseSync } = require(driver);

// A badly damaged page ends the check with an error.
function told(check) {
  try {
    return check();
  } catch (error) {
    if (!damaged.includes(error.message)) throw error;
    return [error.message];
  }
}

function check(database) {
  const tables = database.prepare("select name from sqlite_schema where type = 'table' and rootpage > 0").all();
  for (const { name } of [{ name: 'sqlite_schema' }, ...tables]) {
    const pragma = 'pragma quick_check("' + name.replaceAll('"', '""') + '")';
    const lines = told(() => database.prepare(pragma).all().map((row) => row.quick_check));
    const found = lines.filter((line) => line !== 'ok');
    if (found.length > 0) return found.map((line) => name + ': ' + line);
  }
  return [];
}

const database = new DatabaseSync(path, { readOnly: true });
try {
  database.exec('pragma busy_timeout = 5000');
  process.stdout.write(JSON.stringify(told(() => check(database))));
} finally {
  database.close();
}
`;

/**
 * Runs SQLite's quick_check on a database file. Resolves with the damage found in the first damaged table, none for a sound
 * file. It runs in a child process of low priority: the driver blocks its thread for minutes on a large file, and a worker
 * thread that is terminated inside the driver, or a damaged file, can crash the process.
 * @throws the signal's reason, once the child has ended, or an error that says why the file cannot be read
 * @see https://www.sqlite.org/pragma.html#pragma_quick_check
 */
export async function checkPages(path: string, signal: AbortSignal): Promise<readonly string[]> {
  signal.throwIfAborted();
  const driver = createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const parameters = JSON.stringify([path, driver, DAMAGED_TEXTS]);
  const child = spawn(process.execPath, ['-e', CHECK, parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A process that forgets to close the storage can end all the same.
  child.unref();
  // spawn's own `signal` rejects at once, while the killed child still has the file and its write-ahead log open.
  const kill = () => {
    child.ref();
    child.kill('SIGKILL');
  };
  signal.addEventListener('abort', kill, { once: true });
  const outcome = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const [[code], found, complaint] = await outcome.finally(() => signal.removeEventListener('abort', kill));
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`The check of the pages ended with ${code}: ${complaint.trim().slice(-500)}`);
  return JSON.parse(found) as readonly string[];
}
