import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { type ShardedStorage, shardedStorage } from '@kalends/postgres';
import { createEngine, type Engine } from 'kalends';
import { KalendsError } from 'kalends/ports';
import { type FleetSettings, fleetClock } from '../crash/engine-process.ts';
import { databasesOf } from './sharded-databases.ts';
import { fastClock } from './sharded-world.ts';

const MOVE = /\/v1\/move\/([^/]+)\/([^/]+)\/([^/]+)$/;

/** An engine on several databases, whose addresses are joined by commas. Reads pull seldom, and it polls next to never. */
export function shardedEngineOn(settings: FleetSettings): {
  readonly engine: Engine;
  readonly storage: ShardedStorage;
} {
  const clock = fleetClock(settings);
  const { database, providers, passing } = settings;
  const speed = passing?.speed ?? 1;
  const storage = shardedStorage({
    shards: databasesOf(database.split(','), clock),
    clock: fastClock(speed),
  });
  const engine = createEngine({
    storage,
    providers: { PROVIDER_A: google(googleEndpoints(`${providers}/google`)) },
    secret: Buffer.alloc(32, 3).toString('base64'),
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
    sync: { pollWithoutPushMs: 3_600_000, freshWithoutPushMs: 10_000, readWaitMs: 600_000 },
    clock,
  });
  return { engine, storage };
}

/** Works, serves the interface and moves accounts when it is asked to, until it is killed or its input ends. */
export async function main(settings: string): Promise<void> {
  const { engine, storage } = shardedEngineOn(JSON.parse(settings) as FleetSettings);
  await engine.start();
  const handler = createHandler(engine);
  const serve = async (request: Request): Promise<Response> => {
    const [, applicationId, accountId, shard] = MOVE.exec(request.url) ?? [];
    if (applicationId === undefined || accountId === undefined || shard === undefined) return await handler(request);
    try {
      await storage.moveAccount(applicationId, accountId, shard);
      return Response.json({});
    } catch (error) {
      return Response.json({ error: String(error) }, { status: KalendsError.isInstance(error) ? 409 : 503 });
    }
  };
  const server = createServer(nodeListener(serve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  await text(process.stdin);
  process.exit();
}
