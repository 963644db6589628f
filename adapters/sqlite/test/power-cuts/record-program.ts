import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { buildRecorder } from './build-recorder.ts';
import type { Flaw, ProgramSettings } from './program.ts';

/** Files that a recorded process runs with. */
export interface Equipment {
  /** For its files; removed by the caller. */
  readonly home: string;
  /** The library that records file calls. */
  readonly recorder: string;
  /** The program as one module: its sources take seconds to load one by one. */
  readonly programs: Readonly<Record<Flaw, string>>;
}

const CONDITIONS = ['kalends-source', 'node'];
/** Within the repository, where the packages of others are found. */
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache', import.meta.url));
/** The product's setting of commits. */
const FULL = 'synchronous = full';

export async function prepareEquipment(): Promise<Equipment> {
  mkdirSync(CACHE, { recursive: true });
  const home = mkdtempSync(join(CACHE, 'power-cuts-'));
  const recorder = buildRecorder(home);
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: CONDITIONS },
    ssr: { resolve: { conditions: CONDITIONS }, noExternal: [/kalends/] },
    build: {
      ssr: fileURLToPath(new URL('program.ts', import.meta.url)),
      outDir: home,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: 'none.mjs', codeSplitting: false } },
    },
  });
  const none = join(home, 'none.mjs');
  const program = readFileSync(none, 'utf8');
  if (!program.includes(FULL)) throw new Error(`The program has no "${FULL}" to weaken`);
  const weaken = (synchronous: 'off' | 'normal') => {
    const path = join(home, `${synchronous}.mjs`);
    writeFileSync(path, program.replaceAll(FULL, `synchronous = ${synchronous}`));
    return path;
  };
  return { home, recorder, programs: { none, early: none, off: weaken('off'), normal: weaken('normal') } };
}

/** Runs the program to its end, and records its file calls. @throws Error with what it complained of */
export async function recordProgram(
  settings: ProgramSettings,
  { recorder, programs }: Equipment,
  { folder, log }: { readonly folder: string; readonly log: string },
): Promise<void> {
  const start = `import { main } from ${JSON.stringify(programs[settings.flaw])}; await main(process.argv[1]);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', start, JSON.stringify(settings)], {
    env: { ...process.env, LD_PRELOAD: recorder, POWER_CUT_FOLDER: folder, POWER_CUT_LOG: log },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const [[code], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  if (code !== 0) throw new Error(`The recorded process ended with ${code}:\n${complaint}`);
}
