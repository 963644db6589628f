import type { Engine } from 'kalends';
import { KalendsError } from 'kalends/ports';
import { createHistoryChecker } from '../../adapters/server/src/history/history-checker.ts';
import { readHistoryLine } from '../../adapters/server/src/history/history-line.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Requests of the clients of a simulation and their answers, as a history over HTTP has them. */
export interface ClientLog {
  readonly lines: readonly string[];
  /** Returns the engine, with the calls of its events logged. */
  logged(engine: Engine): Engine;
  /** Notes that nothing changes any more. */
  quiet(): void;
}

export function clientLog(time: VirtualTime): ClientLog {
  const lines: string[] = [];
  let last = 0;
  // Calls take no time: each moment is a microsecond of its own.
  const now = () => {
    last = Math.max(time.now(), last + 0.001);
    return last;
  };

  async function exchange<Answer>(method: string, url: string, status: number, work: Promise<Answer>): Promise<Answer> {
    const sentAt = now();
    const note = (end: object) => lines.push(JSON.stringify({ sentAt, answeredAt: now(), method, url, ...end }));
    try {
      const body = await work;
      note({ status, body });
      return body;
    } catch (error) {
      note(KalendsError.isInstance(error) ? { status: error.status, body: { code: error.code } } : {});
      throw error;
    }
  }

  return {
    lines,
    quiet: () => void lines.push(JSON.stringify({ quiet: true, at: now() })),
    logged: (engine) => ({
      ...engine,
      events: {
        ...engine.events,
        list: ((...call: Parameters<Engine['events']['list']>) =>
          exchange(
            'GET',
            urlOf(call.slice(1, 3), call[3]),
            200,
            engine.events.list(...call),
          )) as Engine['events']['list'],
        get: (...call: Parameters<Engine['events']['get']>) =>
          exchange('GET', urlOf(call.slice(1, 4), call[4]), 200, engine.events.get(...call)),
        create: (...call: Parameters<Engine['events']['create']>) =>
          exchange('POST', urlOf(call.slice(1, 3)), 201, engine.events.create(...call)),
        update: (...call: Parameters<Engine['events']['update']>) =>
          exchange('PUT', urlOf(call.slice(1, 4), call[5]), 200, engine.events.update(...call)),
        delete: (...call: Parameters<Engine['events']['delete']>) =>
          exchange('DELETE', urlOf(call.slice(1, 4), call[4]), 200, engine.events.delete(...call)),
      },
    }),
  };
}

function urlOf(ids: readonly unknown[], query: object = {}): string {
  const path = `/v1/events/${ids.map((id) => encodeURIComponent(String(id))).join('/')}`;
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(given))}`;
}

/** Returns what the checker of `kalends check-history` finds. */
export function checkLog({ lines }: Pick<ClientLog, 'lines'>) {
  const checker = createHistoryChecker();
  for (const [index, line] of lines.entries()) checker.take(readHistoryLine(line, index + 1), index + 1);
  return checker.end();
}
