import { readFileSync } from 'node:fs';

/** Returns the version of `@kalends/server`; every `@kalends` package of one release has the same. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
