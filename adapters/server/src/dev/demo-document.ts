/** Values of the demo, by the name of a parameter or of a field of a body. */
export type DemoValues = Readonly<Record<string, unknown>>;

interface Media {
  readonly content?: Readonly<Record<string, { example?: unknown }>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; example?: unknown }[];
  readonly requestBody?: Media;
}

/**
 * Returns the document with examples that work in the demo: values replace those of the same name. Ids that are not among the
 * values are left for the reader to fill in, since those of the examples do not exist here.
 */
export function demoDocument<Document extends { readonly paths: object }>(
  document: Document,
  values: DemoValues,
): Document {
  const copy = structuredClone(document);
  const items = Object.values(copy.paths) as readonly Readonly<Record<string, Operation>>[];
  for (const { parameters = [], requestBody } of items.flatMap((item) => Object.values(item))) {
    for (const parameter of parameters) {
      if (parameter.name in values) parameter.example = values[parameter.name];
      else if (parameter.in === 'path' && parameter.name !== 'provider') delete parameter.example;
    }
    const json = requestBody?.content?.['application/json'];
    if (json !== undefined) json.example = filled(json.example, values);
  }
  return copy;
}

function filled(example: unknown, values: DemoValues): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, values[name] ?? value]));
}
