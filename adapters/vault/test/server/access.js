// Tokens and policies as Vault documents them: https://developer.hashicorp.com/vault/docs/concepts/policies
import { randomBytes } from 'node:crypto';
import { Refusal } from './transit-engine.js';

export const newToken = () => `hvs.${randomBytes(18).toString('base64url')}`;

/** Returns the token's entry. @throws Refusal 403 for one that is missing, unknown or expired */
export function tokenOf(state, text, now) {
  const entry = state.tokens[text ?? ''];
  if (entry === undefined || (entry.expiresAt !== null && entry.expiresAt <= now)) {
    throw new Refusal(403, 'permission denied');
  }
  return entry;
}

/** @throws Refusal 403 unless a policy of the token grants the capability on the path */
export function requireCapability(state, token, path, capability) {
  if (token.policies.includes('root')) return;
  const granted = token.policies
    .flatMap((name) => rulesOf(state, name))
    .filter(([pattern]) => matches(pattern, path))
    .flatMap(([, rule]) => rule.capabilities);
  if (granted.includes('deny') || !granted.includes(capability)) {
    throw new Refusal(403, '1 error occurred:\n\t* permission denied\n\n');
  }
}

/** A policy is read as JSON, which Vault takes beside HCL. */
const rulesOf = (state, name) => Object.entries(state.policies[name]?.path ?? {});

const matches = (pattern, path) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path);

export function createToken(state, { policies = [], ttl }, now) {
  const text = newToken();
  const seconds = ttl === undefined ? null : Number.parseInt(ttl, 10);
  state.tokens[text] = { policies, ttl: seconds, expiresAt: seconds === null ? null : now + seconds * 1000 };
  return { client_token: text, policies, lease_duration: seconds ?? 0, renewable: seconds !== null };
}

export function renewToken(entry, now) {
  if (entry.ttl === null) throw new Refusal(400, 'lease is not renewable');
  entry.expiresAt = now + entry.ttl * 1000;
}
