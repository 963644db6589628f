import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@kalends/conformance';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Random } from 'kalends/ports';
import { createDisk, type Files } from './disk.ts';
import { CLIENT, PROVIDERS, type ProviderName } from './engine-on-file.ts';
import { judge } from './judge.ts';
import { type Mark, type Promises, promisesOf } from './marks.ts';
import type { Flaw } from './program.ts';
import { startProvider } from './provider-states.ts';
import { type Equipment, recordProgram } from './record-program.ts';
import { type Entry, providerEntry, readRecording } from './recording.ts';

export interface CycleOptions {
  readonly equipment: Equipment;
  readonly seed: number;
  /** Power cuts in the recording. */
  readonly cuts: number;
  /** States of the disk at each cut, where these are not few enough to be all tried. */
  readonly states: number;
  /** Works of each of the two lanes. */
  readonly works: number;
  readonly flaw?: Flaw;
}

export interface CycleReport {
  readonly calls: number;
  readonly syncs: number;
  readonly cuts: number;
  readonly states: number;
  /** Different databases among them, which are judged by the product. */
  readonly databases: number;
  readonly acknowledged: number;
  readonly refusedTokens: number;
  /** Losses; each with the folder where the rebuilt file is kept. */
  readonly faults: readonly string[];
}

const DATABASE = 'kalends.db';
const MARKS = 'marks';
const SPARES = 8;

/** Records a process that writes, cuts its power at several places, and judges each database that may be found then. */
export async function playCycle(options: CycleOptions): Promise<CycleReport> {
  const { equipment, seed, cuts, works, flaw = 'none' } = options;
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'kalends-power-cuts-')));
  const folder = join(home, 'disk');
  const log = join(home, 'log');
  mkdirSync(folder);
  writeFileSync(log, '');
  const provider: ProviderName = seed % 4 < 2 ? 'google' : 'microsoft';
  const { url, sandbox, states, close } = await startProvider(provider, seed, (index) =>
    appendFileSync(log, providerEntry(index)),
  );
  const { email } = PROVIDERS[provider];
  const tokenOf = (each: string) => sandbox[provider].issueRefreshToken({ email: each, clientId: CLIENT.clientId });
  const spareOf = (index: number) => {
    const spare = `${index}.${email}`;
    sandbox[provider].addMailbox({ email: spare, name: 'Spare', timeZone: 'Europe/London' });
    return { email: spare, refreshToken: tokenOf(spare) };
  };
  let isWhole = false;
  try {
    await recordProgram(
      {
        ...{ seed, provider, works, flaw, providers: url },
        path: join(folder, DATABASE),
        marks: join(folder, MARKS),
        refreshToken: tokenOf(email),
        spares: Array.from({ length: SPARES }, (_, index) => spareOf(index)),
        accessToken: await sandbox.accessToken({ provider, email }),
      },
      equipment,
      { folder, log },
    );
    const entries = readRecording(readFileSync(log));
    const random = seededRandom(seed);
    const found = survivorsAt(entries, placesOf(entries, random, options), { random, states: options.states, home });
    const faults = [...found.faults];
    let refusedTokens = 0;
    const last = [...found.databases.values()].at(-1);
    const judgeOne = async ([digest, database]: readonly [string, Database]) => {
      // One loss shows that the proof notices a flaw.
      if (flaw !== 'none' && faults.length > found.faults.length) return;
      const { files, promises, providerIndex, place } = database;
      const folder = join(home, digest);
      write(folder, files);
      const path = join(folder, DATABASE);
      const judgement = await judge({
        path,
        promises,
        provider,
        providers: url,
        providerState: states[providerIndex]!,
        isChecked: database === last,
      });
      refusedTokens += judgement.refusedTokens;
      rmSync(folder, { recursive: true });
      if (judgement.faults.length === 0) return;
      write(folder, files);
      const where = `(cut at ${place} of ${entries.length}; the files are in ${folder})`;
      faults.push(...judgement.faults.map((each) => `${each} ${where}`));
    };
    if (flaw === 'none') await Promise.all([...found.databases].map(judgeOne));
    else for (const each of found.databases) await judgeOne(each);
    isWhole = faults.length === 0 || flaw !== 'none';
    return {
      calls: entries.filter(({ kind }) => kind !== 'P').length,
      syncs: entries.filter(({ kind }) => kind === 'S').length,
      ...{ cuts, states: found.states, databases: found.databases.size },
      acknowledged: found.acknowledged,
      ...{ refusedTokens, faults },
    };
  } finally {
    await close();
    // The recording of a failure is kept.
    if (isWhole) rmSync(home, { recursive: true });
  }
}

