import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { KalendsError } from 'kalends';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** A file of the built page. */
interface PageFile {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
}

/** Reads the files of the built page, each once. */
export interface PageFiles {
  /** Returns a file of `files/`, whose names change with their content. @throws KalendsError NotFound */
  file(name: string, request: Request): Promise<Response>;
  /** Returns the page with `base` as the address to which its own are relative. */
  page(base: string): Promise<Response>;
}

/** Only the page's own files run, and no other page may show it in a frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export function createPageFiles(): PageFiles {
  const read = new Map<string, Promise<PageFile | undefined>>();
  const load = (name: string) => {
    const known = read.get(name) ?? readPageFile(name);
    read.set(name, known);
    return known;
  };
  return {
    async file(name, request) {
      const found = /^[\w-]+(?:\.[\w-]+)*$/.test(name) ? await load(`files/${name}`) : undefined;
      if (found === undefined) {
        read.delete(`files/${name}`);
        throw new KalendsError('NotFound', `the dashboard has no file ${name}`);
      }
      const isZipped = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
      return new Response(isZipped ? found.zipped : found.plain, {
        headers: {
          'content-type': found.type,
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'accept-encoding',
          'x-content-type-options': 'nosniff',
          ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
        },
      });
    },
    async page(base) {
      const found = await load('index.html');
      if (found === undefined) {
        throw new KalendsError(
          'InternalError',
          'the files of the dashboard cannot be read; install @kalends/dashboard beside the bundle',
        );
      }
      const text = Buffer.from(found.plain).toString('utf8').replace('<base href="./" />', `<base href="${base}" />`);
      return new Response(text, {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
          'content-security-policy': POLICY,
          'x-frame-options': 'DENY',
          'referrer-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
          'cross-origin-opener-policy': 'same-origin',
        },
      });
    },
  };
}

async function readPageFile(name: string): Promise<PageFile | undefined> {
  const beside = join(dirname(fileURLToPath(import.meta.url)), '..', 'assets', name);
  const plain = await readFile(beside).catch(() => readFile(besideManifest(name)).catch(() => undefined));
  if (plain === undefined) return undefined;
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return { type, plain, zipped: await promisify(gzip)(plain) };
}

/** Returns a file's path by the package's name: the host may have bundled this module into a file elsewhere. */
function besideManifest(name: string): string {
  const manifest = createRequire(import.meta.url).resolve('@kalends/dashboard/package.json');
  return join(dirname(manifest), 'assets', name);
}
