import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';
import { createEngine, type Engine } from 'kalends';
import type { Logger } from 'kalends/ports';
import { type MovableClock, movableClock } from '../interface/movable-clock.ts';
import { createWorld, type World } from '../interface/world.ts';
import { type DatabaseRows, openRows } from '../storages/database-rows.ts';
import { storageAt } from '../storages/storage-at.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');

/** A service whose database and log can be searched, and whose receivers repeat in their answers what they are told. */
export interface ErasedWorld {
  readonly world: World;
  readonly clock: MovableClock;
  readonly rows: DatabaseRows;
  /** Lines of the engine's log. */
  readonly log: readonly string[];
  readonly receiverUrl: string;
  /** Tables and columns whose rows contain the text, `table.column` by `table.column`; read past the storage. */
  find(text: string): Promise<readonly string[]>;
  /** Runs another engine on the database until `isDone`: its housekeeping begins at once. */
  upkeep(isDone: (engine: Engine) => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export async function createErasedWorld(database: string): Promise<ErasedWorld> {
  const clock = movableClock();
  const log: string[] = [];
  const write = (...line: readonly unknown[]) => void log.push(JSON.stringify(line));
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const echo = createServer((request, response) => {
    // One receiver answers with success, the other with a failure.
    response.writeHead(request.url === '/failing' ? 500 : 200);
    request.pipe(response);
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const world = await createWorld({ storage: await storageAt(database, clock), clock, logger });
  const rows = await openRows(database);
  return {
    world,
    clock,
    rows,
    log,
    receiverUrl: `http://127.0.0.1:${(echo.address() as AddressInfo).port}`,
    async find(text) {
      const found = new Set<string>();
      for (const [table, each] of Object.entries(await rows.read(await rows.tables()))) {
        for (const [column, value] of each.flatMap((row) => Object.entries(row))) {
          if (String(value).toLowerCase().includes(text.toLowerCase())) found.add(`${table}.${column}`);
        }
      }
      return [...found].sort();
    },
    async upkeep(isDone) {
      const engine = createEngine({
        storage: await storageAt(database, clock),
        providers: { PROVIDER_A: google(), PROVIDER_B: microsoft() },
        secret: SECRET,
        webhooks: { allowedNetworks: ['127.0.0.0/8'] },
        clock,
        logger,
      });
      await engine.start();
      while (!(await isDone(engine))) await clock.sleep(10);
      await engine.stop();
    },
    async close() {
      await rows.close();
      await world.close();
      echo.closeAllConnections();
      await new Promise((resolve) => echo.close(resolve));
    },
  };
}
