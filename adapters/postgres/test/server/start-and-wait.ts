import { startPostgres } from './start-postgres.ts';

/** Starts a server, says where it is, and stays until it is killed. */
export async function main(): Promise<void> {
  const { url } = await startPostgres();
  process.stdout.write(`${url}\n`);
  await new Promise(() => setInterval(() => undefined, 60_000));
}
