import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** One connection on which a test writes bytes of its own. */
export interface RawConnection {
  readonly socket: Socket;
  write(bytes: string | Uint8Array): void;
  /** The next answer, interim ones (1xx) included. @throws once the connection has ended or was reset before it is complete */
  answer(method?: string): Promise<RawAnswer>;
  /** Resolves with how the connection ends: `end` in order, else the code of the error. */
  readonly ended: Promise<string>;
}

export async function openConnection(url: string): Promise<RawConnection> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = Buffer.alloc(0);
  let end: string | undefined;
  let wake = () => {};
  const ended = new Promise<string>((resolve) => {
    const finish = (how: string) => {
      end ??= how;
      resolve(end);
      wake();
    };
    socket.on('end', () => finish('end'));
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
    socket.on('close', () => finish('close'));
  });
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    socket,
    ended,
    write: (bytes) => void socket.write(bytes),
    async answer(method = 'GET') {
      for (;;) {
        const found = parse(received, method);
        if (found !== undefined) {
          received = received.subarray(found.length);
          return found.answer;
        }
        if (end !== undefined) throw new Error(`the connection ended (${end}) after ${received.toString('latin1')}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function parse(bytes: Buffer, method: string): { readonly answer: RawAnswer; readonly length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(statusLine.split(' ')[1]);
  const hasBody = method !== 'HEAD' && status >= 200 && status !== 204 && status !== 304;
  const start = headEnd + 4;
  if (hasBody && headers.get('transfer-encoding') === 'chunked') return parseChunked(bytes, start, status, headers);
  const length = start + (hasBody ? Number(headers.get('content-length') ?? 0) : 0);
  if (bytes.length < length) return undefined;
  return { length, answer: { status, headers, text: bytes.subarray(start, length).toString('utf8') } };
}

function parseChunked(bytes: Buffer, start: number, status: number, headers: Headers) {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { length: next, answer: { status, headers, text: Buffer.concat(chunks).toString('utf8') } };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

/** Bytes of a request. */
export function rawRequest(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const lines = Object.entries({ host: 'kalends.test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
