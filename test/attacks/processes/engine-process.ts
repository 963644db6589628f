// An engine in a process of its own, in real time, until it is killed: it polls, delivers, and does what its input says.
import { createInterface } from 'node:readline';
import { google, googleEndpoints } from '@kalends/google';
import { createEngine } from 'kalends';
import type { Logger } from 'kalends/ports';
import { storageAt } from '../../storages/storage-at.ts';

/** Settings that the processes of a test share. */
export interface EngineSettings {
  /** A path or an address, as `storageAt` takes it. */
  readonly database: string;
  /** Address of the sandbox, or of what stands before it. */
  readonly providers: string;
  readonly reconcileEveryMs?: number;
  /** Makes the process open push channels. */
  readonly publicUrl?: string;
}

/** A line of its input: renames an event. */
export interface Rename {
  readonly applicationId: string;
  readonly accountId: string;
  readonly calendarId: string;
  readonly eventId: string;
  readonly title: string;
}

const write = (text: string, fields?: unknown) => process.stdout.write(`${text} ${JSON.stringify(fields ?? {})}\n`);

/** @param say takes what it logs */
export async function engineOn(
  { database, providers, reconcileEveryMs, publicUrl }: EngineSettings,
  say: Logger['debug'] = () => undefined,
) {
  return createEngine({
    storage: await storageAt(database),
    providers: { PROVIDER_A: google(googleEndpoints(`${providers}/google`)) },
    secret: Buffer.alloc(32, 3).toString('base64'),
    webhooks: { allowedNetworks: ['127.0.0.0/8'], timeoutMs: 120_000 },
    sync: {
      pollWithoutPushMs: 200,
      freshWithoutPushMs: 1,
      ...(reconcileEveryMs === undefined ? {} : { reconcileEveryMs }),
    },
    ...(publicUrl === undefined ? {} : { publicUrl }),
    logger: { debug: say, info: say, warn: say, error: say },
  });
}

/** Says `ready` when it works, and then what it logs. */
export async function main(settings: string): Promise<void> {
  const engine = await engineOn(JSON.parse(settings) as EngineSettings, write);
  await engine.start();
  write('ready');
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { applicationId, accountId, calendarId, eventId, title } = JSON.parse(line) as Rename;
    engine.events.update({ applicationId }, accountId, calendarId, eventId, { title }).catch((error) => {
      write('the write failed', { error: String(error) });
    });
  });
  lines.on('close', () => process.exit());
}
