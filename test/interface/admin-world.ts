import { type AdminHandlerOptions, createAdminHandler, type Handler } from '@kalends/http';
import { requireDescribedCode } from './described-codes.ts';
import type { Answer, Json, World } from './world.ts';

export const ADMIN_TOKEN = 'adm_0123456789abcdef';

/** A request: `token` is the bearer token, the right one by default, null for none. */
export interface AdminRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
  readonly address?: string;
}

export interface Admin {
  readonly handler: Handler;
  /** Of a stream, the body is the empty text. */
  call(method: string, path: string, request?: AdminRequest): Promise<Answer>;
}

/** The administration of a world over HTTP. `path` is below `/admin/v1`. */
export function adminOf(world: World, options: AdminHandlerOptions = { token: ADMIN_TOKEN }): Admin {
  const handler = createAdminHandler(world.engine, options);
  return {
    handler,
    async call(method, path, { body, headers, token = ADMIN_TOKEN, address } = {}) {
      const response = await handler(
        new Request(`http://kalends.test/admin/v1${path}`, {
          method,
          headers: {
            ...(token === null ? {} : { authorization: `Bearer ${token}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
        { remoteAddress: address },
      );
      const { body: stream } = response;
      const isEndless = response.headers.get('content-type') === 'text/event-stream';
      if (isEndless) await stream?.cancel();
      const text = isEndless ? '' : await response.text();
      const isJson = (response.headers.get('content-type') ?? '').includes('json') && text !== '';
      const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
      requireDescribedCode('administration', method, `/admin/v1${path}`, answer);
      return answer;
    },
  };
}

/** One operation of the administration's OpenAPI document. `path` is below `/admin/v1`, with `{names}`. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
}

/** Returns the document of the administration. */
export async function documentOf(admin: Admin): Promise<Json> {
  return (await admin.call('GET', '/openapi.json')).body;
}

/** Returns all operations of a document. */
export function operationsOf(document: Json): readonly Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    ['get', 'put', 'post', 'delete']
      .filter((method) => item[method] !== undefined)
      .map((method) => ({
        method: method.toUpperCase(),
        path: path.replace('/admin/v1', ''),
        operation: item[method],
      })),
  );
}

/** Everything that the administration can change or show. */
export async function stateOf(admin: Admin): Promise<Json> {
  const read = async (path: string) => (await admin.call('GET', path)).body;
  const { data: applications } = await read('/applications');
  const parts = await Promise.all(
    applications.map(async ({ id }: Json) => [
      await read(`/applications/${id}/oauthClients`),
      await read(`/applications/${id}/apiKeys`),
      await read(`/applications/${id}/accounts`),
    ]),
  );
  return { applications, parts, log: (await read('/auditLog')).data };
}
