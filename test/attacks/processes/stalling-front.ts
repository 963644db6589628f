import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request as it arrived. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** An HTTP server that answers when the test lets it. */
export interface StallingFront {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** Requests like this wait from now on; resolves when the first has arrived, with what lets all of them go on. */
  stall(isIt: (arrival: Arrival) => boolean): Promise<() => void>;
  /** Resolves when a further request like this arrives. */
  next(isIt: (arrival: Arrival) => boolean): Promise<Arrival>;
}

/** Stands before `target`, or where there is none answers 204 by itself. */
export async function startFront(target?: string): Promise<StallingFront> {
  const arrivals: Arrival[] = [];
  const watchers = new Set<(arrival: Arrival) => void>();
  let stalling: { readonly isIt: (arrival: Arrival) => boolean; readonly gate: Promise<void> } | undefined;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = '', url: path = '', headers } = request;
    const arrival = { method, path, body: body.toString(), headers };
    const gate = stalling?.isIt(arrival) === true ? stalling.gate : undefined;
    arrivals.push(arrival);
    for (const watch of watchers) watch(arrival);
    await gate;
    if (target === undefined) {
      response.writeHead(204).end();
      return;
    }
    // With its own host: the sandbox names itself after what it was asked as.
    const passed = httpRequest(`${target}${path}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    passed.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const next: StallingFront['next'] = (isIt) =>
    new Promise((resolve) => {
      const watch = (arrival: Arrival) => {
        if (!isIt(arrival)) return;
        watchers.delete(watch);
        resolve(arrival);
      };
      watchers.add(watch);
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    next,
    async stall(isIt) {
      let open: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      stalling = { isIt, gate };
      await next(isIt);
      return () => {
        stalling = undefined;
        open();
      };
    },
  };
}
