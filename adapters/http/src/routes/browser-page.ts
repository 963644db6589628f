/** Escapes text for HTML, within attributes too. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface BrowserPage {
  readonly status: number;
  readonly title: string;
  /** HTML. */
  readonly body: string;
  /** Rules of the page's style sheet beyond those of every page. */
  readonly style?: string;
  /** Sources of the policy's `form-action`. @default 'none' */
  readonly formAction?: string;
  /** Beside those of every page, or in place of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;color:#222;background:#fff}code{background:#eee;padding:.1em .3em}';

/** Creates a page that a person reads in a browser: without script, never stored, framed or told to other sites. */
export function browserPage({
  status,
  title,
  body,
  style = '',
  formAction = "'none'",
  headers,
}: BrowserPage): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}${style}</style>
${body}</html>`;
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // Its address holds the provider's code, or the state of a flow.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
      ...headers,
    },
  });
}
