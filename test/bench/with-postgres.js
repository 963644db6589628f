import { fileURLToPath } from 'node:url';
import { loadSource } from '../../adapters/postgres/test/server/load-source.js';

/** Works on KALENDS_TEST_POSTGRES_URL, or on a server that is started for it and stopped after. */
export async function withPostgres(work) {
  const given = process.env.KALENDS_TEST_POSTGRES_URL;
  if (given !== undefined) return work(given);
  const path = fileURLToPath(new URL('../../adapters/postgres/test/server/start-postgres.ts', import.meta.url));
  const { module, close } = await loadSource(path);
  const server = await module.startPostgres();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
    await close();
  }
}
