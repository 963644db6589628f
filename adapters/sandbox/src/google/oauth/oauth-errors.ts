import { html } from 'hono/html';

/** Creates an OAuth error in the form of RFC 6749 §5.2. */
export function oauthError(status: number, error: string, description: string): Response {
  return Response.json({ error, error_description: description }, { status, headers: { 'cache-control': 'no-store' } });
}

/** Renders the page for a request that must not be redirected back to the application. */
export async function oauthErrorPage(status: number, error: string, description: string): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>Error ${status}: ${error}</title></head>
  <body>
    <h1>Access blocked: authorization error</h1>
    <p>${description}</p>
    <p>Error ${status}: <code>${error}</code></p>
  </body>
</html>`;
  return new Response(page.toString(), { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
}

/** Redirects back to the application, with parameters added to its redirect URI. */
export function redirectBack(redirectUri: string, parameters: Record<string, string | null>): Response {
  const target = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) target.searchParams.set(name, value);
  }
  return new Response(null, { status: 302, headers: { location: target.href, 'cache-control': 'no-store' } });
}
