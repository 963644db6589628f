/** Escapes a text for an HTML document or attribute. */
export const escapeMarkup = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const STYLE =
  'body{font:16px system-ui,sans-serif;max-width:30rem;margin:3rem auto;padding:0 1rem}' +
  'fieldset{border:1px solid #8888;border-radius:.5rem;margin:1rem 0}label{display:block;padding:.3rem 0}' +
  'button{font:inherit;padding:.5rem 1.2rem;margin-right:.5rem}';

function page(title: string, main: string, status: number): Response {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeMarkup(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeMarkup(title)}</h1>${main}</main></body></html>`;
  return new Response(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** Renders a page in place of a redirect to an address that cannot be trusted. */
export function errorPage(code: number, message: string): Response {
  return page('Sorry, but we’re having trouble signing you in', `<p>AADSTS${code}: ${escapeMarkup(message)}</p>`, 400);
}

/** Renders the page where a person picks a mailbox and allows or denies; it posts to its own address. */
export function consentPage(input: {
  readonly action: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly mailboxes: readonly { readonly email: string; readonly name: string }[];
  readonly preselected: string | null;
}): Response {
  const choices = input.mailboxes
    .map(({ email, name }, at) => {
      const isChosen = input.preselected === null ? at === 0 : email.toLowerCase() === input.preselected.toLowerCase();
      return `<label><input type="radio" name="mailbox" value="${escapeMarkup(email)}"${isChosen ? ' checked' : ''}> ${escapeMarkup(name)} &lt;${escapeMarkup(email)}&gt;</label>`;
    })
    .join('');
  const scopes = input.scopes.map((scope) => `<li>${escapeMarkup(scope)}</li>`).join('');
  const form = `<p>Sandbox sign-in: no password, nothing leaves this machine.</p><form method="post" action="${escapeMarkup(input.action)}"><fieldset><legend>Pick an account</legend>${choices}</fieldset><p>The application <code>${escapeMarkup(input.clientId)}</code> asks for:</p><ul>${scopes}</ul><button name="decision" value="allow">Accept</button><button name="decision" value="deny">Cancel</button></form>`;
  return page('Permissions requested', form, 200);
}
