// A process that speaks the part of Vault's HTTP API that a transit keyring and its operator use. Run by the tests as:
//   node vault-program.js STORAGE-FILE [--ignore-associated-data]
// Prints {"listening":PORT}, and then a line for each request, as an audit device on standard output does. A new storage is
// initialized and unsealed, and the first line names its root token and unseal key; an existing one starts sealed.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createToken, newToken, renewToken, requireCapability, tokenOf } from './access.js';
import { configureKey, decrypt, describeKey, encrypt, newKey, Refusal, rewrap, rotateKey } from './transit-engine.js';

const [file, ...flags] = process.argv.slice(2);
const engine = { ignoresAssociatedData: flags.includes('--ignore-associated-data') };
const isNew = !existsSync(file);
const rootToken = newToken();
const state = isNew
  ? {
      unsealKey: randomBytes(24).toString('base64'),
      tokens: { [rootToken]: { policies: ['root'], ttl: null, expiresAt: null } },
      policies: {},
      namespaces: { '': { mounts: { transit: {} } } },
    }
  : JSON.parse(readFileSync(file, 'utf8'));
let isSealed = !isNew;
const store = () => writeFileSync(file, JSON.stringify(state));
if (isNew) store();

function mountOf(namespace, path) {
  const { mounts } = state.namespaces[namespace] ?? { mounts: {} };
  const name = Object.keys(mounts).find((mount) => path.startsWith(`${mount}/`));
  if (name === undefined) throw new Refusal(404, `no handler for route "${path}". route entry not found.`);
  return { keys: mounts[name], rest: path.slice(name.length + 1).split('/') };
}

function keyNamed(keys, name) {
  const key = keys[name];
  if (key === undefined) throw new Refusal(400, 'encryption key not found');
  return key;
}

/** The routes of /v1/sys and /v1/auth/token; undefined for other paths. */
function systemRoute(method, path, body, token, now) {
  const [area, noun, ...rest] = path.split('/');
  if (area === 'auth' && noun === 'token') {
    const entry = tokenOf(state, token, now);
    if (rest[0] === 'create') {
      requireCapability(state, entry, path, 'update');
      return { auth: createToken(state, body, now) };
    }
    if (rest[0] === 'revoke') {
      requireCapability(state, entry, path, 'update');
      delete state.tokens[body.token];
      return undefined;
    }
    if (rest[0] === 'renew-self') return void renewToken(entry, now);
    if (rest[0] === 'lookup-self') return { data: { policies: entry.policies } };
  }
  if (area !== 'sys') throw new Refusal(404, `no handler for route "${path}". route entry not found.`);
  requireCapability(state, tokenOf(state, token, now), path, 'sudo');
  const name = rest.join('/');
  if (noun === 'seal') isSealed = true;
  else if (noun === 'mounts') state.namespaces[body.namespace ?? ''].mounts[name] ??= {};
  else if (noun === 'namespaces') state.namespaces[name] ??= { mounts: {} };
  else if (noun === 'policies') state.policies[rest[1]] = JSON.parse(body.policy);
  else throw new Refusal(404, `unsupported path ${method} ${path}`);
  return undefined;
}

function transitRoute(method, path, body, namespace, token, now) {
  const entry = tokenOf(state, token, now);
  const { keys, rest } = mountOf(namespace, path);
  const [operation, name, action] = rest;
  if (operation === 'keys') {
    requireCapability(state, entry, path, method === 'GET' ? 'read' : 'update');
    if (action === 'rotate') return void rotateKey(keyNamed(keys, name));
    if (action === 'config') return void configureKey(keyNamed(keys, name), body);
    if (method === 'DELETE') {
      if (!keyNamed(keys, name).deletion_allowed) throw new Refusal(400, 'deletion is not allowed for this key');
      delete keys[name];
      return undefined;
    }
    if (method !== 'GET') keys[name] ??= newKey(name, body);
    if (keys[name] === undefined) throw new Refusal(404);
    return { data: describeKey(keys[name]) };
  }
  // An encryption under an unknown key creates it, where the policy says so.
  const isUpsert = operation === 'encrypt' && keys[name] === undefined;
  requireCapability(state, entry, path, isUpsert ? 'create' : 'update');
  if (isUpsert) keys[name] = newKey(name, { derived: body.context !== undefined });
  if (operation === 'encrypt') return { data: encrypt(keyNamed(keys, name), body, engine) };
  if (operation === 'decrypt') return { data: decrypt(keyNamed(keys, name), body, engine) };
  if (operation === 'rewrap') return { data: rewrap(keyNamed(keys, name), body) };
  throw new Refusal(404, `no handler for route "${path}". route entry not found.`);
}

/** The routes that a sealed Vault answers; undefined for others. */
function openRoute(path, body) {
  if (path === 'sys/seal-status') return { sealed: isSealed, initialized: true };
  if (path !== 'sys/unseal') return undefined;
  if (body.key !== state.unsealKey) throw new Refusal(400, "'key' is not a valid unseal key");
  isSealed = false;
  return { sealed: false };
}

function answerTo(method, url, headers, text) {
  const path = url.replace(/^\/v1\//, '');
  const body = text === '' ? {} : JSON.parse(text);
  if (path === 'sys/health') return [isSealed ? 503 : 200, { sealed: isSealed, initialized: true, standby: false }];
  const open = openRoute(path, body);
  if (open !== undefined) return [200, open];
  if (isSealed) throw new Refusal(503, 'Vault is sealed');
  const token = headers['x-vault-token'];
  const namespace = headers['x-vault-namespace'] ?? '';
  const now = Date.now();
  const isSystem = /^(sys|auth)\//.test(path);
  const before = JSON.stringify(state);
  const data = isSystem
    ? systemRoute(method, path, body, token, now)
    : transitRoute(method, path, body, namespace, token, now);
  if (JSON.stringify(state) !== before) store();
  return data === undefined ? [204, undefined] : [200, data];
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    let answer;
    try {
      answer = answerTo(request.method, request.url, request.headers, Buffer.concat(chunks).toString('utf8'));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer = [error.status, { errors: error.errors }];
    }
    const [status, body] = answer;
    process.stdout.write(`${JSON.stringify({ path: request.url.replace(/^\/v1\//, ''), status })}\n`);
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
});

server.listen(Number(process.env.VAULT_PORT ?? 0), '127.0.0.1', () => {
  const secrets = isNew ? { rootToken, unsealKey: state.unsealKey } : {};
  process.stdout.write(`${JSON.stringify({ listening: server.address().port, ...secrets })}\n`);
});
// The tests close the input.
process.stdin.on('end', () => process.exit(0)).resume();
