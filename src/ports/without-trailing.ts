/**
 * Returns a text without any repetitions of `ending` at its end, in linear time.
 *
 * A regular expression such as `/\/+$/` starts again at each character of a long run and takes quadratic time.
 * @example withoutTrailing('https://api.example/v1//', '/') // 'https://api.example/v1'
 */
export function withoutTrailing(text: string, ending: string): string {
  let end = text.length;
  while (ending !== '' && text.endsWith(ending, end)) end -= ending.length;
  return text.slice(0, end);
}
