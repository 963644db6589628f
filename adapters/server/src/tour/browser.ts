import { TourFailure } from './narrator.ts';

/** The end of an authorization flow: the parameters of its final redirect. */
export interface FlowEnd {
  readonly redirectUrl: string;
  readonly parameters: URLSearchParams;
}

/**
 * Walks through the authorization flow as a browser does: follows redirects with cookies, fills in the sandbox's consent
 * page and stops at the redirect to `landing`.
 */
export async function walkAuthorization(startUrl: string, landing: string, mailbox: string): Promise<FlowEnd> {
  const cookies = new Map<string, string>();
  let request: { url: string; body?: URLSearchParams } = { url: startUrl };
  for (let step = 0; step < 12; step += 1) {
    const response = await fetch(request.url, {
      method: request.body === undefined ? 'GET' : 'POST',
      headers: { accept: 'text/html', ...(cookies.size > 0 ? { cookie: cookieHeader(cookies) } : {}) },
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
    });
    for (const cookie of response.headers.getSetCookie()) keepCookie(cookies, cookie);
    const location = response.headers.get('location');
    if (location !== null) {
      const target = new URL(location, request.url);
      if (`${target.origin}${target.pathname}` === landing)
        return { redirectUrl: landing, parameters: target.searchParams };
      request = { url: target.href };
      continue;
    }
    const page = await response.text();
    if (!response.ok) throw new TourFailure(`${request.url} answered ${response.status}`, page.slice(0, 500));
    request = fillConsent(page, request.url, mailbox);
  }
  throw new TourFailure('the authorization flow did not come back', request.url);
}

function fillConsent(page: string, pageUrl: string, mailbox: string): { url: string; body: URLSearchParams } {
  const action = tagsOf(page, 'form')[0]?.get('action');
  if (action === undefined) throw new TourFailure('expected a consent page with a form', page.slice(0, 500));
  const body = new URLSearchParams();
  for (const input of tagsOf(page, 'input')) {
    if (input.get('type') === 'hidden') body.append(input.get('name') ?? '', input.get('value') ?? '');
  }
  body.set('mailbox', mailbox);
  body.set('decision', 'allow');
  return { url: new URL(action, pageUrl).href, body };
}

/** Returns the attributes of each tag of one kind, in the order of the page. */
function tagsOf(page: string, kind: string): readonly ReadonlyMap<string, string>[] {
  const tags = [...page.matchAll(/<([a-z]+)\s[^<>]*>/g)].filter(([, name]) => name === kind);
  return tags.map(([tag]) => {
    const attributes = [...tag.matchAll(/\s([a-z]+)="([^"]*)"/g)];
    return new Map(attributes.map(([, name = '', value = '']) => [name, unescapeHtml(value)]));
  });
}

function unescapeHtml(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text.replace(/&(#(\d+)|(\w+));/g, (whole, _entity, code, name) =>
    code === undefined ? (named[name] ?? whole) : String.fromCharCode(Number(code)),
  );
}

function keepCookie(cookies: Map<string, string>, header: string): void {
  const [pair = '', ...attributes] = header.split(';');
  const [name = '', value = ''] = pair.split('=', 2);
  if (attributes.some((attribute) => attribute.trim().toLowerCase() === 'max-age=0')) cookies.delete(name);
  else cookies.set(name, value);
}

function cookieHeader(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}
