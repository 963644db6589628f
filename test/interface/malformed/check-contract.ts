import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { checkProblem } from '../steps.ts';
import type { Json } from '../world.ts';
import type { MalformedRequest } from './malformed-request.ts';

/** Returns the check of an answer against the document: its status, its error code, or the schema of its body. */
export function contractOf(document: Json): (sent: MalformedRequest, response: Response) => Promise<void> {
  const ajv = new Ajv.default({ strict: false, allErrors: false, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  const validators = new Map<string, ReturnType<typeof ajv.compile>>();

  function problemOfBody(schema: Json, name: string, body: Json): string | undefined {
    const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'));
    const validate = validators.get(name) ?? ajv.compile(inDocument);
    validators.set(name, validate);
    return validate(body) ? undefined : ajv.errorsText(validate.errors);
  }

  return async (sent, response) => {
    const what = `${sent.method} ${sent.target} ${JSON.stringify(sent.headers)} ${shown(sent.body)}`;
    const { status, headers } = response;
    expect(headers.get('x-request-id'), what).toMatch(/^[\w.-]{1,128}$/);
    const documented = sent.isRouted ? sent.operation.operation.responses[status] : undefined;
    if (headers.get('content-type')?.startsWith('text/event-stream')) {
      // A stream has no end of its own; its events have tests of their own.
      if (sent.isRouted) expect(documented?.content, what).toHaveProperty(['text/event-stream']);
      await response.body?.cancel();
      return;
    }
    const text = await response.text();
    if (sent.isRouted) expect(documented, `${what}: ${status} ${text}`).toBeDefined();
    if (status < 400) {
      const schema = documented?.content?.['application/json']?.schema;
      if (schema === undefined) return;
      expect(
        problemOfBody(schema, `${sent.operation.id} ${status}`, JSON.parse(text)),
        `${what}: ${text}`,
      ).toBeUndefined();
      return;
    }
    if (sent.method === 'HEAD') return;
    const body = JSON.parse(text) as Json;
    checkProblem({ status, headers, body });
    // No fault: of all the answers of 5xx, that during the first pull of a calendar alone has nothing wrong behind it.
    expect(status < 500 || body.code === 'CalendarSyncing', `${what}: ${text}`).toBe(true);
    // A fault of the request as a whole has no place in it.
    const namesField = /^the (body|request) |^(unknown|malformed) path/.test(body.detail) || body.details?.length > 0;
    if (body.code === 'InvalidRequest') expect(namesField, `${what}: ${text}`).toBe(true);
    if (status === 405) expect(headers.get('allow'), what).not.toBeNull();
    if (status === 429 || status === 503) expect(headers.get('retry-after'), what).not.toBeNull();
    if (documented !== undefined) expect(codesOf(sent), `${what}: ${text}`).toContain(body.code);
  };
}

/** The documented error codes of an operation. */
function codesOf({ operation: { operation } }: MalformedRequest): readonly string[] {
  return Object.values<Json>(operation.responses).flatMap(({ description }) => description.split(', '));
}

function shown(body: Uint8Array | undefined): string {
  return body === undefined ? '' : Buffer.from(body.subarray(0, 2_000)).toString('utf8');
}
