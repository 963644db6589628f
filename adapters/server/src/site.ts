import { createDocsPage, type Handler, type Peer } from '@kalends/http';
import type { McpMount } from './mcp/mount-mcp.ts';

/** Path of the server at which the interface is mounted. */
export const API_PATH = '/api';

const DEMO_DOCUMENT = 'openapi.json';

interface SiteOptions {
  /** The dashboard, where there is one. */
  readonly dashboard?: Handler | undefined;
  /** The `basePath` of both handlers. */
  readonly apiPath?: string;
  readonly admin?: Handler | undefined;
  /** Answers agents at /mcp. */
  readonly mcp?: McpMount | undefined;
  /** The API page of a demo, filled in: all who can load the page can use its key. */
  readonly demo?: {
    readonly apiKey: string;
    document(): Promise<object>;
  };
}

/**
 * Creates the handler of all pages of the standalone server: the interface and, where there is one, the administration at
 * `apiPath` (the `basePath` of their handlers), the API page at /docs, links at /, and /connected, the end of the authorization flow for an application without a page of its
 * own.
 */
export function createSite(
  api: Handler,
  { apiPath = API_PATH, admin, mcp, dashboard, demo }: SiteOptions = {},
): (request: Request, peer?: Peer) => Promise<Response> {
  // Relative to the page's files, as all addresses here: a proxy may have removed any prefix.
  const documentUrl = demo === undefined ? `..${apiPath}/v1/openapi.json` : DEMO_DOCUMENT;
  const docs = createDocsPage({ path: '/docs', documentUrl, ...(demo === undefined ? {} : { apiKey: demo.apiKey }) });
  return async (request, peer) => {
    const url = new URL(request.url);
    if (url.pathname === apiPath || url.pathname.startsWith(`${apiPath}/`)) {
      const isAdministration = admin !== undefined && url.pathname.startsWith(`${apiPath}${admin.root}/`);
      return isAdministration ? admin(request, peer) : api(request, peer);
    }
    if (mcp?.matches(url.pathname)) return mcp(request, peer);
    if (dashboard?.matches(url.pathname)) return dashboard(request, peer);
    if (demo !== undefined && url.pathname === `/docs/${DEMO_DOCUMENT}`) return Response.json(await demo.document());
    if (docs.matches(url.pathname)) return docs(request);
    if (url.pathname === '/') return html(links(apiPath, dashboard?.root));
    if (url.pathname === '/connected') return html(connected(url.searchParams));
    const operators = dashboard === undefined ? ' There is a dashboard once KALENDS_ADMIN_TOKEN is set.' : '';
    return new Response(`Not found. The interface is at ${apiPath}/v1, its page at /docs.${operators}\n`, {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
  };
}

function html(body: string): Response {
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>kalends</title><link rel="icon" href="data:,">
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:12vh auto;padding:0 1rem;color:#1b1b1b}code{background:#eee;padding:.15em .35em;border-radius:3px}</style>
${body}</html>`;
  return new Response(text, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  });
}

function links(apiPath: string, dashboardPath: string | undefined): string {
  return `<h1>kalends</h1><p>The interface answers at <code>${apiPath}/v1</code>.</p>
<ul>${dashboardPath === undefined ? '' : `<li><a href=".${dashboardPath}">The dashboard, for operators</a></li>`}<li><a href="./docs">The interface, row by row, to read and to try</a></li><li><a href=".${apiPath}/v1/openapi.json">Its OpenAPI document</a></li></ul>`;
}

function connected(query: URLSearchParams): string {
  const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const accountId = query.get('endUserAccountId');
  if (accountId !== null) return `<h1>Connected</h1><p>endUserAccountId: <code>${escapeHtml(accountId)}</code></p>`;
  return `<h1>Not connected</h1><p><code>${escapeHtml(query.get('error') ?? 'unknown')}</code> ${escapeHtml(query.get('error_description') ?? '')}</p>`;
}
