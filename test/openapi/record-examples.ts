import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { OperationExample } from '../../adapters/http/src/operation-example.ts';
import { type Played, playExamples } from './play-examples.ts';

const FOLDER = 'adapters/http/src/examples';

/** Values in place of secrets, by the name of their field: scanners of secrets must find none here. */
const SECRETS: Readonly<Record<string, string>> = {
  endpointSecret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  key: 'kal_live_0123456789abcdef',
  accessToken: 'an-access-token',
  password: 'an-app-password',
  refreshToken: 'a-refresh-token',
  secret: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
  token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
};

/** Address of a feed. */
const FEED = /\/feeds\/\w{43}\.ics$/;

/** Returns what the documents show of a played operation: of a list one entry, and no secret. */
export function exampleOf({ operationId: _, tag: __, path: ___, answer: ____, ...example }: Played): OperationExample {
  return JSON.parse(
    JSON.stringify(example, (name, value) => {
      if (typeof value === 'string' && name in SECRETS && !/^key_/.test(value)) return SECRETS[name];
      if (typeof value === 'string' && FEED.test(value)) return value.replace(FEED, `/feeds/${SECRETS['secret']}.ics`);
      if (typeof value === 'string' && value.startsWith('BEGIN:VCALENDAR')) return shortened(value);
      return name === 'data' && Array.isArray(value) ? value.slice(0, 1) : value;
    }),
  ) as OperationExample;
}

/** Returns a calendar with one event, and without the zones. */
function shortened(calendar: string): string {
  const [head = '', first = ''] = calendar.split('BEGIN:VEVENT');
  const [event = ''] = first.split('END:VEVENT');
  const [beginning = ''] = head.split('BEGIN:VTIMEZONE');
  return `${beginning}BEGIN:VEVENT${event}END:VEVENT\r\nEND:VCALENDAR\r\n`;
}

/** Plays all operations, and writes their examples: one file for each tag, and their index. */
export async function main(): Promise<void> {
  // Both interfaces have some tags.
  const byTag = new Map<string, Played[]>();
  for (const each of await playExamples()) {
    const tag = each.path.startsWith('/admin/') ? `admin-${each.tag}` : each.tag;
    byTag.set(tag, [...(byTag.get(tag) ?? []), each]);
  }
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const files: { readonly file: string; readonly name: string }[] = [];
  for (const [tag, played] of byTag) {
    const file = tag.toLowerCase().replace(/[^a-z]+/g, '-');
    const name = file.replace(/-/g, '_').toUpperCase();
    const examples = Object.fromEntries(played.map((each) => [each.operationId, exampleOf(each)]));
    writeFileSync(`${FOLDER}/${file}.ts`, moduleOf(name, examples));
    files.push({ file, name });
  }
  writeFileSync(`${FOLDER}/index.ts`, indexOf(files));
  execFileSync('npx', ['biome', 'check', '--write', FOLDER], { stdio: ['ignore', 'ignore', 'inherit'] });
  console.log(`${FOLDER}: examples of ${[...byTag.values()].flat().length} operations`);
}

function indexOf(files: readonly { readonly file: string; readonly name: string }[]): string {
  const imports = files.map(({ file, name }) => `import { ${name} } from './${file}.ts';`);
  const merged = (isAdmin: boolean) =>
    files.filter(({ file }) => file.startsWith('admin-') === isAdmin).map(({ name }) => `  ...${name},`);
  return `${imports.join('\n')}

/** Examples of the interface of applications, by operationId. */
export const EXAMPLES = {
${merged(false).join('\n')}
};

/** Examples of the administration, by operationId. */
export const ADMIN_EXAMPLES = {
${merged(true).join('\n')}
};
`;
}

function moduleOf(name: string, examples: Readonly<Record<string, OperationExample>>): string {
  return `import type { OperationExample } from '../operation-example.ts';

/** Recorded by \`npm run openapi:examples\` from requests to the demo's calendars. */
export const ${name}: Readonly<Record<string, OperationExample>> = ${JSON.stringify(examples, null, 2)};
`;
}
