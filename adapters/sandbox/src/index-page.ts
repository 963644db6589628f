import { html } from 'hono/html';
import type { Sandbox } from './sandbox-interface.ts';

/** The page at the root: what is here and where. */
export async function indexPage(sandbox: Sandbox, origin: string): Promise<Response> {
  const row = (what: string, where: string) => html`<tr><th>${what}</th><td><code>${where}</code></td></tr>`;
  const people = (emails: readonly string[]) =>
    emails.length === 0 ? html`<li>none yet</li>` : emails.map((email) => html`<li>${email}</li>`);
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>kalends sandbox</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
      th { text-align: left; padding-right: 1rem; font-weight: 500; }
      code { overflow-wrap: anywhere; }
    </style>
  </head>
  <body>
    <h1>kalends sandbox</h1>
    <p>Google Calendar, Microsoft Graph and CalDAV, stateful and local. Nothing here is real.</p>
    <h2>Google</h2>
    <table>
      ${row('Calendar API', `${origin}/google/calendar/v3`)}
      ${row('Authorization', `${origin}/google/o/oauth2/v2/auth`)}
      ${row('Token, revocation', `${origin}/google/token, ${origin}/google/revoke`)}
      ${row('Keys, discovery', `${origin}/google/oauth2/v3/certs, ${origin}/google/.well-known/openid-configuration`)}
    </table>
    <ul>${people(sandbox.google.mailboxes())}</ul>
    <h2>Microsoft</h2>
    <table>
      ${row('Graph', `${origin}/microsoft/v1.0`)}
      ${row('Authorization', `${origin}/microsoft/common/oauth2/v2.0/authorize`)}
      ${row('Token', `${origin}/microsoft/common/oauth2/v2.0/token`)}
    </table>
    <ul>${people(sandbox.microsoft.mailboxes())}</ul>
    <h2>CalDAV</h2>
    <table>
      ${row('Server', `${origin}/caldav/`)}
      ${row('Discovery', `${origin}/.well-known/caldav`)}
    </table>
    <ul>${people(sandbox.caldav.mailboxes())}</ul>
    <h2>Control</h2>
    <p>The clock shows ${new Date(sandbox.clock.now()).toISOString()}. The routes below are listed at
      <a href="/_sandbox">/_sandbox</a>.</p>
  </body>
</html>`;
  return new Response(page.toString(), { headers: { 'content-type': 'text/html; charset=utf-8' } });
}
