import { readFile } from 'node:fs/promises';

/** Files of swagger-ui, which the build copies into `assets/`. The bundle names the last one as the place of its licences. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
};
/** The page's script is a file: the page's content security policy allows no inline script. */
const START = 'start.js';

/**
 * Creates the handler of a page that shows the interface and can call it, without any other server.
 * Give it the requests at and below `path`; it resolves with undefined for any other path. The page does not store an API key.
 */
export function createDocsPage(options: { readonly path: string; readonly documentUrl: string }) {
  const { path, documentUrl } = options;
  const html = page(path);
  const pageHeaders = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(documentUrl),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  const fileHeaders = (type: string, cacheControl: string) => ({
    'content-type': type,
    'cache-control': cacheControl,
    'x-content-type-options': 'nosniff',
  });
  return async (request: Request): Promise<Response | undefined> => {
    const { pathname } = new URL(request.url);
    if (pathname === path || pathname === `${path}/`) return new Response(html, { headers: pageHeaders });
    const name = pathname.startsWith(`${path}/`) ? pathname.slice(path.length + 1) : '';
    if (name === START) {
      return new Response(startScript(documentUrl), {
        headers: fileHeaders('text/javascript; charset=utf-8', 'no-cache'),
      });
    }
    const type = FILES[name];
    if (type === undefined) return undefined;
    const bytes = await readFile(new URL(`../assets/${name}`, import.meta.url));
    return new Response(bytes, { headers: fileHeaders(type, 'public, max-age=86400') });
  };
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

function page(path: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>kalends API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${path}/swagger-ui.css">
<style>body { margin: 0 }</style>
<div id="page"></div>
<script src="${path}/swagger-ui-bundle.js"></script>
<script src="${path}/${START}"></script>
</html>
`;
}

function startScript(documentUrl: string): string {
  return `SwaggerUIBundle({ url: ${JSON.stringify(documentUrl)}, dom_id: '#page', deepLinking: true, validatorUrl: null });\n`;
}
