import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { Clock } from 'kalends/ports';

/** An authorization server: metadata, keys and introspection over HTTP, and tokens as its operator would issue them. */
export interface TestAuthorizationServer {
  readonly issuer: string;
  /** Signs an access token, valid for five minutes; `claims` overwrite. */
  issue(
    claims?: JWTPayload,
    header?: { readonly alg?: string; readonly kid?: string; readonly typ?: string },
  ): Promise<string>;
  /** Takes another key pair, and withdraws the one before. */
  rotate(): Promise<void>;
  /** Answers of the introspection by token. */
  readonly opaque: Map<string, object>;
  /** Paths of the requests so far. */
  readonly requests: string[];
  /** Where the metadata are, which issuer they name, and whether every answer is 500. */
  readonly settings: { metadataPath: string; issuer: string | undefined; isDown: boolean };
  /** The public key as PEM would be known to all: its modulus, for a forged HS256. */
  publicModulus(): Uint8Array;
  close(): Promise<void>;
}

export const INTROSPECTION_CLIENT = { clientId: 'calendars', clientSecret: 'p&ss wörd' };

export async function startAuthorizationServer(
  audience: string,
  clock: Clock,
  path = '/tenant',
): Promise<TestAuthorizationServer> {
  let count = 0;
  const makeKey = async () => {
    count += 1;
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const kid = `key-${count}`;
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
  };
  let key = await makeKey();
  const requests: string[] = [];
  const opaque = new Map<string, object>();
  const settings: TestAuthorizationServer['settings'] = {
    metadataPath: `/.well-known/oauth-authorization-server${path}`,
    issuer: undefined,
    isDown: false,
  };
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    requests.push(request.url ?? '');
    if (settings.isDown) return answer(500, {});
    switch (request.url) {
      case settings.metadataPath:
        return answer(200, {
          issuer: settings.issuer ?? issuer,
          jwks_uri: `${origin}/keys`,
          introspection_endpoint: `${origin}/introspect`,
        });
      case '/keys':
        return answer(200, { keys: [key.jwk] });
      case '/introspect': {
        let body = '';
        request.on('data', (chunk) => {
          body += chunk;
        });
        request.on('end', () => {
          const { clientId, clientSecret } = INTROSPECTION_CLIENT;
          const form = (text: string) => new URLSearchParams({ v: text }).toString().slice(2);
          const basic = Buffer.from(`${form(clientId)}:${form(clientSecret)}`).toString('base64');
          if (request.headers.authorization !== `Basic ${basic}`) return answer(401, { error: 'invalid_client' });
          answer(200, opaque.get(new URLSearchParams(body).get('token') ?? '') ?? { active: false });
        });
        return undefined;
      }
      default:
        return answer(404, {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}${path}`;
  return {
    issuer,
    opaque,
    requests,
    settings,
    issue(claims = {}, header = {}) {
      const now = Math.floor(clock.now() / 1_000);
      const payload = {
        iss: issuer,
        aud: audience,
        sub: 'user-1',
        client_id: 'agent-1',
        iat: now,
        exp: now + 300,
        ...claims,
      };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'at+jwt', ...header })
        .sign(key.privateKey);
    },
    async rotate() {
      key = await makeKey();
    },
    publicModulus: () => Buffer.from(JSON.stringify(key.jwk)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
