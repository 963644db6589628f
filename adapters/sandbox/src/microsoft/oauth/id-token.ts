import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { objectIdOf, subjectOf, tenantIdOf } from '../identity.ts';
import type { MicrosoftWorld, StoredMailbox } from '../state.ts';

const KEY_ID = 'kalends-sandbox-1';

async function generateKey(): Promise<{ privateKey: JWK; publicKey: JWK }> {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const publicKey = { ...(await exportJWK(pair.publicKey)), kid: KEY_ID, use: 'sig', alg: 'RS256' };
  return { privateKey: await exportJWK(pair.privateKey), publicKey };
}

/** One key per process: creating one takes a third of a second, and a test suite opens many sandboxes. */
let made: ReturnType<typeof generateKey> | undefined;

async function signingKey(world: MicrosoftWorld): Promise<{ readonly privateKey: JWK; readonly publicKey: JWK }> {
  if (world.state.signingKey) return world.state.signingKey;
  made ??= generateKey();
  const key = await made;
  world.state.signingKey ??= key;
  world.kernel.touched();
  return world.state.signingKey;
}

/** Returns the keys document. */
export async function publicKeys(world: MicrosoftWorld): Promise<{ readonly keys: readonly JWK[] }> {
  return { keys: [(await signingKey(world)).publicKey] };
}

/** Signs an id_token, valid for one hour of the sandbox's clock. */
export async function createIdToken(
  world: MicrosoftWorld,
  input: {
    readonly root: string;
    readonly mailbox: StoredMailbox;
    readonly clientId: string;
    readonly nonce: string | null;
    readonly scopes: readonly string[];
  },
): Promise<string> {
  const { root, mailbox, clientId, nonce, scopes } = input;
  const tid = tenantIdOf(mailbox.email);
  const now = Math.floor(world.kernel.clock.now() / 1000);
  const { privateKey } = await signingKey(world);
  return new SignJWT({
    ver: '2.0',
    ...(scopes.includes('email') ? { email: mailbox.email } : {}),
    ...(scopes.includes('profile')
      ? { tid, oid: objectIdOf(mailbox.email), name: mailbox.name, preferred_username: mailbox.email }
      : {}),
    ...(nonce === null ? {} : { nonce }),
  })
    .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })
    .setIssuer(`${root}/${tid}/v2.0`)
    .setSubject(subjectOf(mailbox.email, clientId))
    .setAudience(clientId)
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + 3600)
    .sign(await importJWK(privateKey, 'RS256'));
}
