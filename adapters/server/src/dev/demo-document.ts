/** Values of the demo, by the name of a parameter or of a field of a body. */
export type DemoValues = Readonly<Record<string, unknown>>;

interface Media {
  readonly content?: Readonly<Record<string, { example?: unknown }>>;
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; example?: unknown }[];
  readonly requestBody?: Media;
}

/** The parts of an OpenAPI document that the demo fills in. */
export interface ApiDocument {
  readonly info: { description: string };
  readonly paths: object;
}

const CONNECT_FIRST =
  ' No mailbox is connected yet: send POST /v1/endUserAccounts as it stands, then load this page again. It fills in the account.';

/**
 * Returns the document with examples that work in the demo: values replace those of the same name. Ids that are not among the
 * values are left for the reader to fill in, since those of the examples do not exist here. `ofOperations` has the values that
 * are meant for one operation, by its `operationId`.
 */
export function demoDocument(
  document: ApiDocument,
  ofAll: DemoValues,
  ofOperations: Readonly<Record<string, DemoValues>> = {},
): ApiDocument {
  const copy = structuredClone(document);
  if (!('endUserAccountId' in ofAll)) copy.info.description += CONNECT_FIRST;
  const items = Object.values(copy.paths) as readonly Readonly<Record<string, Operation>>[];
  for (const { operationId = '', parameters = [], requestBody } of items.flatMap((item) => Object.values(item))) {
    const values = { ...ofAll, ...ofOperations[operationId] };
    for (const parameter of parameters) {
      if (parameter.name in values) parameter.example = values[parameter.name];
      else if (isOnce(parameter)) delete parameter.example;
    }
    const json = requestBody?.content?.['application/json'];
    if (json !== undefined) json.example = filled(json.example, values);
  }
  return copy;
}

/** Tells whether an example is good only where it was recorded, or only once: a second body under one idempotency key is refused. */
const isOnce = ({ name, in: place }: { readonly name: string; readonly in: string }): boolean =>
  place === 'header' ? name === 'Idempotency-Key' : place === 'path' && name !== 'provider';

function filled(example: unknown, values: DemoValues): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, values[name] ?? placed(value, values)]),
  );
}

/** Fills in the places within a field; its other names, such as the e-mail address of an attendee, are not the account's. */
function placed(value: unknown, values: DemoValues): unknown {
  if (Array.isArray(value)) return value.map((each) => placed(each, values));
  if (typeof value !== 'object' || value === null) return value;
  const fill = (name: string, inner: unknown) => (PLACE.has(name) ? (values[name] ?? inner) : placed(inner, values));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(name, inner)]));
}

const PLACE: ReadonlySet<string> = new Set(['endUserAccountId', 'calendarId']);
