/** Yields the lines of a text in UTF-8, without their ends. JSON may contain every other separator of lines. */
export async function* readLines(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const part of parts) {
    const text = typeof part === 'string' ? part : decoder.decode(part, { stream: true });
    const [first = '', ...others] = text.split('\n');
    rest.push(first);
    for (const next of others) {
      yield rest.join('');
      rest = [next];
    }
  }
  const last = rest.join('');
  if (last !== '') yield last;
}
