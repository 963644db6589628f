import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KalendsError } from 'kalends';
import { checkNames, createId, systemRandom } from 'kalends/runtime';
import { invalidOption } from './invalid-option.ts';
import { methodNotAllowed } from './method-index.ts';
import { problemResponse } from './problem-response.ts';
import { createRoutedPath } from './routed-path.ts';
import type { Handler } from './table-handler.ts';

/** Files of swagger-ui, which the build copies into `assets/`. The bundle names the last one as the place of its licences. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
};
/** The page's script is a file: the page's content security policy allows no inline script. */
const START = 'start.js';
const METHODS = ['GET', 'HEAD', 'OPTIONS'];

export interface DocsPageOptions {
  /** Path of the page, below the mount. @default "/docs" */
  readonly path?: string;
  /** Path that requests may carry before `path`, as for `createHandler`. @default none */
  readonly basePath?: string;
  /** URL of the OpenAPI document. @default `v1/openapi.json` at the same mount, behind any proxy */
  readonly documentUrl?: string;
  /** API key to fill in for all who can load the page, as in a demo on one's own machine. @default none */
  readonly apiKey?: string;
}

const NAMES = ['path', 'basePath', 'documentUrl', 'apiKey'] satisfies (keyof DocsPageOptions)[];

/**
 * Creates the handler of a page that shows the interface and can call it, without any other server.
 * Every mount takes it as it takes `createHandler(engine)`. The page does not store an API key.
 *
 * @throws KalendsError InvalidRequest for an unknown option, or a `path` that is not of the form `/docs`
 * @example
 * app.use('/calendar', expressMiddleware(createDocsPage()));
 */
export function createDocsPage(options: DocsPageOptions = {}): Handler {
  checkNames(options, NAMES);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && typeof value !== 'string') throw invalidOption(name, 'must be a text');
  }
  const { path = '/docs', basePath = '' } = options;
  if (!/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw new KalendsError('InvalidRequest', `path of the docs page is "${path}"; it must have the form "/docs"`);
  }
  // Relative to the start script: a proxy may have removed any prefix of the page's address.
  const { documentUrl = `${'../'.repeat(path.split('/').length - 1)}v1/openapi.json` } = options;
  const routedPath = createRoutedPath(basePath, path);
  const script = startScript(documentUrl, options.apiKey);
  const answers: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
    [path]: (request) => new Response(page(path, request.url), { headers: pageHeaders(documentUrl) }),
    [`${path}/${START}`]: () => {
      // A page of another site could load the script, and read the key from its calls.
      const own = { 'cross-origin-resource-policy': 'same-origin' };
      return new Response(script, {
        headers: { ...fileHeaders('text/javascript; charset=utf-8', 'no-cache'), ...own },
      });
    },
    ...Object.fromEntries(Object.entries(FILES).map(([name, type]) => [`${path}/${name}`, () => asset(name, type)])),
  };
  const handler = async (request: Request): Promise<Response> => {
    const routed = routedPath(request);
    const answer = Object.hasOwn(answers, routed) ? answers[routed] : undefined;
    const requestId = createId(systemRandom, 'req');
    if (answer === undefined) {
      return problemResponse(new KalendsError('NotFound', `there is no ${routed}; the page is at ${path}`), requestId);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return methodNotAllowed(request.method, routed, METHODS, requestId);
    }
    return Promise.resolve(answer(request)).catch((cause: unknown) => problemResponse(unreadable(cause), requestId));
  };
  const matches = (asked: string) => Object.hasOwn(answers, routedPath({ url: `http://host${asked}` }));
  return Object.assign(handler, { root: path, matches });
}

function pageHeaders(documentUrl: string) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(documentUrl),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function fileHeaders(type: string, cacheControl: string) {
  return { 'content-type': type, 'cache-control': cacheControl, 'x-content-type-options': 'nosniff' };
}

async function asset(name: string, type: string): Promise<Response> {
  const bytes = await readAsset(name);
  return new Response(bytes, { headers: fileHeaders(type, 'public, max-age=86400') });
}

async function readAsset(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const beside = join(dirname(fileURLToPath(import.meta.url)), '..', 'assets', name);
  try {
    return await readFile(beside);
  } catch {
    // The host has bundled this module into a file elsewhere: finds the package by its name, as any import of that file would.
    const manifest = createRequire(import.meta.url).resolve('@kalends/http/package.json');
    return readFile(join(dirname(manifest), 'assets', name));
  }
}

function unreadable(cause: unknown): KalendsError {
  const message = 'the files of the docs page cannot be read; install @kalends/http beside the bundle';
  return new KalendsError('InternalError', message, { cause });
}

/** Returns a policy of scripts, styles and calls of this server (and of the document's) alone, in no frame. */
function policyFor(documentUrl: string): string {
  const other = URL.canParse(documentUrl) ? ` ${new URL(documentUrl).origin}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    // React writes style attributes, and swagger-ui.css embeds its icons as data URLs.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self'${other}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Returns the page; its addresses are relative to its own, which may end in a slash. */
function page(path: string, url: string): string {
  const files = new URL(url).pathname.endsWith('/') ? '.' : (path.split('/').at(-1) ?? '');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>kalends API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files}/swagger-ui.css">
<style>body { margin: 0 }</style>
<div id="page"></div>
<script src="${files}/swagger-ui-bundle.js"></script>
<script src="${files}/${START}"></script>
</html>
`;
}

function startScript(documentUrl: string, apiKey: string | undefined): string {
  // A key in the fragment, which no server and no log sees, is filled in and taken out of the address.
  return `const url = new URL(${JSON.stringify(documentUrl)}, document.currentScript.src).href;
const given = /^#apiKey=([\\w-]+)$/.exec(location.hash);
if (given) history.replaceState(null, '', location.pathname + location.search);
const key = given ? given[1] : ${JSON.stringify(apiKey ?? null)};
const onComplete = () => { if (key) page.preauthorizeApiKey('apiKey', key); };
const page = SwaggerUIBundle({ url, dom_id: '#page', deepLinking: true, validatorUrl: null, onComplete });
`;
}
