import { readFile } from 'node:fs/promises';

/** Files of the page; the first two are swagger-ui's own, copied into `assets/` when the package is built. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};
/** The page's own script, in a file because its policy allows none in the page. */
const START = 'start.js';

/**
 * A page that shows the interface and can call it, without any other server: give it the paths below `path`.
 * Resolves undefined for a path that is not its own. An API key that is entered is forgotten with the page.
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

/** Scripts, styles and calls of this server alone (and of the document's, if that is another), in no frame. */
function policyFor(documentUrl: string): string {
  const other = URL.canParse(documentUrl) ? ` ${new URL(documentUrl).origin}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    // React writes style attributes; swagger-ui.css has its icons as data.
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
