import { html } from 'hono/html';

/**
 * Renders the consent page: a plain form that posts back to the authorization endpoint. Fields: every parameter of the
 * authorization request again, `mailbox` (which person), `granted_scope` (repeated; all when none is sent),
 * `decision` (`allow` or `deny`).
 */
export async function consentPage(input: {
  readonly action: string;
  readonly clientId: string;
  readonly parameters: URLSearchParams;
  readonly scopes: readonly string[];
  readonly mailboxes: readonly string[];
  readonly loginHint: string | null;
}): Promise<Response> {
  const { parameters, scopes, mailboxes, loginHint } = input;
  const hinted = mailboxes.find((email) => email === loginHint?.toLowerCase()) ?? mailboxes[0];
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Sign in – Google sandbox</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
      fieldset { border: 1px solid #dadce0; border-radius: 8px; margin: 1rem 0; }
      label { display: block; padding: 0.25rem 0; overflow-wrap: anywhere; }
      button { font: inherit; padding: 0.5rem 1.5rem; border-radius: 4px; border: 1px solid #1a73e8; }
      button[value='allow'] { background: #1a73e8; color: #fff; }
    </style>
  </head>
  <body>
    <h1>Google sandbox</h1>
    <p><strong>${input.clientId}</strong> wants to access an account. Nothing here is real.</p>
    <form method="post" action="${input.action}">
      ${[...parameters].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <fieldset>
        <legend>Account</legend>
        ${mailboxes.map(
          (email) => html`<label
            ><input type="radio" name="mailbox" value="${email}" ${email === hinted ? 'checked' : ''} required /> ${email}</label
          >`,
        )}
      </fieldset>
      <fieldset>
        <legend>It asks for</legend>
        ${scopes.map(
          (scope) =>
            html`<label><input type="checkbox" name="granted_scope" value="${scope}" checked /> ${scope}</label>`,
        )}
      </fieldset>
      <button type="submit" name="decision" value="allow">Allow</button>
      <button type="submit" name="decision" value="deny">Deny</button>
    </form>
  </body>
</html>`;
  return new Response(page.toString(), {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}
