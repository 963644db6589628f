import { systemClock, systemRandom } from 'kalends/runtime';
import type { FleetSettings } from './engine-process.ts';
import { startEngineProcess } from './start-engine-process.ts';

const PATIENCE_MS = 120_000;
const PAUSE_MS = 50;
/**
 * Ask again: the outcome is not known yet, or the process that knew it is gone. 409: a write that outlived its lease, while its process stood
 * still; all that is asked here may be repeated.
 */
const LATER = new Set([409, 429, 500, 502, 503, 504]);

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the interface answers
  readonly body: any;
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/** Several engine processes on one database, any of which may be killed at any time. */
export interface Fleet {
  /**
   * Asks one of the processes, and another one when that has gone or can not answer for now, as a load balancer and a
   * patient client together do. @throws Error when no process has answered for two minutes
   */
  ask(path: string, question?: Question): Promise<Answer>;
  /** Kills one, and starts another in its place. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** @param program as `startEngineProcess` takes it */
export async function startFleet(
  settings: FleetSettings,
  size: number,
  apiKey: string,
  program?: string,
): Promise<Fleet> {
  const start = () => startEngineProcess(settings, program);
  const processes = await Promise.all(Array.from({ length: size }, start));
  const some = () => Math.floor(systemRandom.fraction() * size);
  return {
    async ask(path, { method = 'GET', body, idempotencyKey } = {}) {
      const headers = {
        'x-api-key': apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      let seen: unknown;
      for (const until = systemClock.now() + PATIENCE_MS; systemClock.now() < until; ) {
        try {
          const response = await fetch(`${processes[some()]!.url}/v1/${path}`, init);
          const text = await response.text();
          const answer = { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
          if (!LATER.has(answer.status)) return answer;
          seen = text;
        } catch (error) {
          seen = error;
        }
        await systemClock.sleep(PAUSE_MS);
      }
      throw new Error(`${method} ${path}: no process answers`, { cause: seen });
    },
    async kill() {
      const index = some();
      await processes[index]!.kill();
      processes[index] = await start();
    },
    async close() {
      await Promise.all(processes.map((process) => process.kill()));
    },
  };
}
