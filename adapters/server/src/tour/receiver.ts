import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received POST. */
export interface ReceivedPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A webhook receiver on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedPost[];
  /** Resolves with the next POST, or with undefined when none arrives in time. */
  next(timeoutMs: number): Promise<ReceivedPost | undefined>;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: ReceivedPost[] = [];
  let taken = 0;
  let wake = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      received.push({ headers, body: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(204).end();
      wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    async next(timeoutMs) {
      if (received.length === taken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const post = received[taken];
      if (post !== undefined) taken += 1;
      return post;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Verifies a Standard Webhooks signature by its definition: HMAC-SHA256 over `id.timestamp.body`. */
export function isSigned({ headers, body }: ReceivedPost, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${headers['hook-id']}.${headers['hook-timestamp']}.${body}`)
    .digest();
  return (headers['hook-signature'] ?? '').split(' ').some((part) => {
    const [version, signature] = part.split(',');
    const given = Buffer.from(signature ?? '', 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
