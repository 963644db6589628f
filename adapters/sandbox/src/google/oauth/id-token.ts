import { exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import type { GoogleContext } from '../google-context.ts';
import type { Mailbox } from '../google-state.ts';

async function generateKey() {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const [privateJwk, publicJwk] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)]);
  return { privateJwk, publicJwk };
}

/** One key per process: creating one takes a third of a second, and a test suite opens many sandboxes. */
let made: ReturnType<typeof generateKey> | undefined;

/** Returns the signing key of this server, created on first use and kept with the state. */
async function signingKey(context: GoogleContext) {
  if (context.state.signingKey === null) {
    made ??= generateKey();
    const { privateJwk, publicJwk } = await made;
    // Two first requests may both have created a key: the stored one wins, or its tokens would not verify.
    context.state.signingKey ??= { kid: context.kernel.randomText(16), privateJwk, publicJwk };
    context.kernel.touched();
  }
  return context.state.signingKey;
}

/** Signs an OpenID Connect id_token for the mailbox. */
export async function signIdToken(
  context: GoogleContext,
  input: {
    readonly mailbox: Mailbox;
    readonly clientId: string;
    readonly issuer: string;
    readonly nonce: string | null;
  },
): Promise<string> {
  const key = await signingKey(context);
  const issuedAt = Math.floor(context.kernel.clock.now() / 1000);
  return new SignJWT({
    azp: input.clientId,
    email: input.mailbox.email,
    email_verified: true,
    name: input.mailbox.name,
    ...(input.nonce === null ? {} : { nonce: input.nonce }),
  })
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
    .setIssuer(input.issuer)
    .setSubject(input.mailbox.subject)
    .setAudience(input.clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + 3600)
    .sign(await importJWK(key.privateJwk, 'RS256'));
}

/** `GET /oauth2/v3/certs`. */
export async function publicKeys(context: GoogleContext): Promise<Response> {
  const key = await signingKey(context);
  return Response.json({ keys: [{ ...key.publicJwk, kid: key.kid, alg: 'RS256', use: 'sig' }] });
}
