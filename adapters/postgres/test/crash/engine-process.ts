import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { postgres } from '@kalends/postgres';
import { createEngine, type Engine } from 'kalends';
import type { Clock } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';

/** Settings that the processes of a test share. */
export interface FleetSettings {
  /** Address of the database. */
  readonly database: string;
  /** Address of the sandbox. */
  readonly providers: string;
  /** So far has the clock been turned forward. @default 0 */
  readonly offsetMs?: number;
  /** From `startedAt` on, a real time, it passes `speed` times as fast. @default as usual */
  readonly passing?: { readonly startedAt: number; readonly speed: number };
}

export function fleetClock({ offsetMs = 0, passing = { startedAt: 0, speed: 1 } }: FleetSettings): Clock {
  const { startedAt, speed } = passing;
  return {
    now: () => Math.floor(startedAt + (systemClock.now() - startedAt) * speed) + offsetMs,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}

/** An engine on a database, in front of the sandbox. It learns of changes by polling. */
export function engineOn(settings: FleetSettings): Engine {
  const clock = fleetClock(settings);
  const { database, providers, passing } = settings;
  return createEngine({
    storage: postgres({ connectionString: database, clock }),
    providers: {
      PROVIDER_A: google(googleEndpoints(`${providers}/google`)),
      PROVIDER_B: microsoft(microsoftEndpoints(`${providers}/microsoft`)),
    },
    secret: Buffer.alloc(32, 3).toString('base64'),
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
    sync: { pollWithoutPushMs: 200 * (passing?.speed ?? 1), freshWithoutPushMs: 1, readWaitMs: 600_000 },
    clock,
  });
}

/** Works, and serves the interface at the address that it tells, until it is killed or its input ends. */
export async function main(settings: string): Promise<void> {
  const engine = engineOn(JSON.parse(settings) as FleetSettings);
  await engine.start();
  const server = createServer(nodeListener(createHandler(engine)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  await text(process.stdin);
  process.exit();
}
