/** Headers in the forms that frameworks have: a `Headers`, an object of texts or lists, Node's `rawHeaders`, or pairs. */
export type HeadersLike =
  | Iterable<readonly [string, string]>
  | readonly string[]
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns every value of each header, by its name in lower case. */
export function readHeaders(headers: HeadersLike): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of entriesOf(headers)) {
    const known = values.get(name.toLowerCase()) ?? [];
    values.set(name.toLowerCase(), known.concat(value));
  }
  return values;
}

function* entriesOf(headers: HeadersLike): Iterable<readonly [string, readonly string[]]> {
  if (isFlat(headers)) {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      const [name = '', value = ''] = headers.slice(index, index + 2);
      yield [name, [value]];
    }
  } else if (Symbol.iterator in headers) {
    for (const [name, value] of headers as Iterable<readonly [string, string]>) yield [name, [value]];
  } else {
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) yield [name, typeof value === 'string' ? [value] : [...value]];
    }
  }
}

const isFlat = (headers: HeadersLike): headers is readonly string[] =>
  Array.isArray(headers) && headers.every((item) => typeof item === 'string');
