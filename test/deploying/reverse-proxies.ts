import { readFileSync, writeFileSync } from 'node:fs';
import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { join } from 'node:path';
import { startProcess } from '../processes/background-process.ts';
import { freePort } from '../processes/free-port.ts';
import { runShell } from '../processes/run-shell.ts';

type ProxyName = 'nginx' | 'caddy';
type Ports = readonly [number, number];

/** Starts a reverse proxy with the documented configuration; only ports, certificate and name are those of the test. */
export async function proxyAt(
  name: ProxyName,
  files: string,
  folder: string,
  ports: Ports,
): Promise<{ readonly url: string }> {
  return name === 'nginx' ? nginx(files, folder, ports) : caddy(files, folder, ports);
}

const withPorts = (text: string, [first, second]: Ports) =>
  text.replaceAll('127.0.0.1:4400', `127.0.0.1:${first}`).replaceAll('127.0.0.1:4401', `127.0.0.1:${second}`);

async function nginx(files: string, folder: string, ports: Ports) {
  const [plain, secure] = [await freePort(), await freePort()];
  await runShell(
    'openssl req -x509 -newkey rsa:2048 -nodes -keyout privkey.pem -out fullchain.pem -subj /CN=calendar.example.com 2>&1',
    folder,
  );
  const site = withPorts(readFileSync(`${files}nginx.conf`, 'utf8'), ports)
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443', `listen 127.0.0.1:${secure}`)
    .replaceAll('/etc/letsencrypt/live/calendar.example.com', folder);
  writeFileSync(join(folder, 'site.conf'), site);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  writeFileSync(
    join(folder, 'main.conf'),
    `pid ${folder}/nginx.pid; events {} http { access_log off; ${paths.join(' ')} include ${folder}/site.conf; }`,
  );
  const command = ['-c', join(folder, 'main.conf'), '-e', 'stderr'];
  await runShell(`nginx -t -c '${folder}/main.conf' 2>&1`, folder);
  startProcess('nginx', [...command, '-g', 'daemon off;'], { folder });
  await untilItAnswers(`http://127.0.0.1:${plain}/`);
  return { url: `https://127.0.0.1:${secure}` };
}

async function caddy(files: string, folder: string, ports: Ports) {
  const port = await freePort();
  const site = withPorts(readFileSync(`${files}Caddyfile`, 'utf8'), ports);
  const path = join(folder, 'Caddyfile');
  writeFileSync(path, `{\n\tadmin off\n}\n${site.replace('calendar.example.com {', `http://127.0.0.1:${port} {`)}`);
  const environment = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  await runShell(`caddy validate --adapter caddyfile --config '${files}Caddyfile' 2>&1`, folder, environment);
  startProcess('caddy', ['run', '--adapter', 'caddyfile', '--config', path], { folder, environment });
  await untilItAnswers(`http://127.0.0.1:${port}/`);
  return { url: `http://127.0.0.1:${port}` };
}

const untilItAnswers = (url: string) =>
  runShell(`curl --silent --output /dev/null --retry 30 --retry-delay 1 --retry-all-errors '${url}'`, '/');

interface RequestOptions {
  readonly localAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Resolves with the status of a GET on a connection of its own; the certificate of a test is believed. */
export function statusAt(url: string, options: RequestOptions = {}): Promise<number> {
  const request = url.startsWith('https') ? requestSecurely : requestPlainly;
  return new Promise((resolve, reject) => {
    // As it is: a URL would resolve the dot segments of its path.
    const path = url.slice(new URL(url).origin.length);
    const sent = request(url, { ...options, path, agent: false, rejectUnauthorized: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });
}

/** Resolves with the statuses of the requests that are sent, one after the other, while `work` is done. */
export async function statusesDuring(url: string, work: () => Promise<void>): Promise<readonly number[]> {
  let isDone = false;
  const statuses = new Set<number>();
  const requests = (async () => {
    while (!isDone) statuses.add(await statusAt(`${url}/api/v1/openapi.json`));
  })();
  await work().finally(() => {
    isDone = true;
  });
  await requests;
  return [...statuses];
}

/** Resolves with the number of requests with a wrong key, each with another forged address, after which one is refused. */
export async function failuresUntilRefused(url: string, localAddress: string): Promise<number> {
  for (let count = 1; ; count += 1) {
    const headers = { 'x-api-key': 'wrong', 'x-forwarded-for': `203.0.113.${count % 250}` };
    const status = await statusAt(`${url}/api/v1/endUserAccounts`, { localAddress, headers });
    if (status === 429 || count === 1000) return count;
  }
}
