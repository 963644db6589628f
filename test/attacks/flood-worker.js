import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Sends one request again and again over so many connections, until it is told to stop; then tells the statuses and the
 * median time of an answer. With `forwarded` each comes from another address.
 */
const { port, connections, localAddress, method, path, headers, body, pauseMs, forwarded } = workerData;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const statuses = {};
const times = [];
let isOver = false;
let sent = 0;
parentPort.once('message', () => {
  isOver = true;
});

function send() {
  return new Promise((resolve) => {
    sent += 1;
    const from = forwarded ? { 'x-forwarded-for': `198.51.${(sent >> 8) & 255}.${sent & 255}` } : {};
    const startedAt = performance.now();
    const done = (status) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      times.push(performance.now() - startedAt);
      resolve();
    };
    const outgoing = request(
      { port, host: '127.0.0.1', localAddress, method, path, headers: { ...headers, ...from }, agent },
      (answer) => {
        answer
          .resume()
          .on('end', () => done(answer.statusCode))
          .on('error', () => done('broken'));
      },
    );
    outgoing.on('error', () => done('broken'));
    outgoing.end(body);
  });
}

async function keepSending() {
  while (!isOver) {
    await send();
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

await Promise.all(Array.from({ length: connections }, keepSending));
times.sort((one, other) => one - other);
parentPort.postMessage({ statuses, medianMs: times[Math.floor(times.length / 2)], requests: times.length });
agent.destroy();
