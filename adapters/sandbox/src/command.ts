import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { importIcs } from './ics/import-ics.ts';
import { fileState } from './kernel/state.ts';
import { createSandbox } from './sandbox.ts';
import type { Sandbox } from './sandbox-interface.ts';
import { seedDemo } from './seed.ts';

/** The text of `--help`. */
export const USAGE = `Usage: node cli.js [options]
  --port N                 port to listen on (default: any free one)
  --hostname H             address to listen on (default: 127.0.0.1)
  --state FILE             keep the state in a file
  --seed N                 seed of every id and token (default: 1)
  --empty                  start without the demo mailboxes
  --ics FILE               import an .ics file into the demo's Google mailbox at this start (repeatable)
  --ics-microsoft FILE     the same for the demo's Microsoft mailbox (repeatable)
  --help`;

/** A started command. */
export interface RunningCommand {
  readonly url: string;
  readonly sandbox: Sandbox;
}

/**
 * Starts a sandbox by its arguments, and prints its addresses, one a line.
 * Undefined when the arguments only asked for help.
 * @throws Error naming an argument that cannot be used
 */
export async function runCommand(
  args: readonly string[],
  print: (line: string) => void,
): Promise<RunningCommand | undefined> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      hostname: { type: 'string', default: '127.0.0.1' },
      state: { type: 'string' },
      seed: { type: 'string', default: '1' },
      empty: { type: 'boolean', default: false },
      ics: { type: 'string', multiple: true, default: [] },
      'ics-microsoft': { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(USAGE);
    return undefined;
  }
  const seed = wholeNumber('seed', values.seed, 4_294_967_295);
  const port = wholeNumber('port', values.port, 65_535);
  const sandbox = createSandbox({ seed, ...(values.state === undefined ? {} : { state: fileState(values.state) }) });
  if (!values.empty) fill(sandbox, values.ics, values['ics-microsoft'], print);
  const { url } = await sandbox.listen({ port, hostname: values.hostname });
  print(`sandbox       ${url}`);
  print(`Google        ${url}/google/calendar/v3  ${sandbox.google.mailboxes().join(', ')}`);
  print(`Microsoft     ${url}/microsoft/v1.0  ${sandbox.microsoft.mailboxes().join(', ')}`);
  print(`CalDAV        ${url}/caldav/  ${sandbox.caldav.mailboxes().join(', ')}`);
  print(`control       ${url}/_sandbox`);
  return { url, sandbox };
}

function fill(
  sandbox: Sandbox,
  googleFiles: readonly string[],
  microsoftFiles: readonly string[],
  print: (line: string) => void,
): void {
  const demo = seedDemo(sandbox);
  for (const [provider, files] of [
    ['google', googleFiles],
    ['microsoft', microsoftFiles],
  ] as const) {
    for (const file of files) {
      const made = importIcs(sandbox[provider], { email: demo[provider], text: readFileSync(file, 'utf8') });
      for (const { name, events } of made.calendars) print(`imported      ${file}: ${name}, ${events} events`);
      for (const problem of made.problems) print(`problem       ${file}: ${problem}`);
    }
  }
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most) throw new RangeError(`--${name}: a whole number up to ${most}, not ${text}`);
  return value;
}
