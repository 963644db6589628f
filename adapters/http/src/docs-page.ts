import { readFile } from 'node:fs/promises';

/** Files of the page; the first two are swagger-ui's own, copied into `assets/` when the package is built. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/**
 * A page that shows the interface and can call it, without any other server: give it the paths below `path`.
 * Resolves undefined for a path that is not its own.
 */
export function createDocsPage(options: { readonly path: string; readonly documentUrl: string }) {
  const html = page(options.path, options.documentUrl);
  return async (request: Request): Promise<Response | undefined> => {
    const { pathname } = new URL(request.url);
    if (pathname === options.path || pathname === `${options.path}/`) {
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    }
    const name = pathname.startsWith(`${options.path}/`) ? pathname.slice(options.path.length + 1) : '';
    const type = FILES[name];
    if (type === undefined) return undefined;
    const bytes = await readFile(new URL(`../assets/${name}`, import.meta.url));
    return new Response(bytes, { headers: { 'content-type': type, 'cache-control': 'public, max-age=86400' } });
  };
}

function page(path: string, documentUrl: string): string {
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
<script>
  SwaggerUIBundle({ url: ${JSON.stringify(documentUrl)}, dom_id: '#page', deepLinking: true, persistAuthorization: true, validatorUrl: null });
</script>
</html>
`;
}
