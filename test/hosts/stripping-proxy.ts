import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that strips a prefix, as nginx does with `location /outer/ { proxy_pass http://host/; }`. */
export interface StrippingProxy {
  /** Address of the proxy, with its prefix. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a proxy of a server on this machine. It answers 404 outside of its prefix. */
export async function startStrippingProxy(prefix: string, port: number): Promise<StrippingProxy> {
  const server = createServer((incoming, outgoing) => {
    const { url = '/', method, headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end('outside of the prefix');
      return;
    }
    const target = { host: 'localhost', port, path: url.slice(prefix.length), method, headers };
    const forwarded = send(target, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}
