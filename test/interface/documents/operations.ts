import type { Json } from '../world.ts';

/** One operation of an OpenAPI document. */
export interface DocumentedOperation {
  /** In upper case. */
  readonly method: string;
  /** With `{names}`, as in the document. */
  readonly path: string;
  readonly id: string;
  readonly operation: Json;
  /** Names of its path parameters. */
  readonly inPath: readonly string[];
  /** Names of its query parameters. */
  readonly inQuery: readonly string[];
  /** Schema of its body, without references; undefined when it takes none. */
  readonly bodySchema: Json | undefined;
  /** Whether it takes an iCalendar file. */
  readonly takesFile: boolean;
}

/** Returns all operations of a document. */
export function operationsIn(document: Json): readonly DocumentedOperation[] {
  const named = (operation: Json, place: string): readonly string[] =>
    (operation.parameters ?? []).filter((one: Json) => one.in === place).map((one: Json) => one.name);
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    ['get', 'put', 'post', 'delete']
      .filter((method) => item[method] !== undefined)
      .map((method) => {
        const operation = item[method];
        const schema = operation.requestBody?.content['application/json']?.schema;
        return {
          method: method.toUpperCase(),
          path,
          id: operation.operationId,
          operation,
          inPath: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
          inQuery: named(operation, 'query'),
          bodySchema: schema === undefined ? undefined : withoutReferences(schema, document),
          takesFile: operation.requestBody?.content['text/calendar'] !== undefined,
        };
      }),
  );
}

/** Replaces the references of a schema, which must not be recursive. */
function withoutReferences(schema: Json, document: Json): Json {
  if (Array.isArray(schema)) return schema.map((part) => withoutReferences(part, document));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.$ref !== undefined)
    return withoutReferences(document.components.schemas[schema.$ref.split('/').at(-1)], document);
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, withoutReferences(part, document)]));
}

/** Fills a path's `{names}`, escaped. */
export function filledPath(path: string, idOf: (name: string) => string): string {
  // Lone surrogates have no place in a URL; they become U+FFFD.
  const escaped = (value: string) => encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8'));
  return path.replace(/\{(\w+)\}/g, (_, name: string) => escaped(idOf(name)));
}
