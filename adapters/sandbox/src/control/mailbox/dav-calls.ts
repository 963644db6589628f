import { readXml } from '../../caldav/wire/read-xml.ts';
import { ControlError, type SandboxServer } from '../../kernel/kernel.ts';
import type { PersonTokens } from './person-calls.ts';

const ROOT = 'http://sandbox.invalid';

/** An answer with a status below 300. */
export interface DavAnswer {
  readonly body: string;
  readonly etag: string | null;
}

/** Calls the server as one person. @throws ControlError with the server's own words when it refuses */
export type DavCall = (
  method: string,
  path: string,
  input?: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
) => Promise<DavAnswer>;

/** The calls of one mailbox, and where its calendars are. */
export interface DavCalls {
  readonly email: string;
  readonly home: string;
  readonly call: DavCall;
  /** Draws a name that nothing has yet. */
  drawName(): string;
}

/** Creates the calls of one mailbox. They reach the same code as calls over HTTP, but no injected fault, and are not recorded. */
export function davCallsAs(server: SandboxServer, tokens: PersonTokens, email: string): DavCalls {
  const send = async (...[method, path, input = {}]: Parameters<DavCall>): Promise<Response> => {
    const authorization = `Bearer ${await tokens.tokenOf(server, email)}`;
    const { body, headers } = input;
    const init = { method, headers: { authorization, ...headers }, ...(body === undefined ? {} : { body }) };
    return await server.fetch(new Request(`${ROOT}${path}`, init), ROOT);
  };
  return {
    email: email.toLowerCase(),
    drawName: () => (server.controls['drawName']?.({}) as { readonly name: string }).name,
    home: `/calendars/${encodeURIComponent(email.toLowerCase())}/`,
    async call(...args) {
      let response = await send(...args);
      if (response.status === 401) {
        // A control has ended it before its time.
        tokens.forget(server, email);
        response = await send(...args);
      }
      const body = await response.text();
      if (response.ok) return { body, etag: response.headers.get('etag') };
      const reason = body.startsWith('<?xml') ? (readXml(body).children[0]?.local ?? '') : body.trim();
      const field = response.status === 404 ? 'id: ' : '';
      throw new ControlError(`${field}the provider answers ${response.status} ${reason}`);
    },
  };
}
