import { OpenAPIHono } from '@hono/zod-openapi';
import { ERROR_STATUS, type ErrorCode } from 'kalends';
import { problem } from 'kalends/model';
import { z } from 'zod';
import { addExamples } from './add-examples.ts';
import { openApiComponents } from './openapi-components.ts';
import { answerHeaders, headerComponents } from './openapi-headers.ts';
import { messageRequest } from './openapi-webhooks.ts';
import { problemExample } from './problem-response.ts';
import { type Described, isConditional } from './route.ts';
import type { RouteTable } from './route-table.ts';

/** Error codes of every route. */
const ALWAYS: readonly ErrorCode[] = ['InvalidRequest', 'InternalError'];
/** The promise of `docs/stability.md`, for those who generate clients. */
const TOLERANCE =
  'Clients must ignore fields, error codes and enum values of answers that they do not know: new ones are additions.';
const WITH_BODY: readonly ErrorCode[] = ['PayloadTooLarge', 'UnsupportedMediaType'];

/** Creates the OpenAPI 3.1 description of a table of routes from the schemas that validate them. */
export function openApiDocument<Who>(
  { root, routes, title, description, security, tags, examples, webhooks, unauthorized }: RouteTable<Who>,
  providerTypes: readonly string[],
  publicUrl: string | undefined,
): object {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  registry.registerComponent('securitySchemes', security.name, security.scheme);
  for (const route of routes) {
    registry.registerPath({
      method: route.method,
      path: route.path,
      operationId: route.operationId,
      tags: [route.tag],
      summary: route.summary,
      description: route.description,
      security: route.access === 'open' ? [] : [{ [security.name]: [] }],
      request: {
        ...pathParameters(route.path, providerTypes),
        ...(route.query === undefined || route.query === 'pass' ? {} : { query: route.query }),
        ...headersOf(route),
        ...requestBody(route),
      },
      responses: { ...successes(route), ...failures(route, unauthorized), ...pages(route) },
    });
  }
  for (const message of webhooks) {
    registry.registerWebhook({
      method: 'post',
      path: message.name,
      operationId: message.name,
      security: [],
      summary: message.summary,
      description:
        'Signed as Standard Webhooks 1.0 under hook-id, hook-timestamp, hook-signature and again under the webhook-* names. Answer 2xx within 15 seconds; a message may arrive twice, with the same hook-id.',
      request: messageRequest(message),
      responses: { 200: { description: 'Received.' } },
    });
  }
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title,
      version: '1',
      description: `${description} Provider types: ${providerTypes.join(', ')}. ${TOLERANCE}`,
      contact: { name: 'kalends', url: 'https://github.com/kalends/kalends' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    servers: [{ url: publicUrl ?? upFrom(root) }],
  });
  addExamples(document, examples);
  const messages = webhooks.flatMap(({ schema, cloudEvent = schema }) => [schema, cloudEvent]);
  const named = openApiComponents([problem, ...routes.flatMap(schemasOf), ...messages]);
  const headers = headerComponents(document.paths);
  return { ...document, components: { ...document.components, headers, schemas: named } };
}

function schemasOf({ body, answers }: Described): readonly z.ZodType[] {
  return [body?.schema, ...answers.map(({ schema }) => schema)].filter((schema) => schema !== undefined);
}

/** Returns the relative URL that leads from the document, which is directly below `root`, to the mount. */
function upFrom(root: string): string {
  return root
    .split('/')
    .slice(1)
    .map(() => '..')
    .join('/');
}

function headersOf(route: Described) {
  const { takesIfMatch, takesIdempotencyKey } = route;
  if (isConditional(route)) {
    const description =
      'Quoted etags of answers that the client holds, or *. If one of them is current, the answer is 304.';
    return { headers: z.object({ 'If-None-Match': optionalHeader(description) }) };
  }
  if (takesIfMatch) return { headers: z.object({ 'If-Match': optionalHeader('A quoted etag, or *.') }) };
  if (!takesIdempotencyKey) return {};
  const description =
    '1 to 255 printable ASCII characters. Within 24 hours, a repetition with the same key and body gets the answer of the first request.';
  return { headers: z.object({ 'Idempotency-Key': z.string().min(1).max(255).optional().meta({ description }) }) };
}

function requestBody({ body, form, takesFile }: Described) {
  if (takesFile === true) return { body: { required: true, content: { 'text/calendar': { schema: z.string() } } } };
  if (form !== undefined) {
    return { body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: form } } } };
  }
  if (body === undefined) return {};
  return { body: { required: body.required, content: { 'application/json': { schema: body.schema } } } };
}

const optionalHeader = (description: string) => z.string().optional().meta({ description });

function pathParameters(path: string, providerTypes: readonly string[]) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  if (names.length === 0) return {};
  const providers = providerTypes.map((type) => type.toLowerCase());
  const schema = (name: string) => (name === 'provider' && providers.length > 0 ? z.enum(providers) : z.string());
  return { params: z.object(Object.fromEntries(names.map((name) => [name, schema(name)]))) };
}

function successes(route: Described) {
  return Object.fromEntries([
    ...route.answers.map(({ status, description, schema, mediaType = mediaTypeOf(route) }) => [
      status,
      {
        description,
        headers: answerHeaders(route, status),
        ...(schema === undefined ? {} : { content: { [mediaType]: { schema } } }),
      },
    ]),
    ...(isConditional(route)
      ? [[304, { description: 'An etag of If-None-Match is current.', headers: answerHeaders(route, 304) }]]
      : []),
  ]);
}

const mediaTypeOf = ({ isStream, mediaType }: Described) =>
  isStream === true ? 'text/event-stream' : (mediaType ?? 'application/json');

/** Returns the answer of routes for browsers to a failure: clients that accept HTML get a page in place of the problem. */
function pages(route: Described) {
  if (route.mediaType !== 'text/html' && route.answers.some(({ status }) => status < 300)) return {};
  const description = 'A failure, for a client that accepts text/html: a page with the error code.';
  const content = { 'text/html': { schema: { type: 'string' as const } } };
  return { default: { description, headers: answerHeaders(route, 'default'), content } };
}

function failures(route: Described, unauthorized: ErrorCode) {
  const errors = new Set<Described['errors'][number]>([
    ...ALWAYS,
    // Open routes refuse a wrong credential that is sent, and addresses that have failed too often.
    unauthorized,
    'RateLimited',
    ...(route.body === undefined && route.takesFile !== true ? [] : WITH_BODY),
    // Keys that may only read.
    ...(route.access === 'key' && route.method !== 'get' && route.onlyReads !== true ? (['Forbidden'] as const) : []),
    ...route.errors,
  ]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const error of errors) {
    const { code, status } = typeof error === 'string' ? { code: error, status: ERROR_STATUS[error] } : error;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  // Every route reads the storage, which may be unavailable.
  byStatus.set(503, [...(byStatus.get(503) ?? []), 'InternalError']);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      {
        description: names.join(', '),
        headers: answerHeaders(route, status),
        content: {
          'application/problem+json': {
            schema: problem,
            examples: Object.fromEntries(names.map((code) => [code, { value: problemExample(code, status) }])),
          },
        },
      },
    ]),
  );
}