/** Draws the places of cuts: half of them right after an acknowledgement, others after any call, or while the log is copied. */
function placesOf(entries: readonly Entry[], random: Random, { cuts, flaw }: CycleOptions): readonly number[] {
  const fileOf = (name: string) => entries.find(({ kind, bytes }) => kind === 'C' && bytes.toString() === name)?.file;
  const marks = fileOf(MARKS);
  const database = fileOf(DATABASE);
  const after = (isWanted: (entry: Entry) => boolean) =>
    entries.flatMap((entry, index) => (isWanted(entry) ? [index + 1] : []));
  const acknowledged = after(({ file, bytes }) => file === marks && bytes.includes('"is":"done"'));
  const copied = after(({ kind, file }) => (kind === 'W' && file === database) || kind === 'U' || kind === 'T');
  const called = after(({ kind }) => kind !== 'P');
  const kinds = flaw === 'early' ? [acknowledged] : [acknowledged, copied, acknowledged, called];
  const draw = (places: readonly number[]) => places[Math.floor(random.fraction() * places.length)]!;
  return Array.from({ length: cuts }, (_, index) => draw(kinds[index % kinds.length]!)).sort((a, b) => a - b);
}

interface Database {
  readonly files: Files;
  readonly promises: Promises;
  readonly providerIndex: number;
  readonly place: number;
}

/**
 * Rebuilds the disk at each place. Many states have one database once SQLite has recovered them, by its bytes: it is judged once, by the most
 * that was acknowledged by then.
 */
function survivorsAt(
  entries: readonly Entry[],
  places: readonly number[],
  { random, states: count, home }: { readonly random: Random; readonly states: number; readonly home: string },
) {
  const disk = createDisk();
  const marks: Mark[] = [];
  const databases = new Map<string, Database>();
  const faults: string[] = [];
  let marksFile: string | undefined;
  let providerIndex = 0;
  let states = 0;
  let done = 0;
  let promises = promisesOf([]);
  for (const place of places) {
    for (const entry of entries.slice(done, place)) {
      if (entry.kind === 'P') providerIndex = entry.offset;
      else if (entry.kind === 'C' && entry.bytes.toString() === MARKS) marksFile = entry.file;
      else if (entry.file === marksFile) marks.push(JSON.parse(entry.bytes.toString()) as Mark);
      else disk.apply(entry);
    }
    done = place;
    promises = promisesOf(marks);
    for (const files of disk.survivors(random, count)) {
      states += 1;
      const folder = join(home, 'rebuilt');
      write(folder, files);
      const { digest, damage } = recover(join(folder, DATABASE));
      rmSync(folder, { recursive: true });
      if (damage === undefined) databases.set(digest, { files, promises, providerIndex, place });
      else {
        const kept = join(home, `damaged-${states}`);
        write(kept, files);
        faults.push(
          `The database is damaged: ${damage} (cut at ${place} of ${entries.length}; the files are in ${kept})`,
        );
      }
    }
  }
  return { databases, faults, states, acknowledged: promises.acknowledged };
}

function write(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}

/** Opens a file as SQLite does after a crash. Returns the digest of the database, with the log copied into it. */
function recover(path: string): { readonly digest: string; readonly damage: string | undefined } {
  try {
    const database = new DatabaseSync(path);
    try {
      const lines = database.prepare('pragma integrity_check').all() as { integrity_check: string }[];
      database.exec('pragma wal_checkpoint(truncate)');
      const [{ integrity_check: first }] = lines as [{ integrity_check: string }];
      if (first !== 'ok') return { digest: '', damage: first };
    } finally {
      database.close();
    }
    return { digest: createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16), damage: undefined };
  } catch (error) {
    return { digest: '', damage: error instanceof Error ? error.message : String(error) };
  }
}
