import type { EventEmitter } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import type { Duplex } from 'node:stream';
import { KalendsError } from 'kalends';
import type { Logger } from 'kalends/ports';
import { checkProcessPorts, createId, steadyLogger, systemRandom } from 'kalends/runtime';
import { endInStages } from './closing.ts';
import { problemResponse } from './problem-response.ts';
import { settleUnreadBody } from './unread-body.ts';

/** Answers to the errors of Node's parser and timers, by their code; any other error is a 400. */
const REFUSALS: Readonly<Record<string, { readonly status: number; message(server: Server): string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: () => 'the request line and the headers are too long' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: () => 'the chunk extensions are too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: late },
};

const INVALID = { status: 400, message: () => 'the request is not valid HTTP' };

function late({ headersTimeout, requestTimeout }: Server): string {
  return `the request did not arrive in time: its head within ${headersTimeout / 1000} s, all of it within ${requestTimeout / 1000} s`;
}

/**
 * Answers input that Node refuses before it is a request with a problem document, and closes its connection: an overlong
 * request line, malformed headers, a body that does not arrive in time. Replaces a framework's own listeners for this. A request with
 * an `Expect` other than `100-continue` is answered in the same way, unless the server has a listener for it. Of a server
 * of HTTP/2 it answers the connections that speak HTTP/1. Each refusal is one line of the log, with the request id that the client
 * got.
 *
 * @example
 * answerClientErrors(server);
 */
export function answerClientErrors(
  server: Server | Http2Server | Http2SecureServer,
  { logger }: { readonly logger?: Logger } = {},
): void {
  // The types differ, and what is used of them does not: the one of HTTP/2 has timeouts for those connections.
  const events: EventEmitter = server;
  checkProcessPorts({ logger });
  const steady = logger && steadyLogger(logger);
  const timed = server as Server;
  const last = new WeakMap<Duplex, ServerResponse>();
  const noteAnswer = (incoming: IncomingMessage, outgoing: ServerResponse) => last.set(incoming.socket, outgoing);
  const refuse = (refused: KalendsError): Response => {
    const requestId = createId(systemRandom, 'req');
    steady?.info('request refused', { requestId, status: refused.status, error: refused.message });
    return problemResponse(refused, requestId);
  };
  events.on('request', noteAnswer);
  events.removeAllListeners('clientError');
  events.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered(last.get(socket))) {
      socket.destroy();
      return;
    }
    const refusal = REFUSALS[error.code ?? ''] ?? INVALID;
    const { status } = refusal;
    void send(socket, refuse(new KalendsError('InvalidRequest', refusal.message(timed), { status })));
  });
  if (events.listenerCount('checkExpectation') > 0) return;
  events.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    noteAnswer(incoming, outgoing);
    const message = 'must be 100-continue';
    const details = [{ path: 'Expect', message }];
    const problem = refuse(new KalendsError('InvalidRequest', `Expect: ${message}`, { status: 417, details }));
    settleUnreadBody(incoming, outgoing);
    void answer(outgoing, problem);
  });
}

/** Tells whether the failed request has the beginning of an answer: the client would read a second one as part of it. */
function isAnswered(outgoing: ServerResponse | undefined): boolean {
  if (outgoing === undefined || !outgoing.headersSent) return false;
  return !outgoing.writableFinished || !outgoing.req.complete;
}

async function answer(outgoing: ServerResponse, problem: Response): Promise<void> {
  const body = await problem.text();
  const headers = { ...Object.fromEntries(problem.headers), 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(problem.status, headers).end(body);
}

async function send(socket: Duplex, problem: Response): Promise<void> {
  const body = await problem.text();
  const headers = [...problem.headers, ['connection', 'close'], ['content-length', String(Buffer.byteLength(body))]];
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...headers.map((pair) => pair.join(': ')),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  endInStages(socket);
}
