import type { OperationExample } from './operation-example.ts';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly example?: unknown;
  readonly schema?: { readonly type?: string; readonly enum?: readonly string[] };
}

interface Media {
  content?: Record<string, Record<string, unknown>>;
}

interface Operation {
  readonly operationId?: string;
  parameters?: readonly Parameter[];
  readonly requestBody?: Media;
  readonly responses?: Readonly<Record<string, Media>>;
}

/** Adds to each operation of an OpenAPI document the example of its id: parameters, body and answer. */
export function addExamples(
  document: { readonly paths?: unknown },
  examples: Readonly<Record<string, OperationExample>>,
): void {
  const items = Object.values((document.paths ?? {}) as Readonly<Record<string, Readonly<Record<string, Operation>>>>);
  for (const operation of items.flatMap((item) => Object.values(item))) {
    const example = examples[operation.operationId ?? ''];
    if (example === undefined) continue;
    if (operation.parameters !== undefined) {
      operation.parameters = operation.parameters.map((parameter) => withExample(parameter, example));
    }
    setExample(operation.requestBody, example.body);
    setExample(operation.responses?.[String(example.status)], example.response, example.variants);
  }
}

function withExample(parameter: Parameter, { params, query, headers }: OperationExample): Parameter {
  const recorded = { path: params, query, header: headers }[parameter.in]?.[parameter.name];
  if (recorded === undefined) return parameter;
  const { type, enum: allowed } = parameter.schema ?? {};
  // An engine may have other provider types than the recorded one.
  const text = allowed === undefined || allowed.includes(recorded) ? recorded : String(allowed[0]);
  const isText = type !== 'boolean' && type !== 'number' && type !== 'integer';
  return { ...parameter, example: isText ? text : JSON.parse(text) };
}

function setExample(media: Media | undefined, example: unknown, variants?: OperationExample['variants']): void {
  const { content = {} } = media ?? {};
  const shown = content['application/json'] ?? content['text/event-stream'] ?? content['text/calendar'];
  if (shown === undefined || example === undefined) return;
  // A document has one of the two.
  if (variants === undefined) shown['example'] = example;
  else shown['examples'] = Object.fromEntries(Object.entries(variants).map(([name, value]) => [name, { value }]));
}
