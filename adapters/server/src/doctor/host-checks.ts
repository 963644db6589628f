import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Finding, HostCheck } from 'kalends/ports';
import type { Environment } from '../environment.ts';
import { SETTING_NAMES, type Settings } from '../settings.ts';

/** Rights of users who are neither the owner nor in the group. */
const OTHERS = 0o007;
/** Their right to reach what is in a folder. */
const PASSING = 0o001;

type HostSettings = Pick<Settings, 'publicUrl' | 'apiPath' | 'providersUrl'>;

/** Returns the checks of the standalone server that the engine cannot make itself. */
export function hostChecksOf(settings: HostSettings, env: Environment): readonly HostCheck[] {
  return [
    { check: 'providersUrl', run: async () => sandboxFindings(settings) },
    { check: 'apiPath', run: async () => apiPathFindings(settings) },
    { check: 'settingFiles', run: () => fileFindings(env) },
  ];
}

function sandboxFindings({ providersUrl }: HostSettings): readonly Finding[] {
  if (providersUrl === undefined) return [];
  const message = `The sandbox at ${providersUrl} is called in place of Google and Microsoft.`;
  return [{ check: 'providersUrl', status: 'warning', message, remedy: 'Unset KALENDS_PROVIDERS_URL in production.' }];
}

/** The path of the public URL and the one at which the server answers differ only behind a proxy that rewrites paths. */
function apiPathFindings({ publicUrl, apiPath }: HostSettings): readonly Finding[] {
  if (publicUrl === undefined) return [];
  const check = 'apiPath';
  const path = new URL(publicUrl).pathname.replace(/\/$/, '');
  if (path === apiPath) {
    return [{ check, status: 'ok', message: `The public URL and the server have the path ${apiPath}.`, remedy: null }];
  }
  const message = `The public URL has the path ${path === '' ? '/' : path}, but the server answers at ${apiPath}.`;
  const remedy = `Set KALENDS_API_PATH to ${path === '' ? 'the path of the public URL, and give that a path such as /api' : path}, unless a proxy rewrites the one to the other.`;
  return [{ check, status: 'warning', message, remedy }];
}

/** Whether other users can reach a file and open it. Those of a container have no other users, and are read by another one than their owner. */
async function isOpen(file: string): Promise<boolean> {
  if (file.startsWith('/run/secrets/')) return false;
  const path = await realpath(file);
  if (((await stat(path)).mode & OTHERS) === 0) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & PASSING) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function fileFindings(env: Environment): Promise<readonly Finding[]> {
  const check = 'settingFiles';
  const files = SETTING_NAMES.flatMap(({ variable }) => env[`${variable}_FILE`] || []);
  if (files.length === 0 || process.platform === 'win32') return [];
  const found = await Promise.all(files.map(async (file) => ({ file, isOpen: await isOpen(file).catch(() => false) })));
  const open = found.filter(({ isOpen }) => isOpen).map(({ file }) => file);
  if (open.length === 0) {
    return [
      { check, status: 'ok', message: 'Other users of the machine cannot open the files of settings.', remedy: null },
    ];
  }
  const message = `Other users of the machine can open files of settings: ${open.join(', ')}.`;
  return [{ check, status: 'warning', message, remedy: `Run: chmod 600 ${open.map((file) => `'${file}'`).join(' ')}` }];
}
