import { ProviderError } from 'kalends/ports';
import { expect, it, onTestFinished } from 'vitest';
import { ADA, GRACE, startHarness } from './harness.ts';

const DAV = 'https://cal.corp.example';
/** Grace's own page, under the domain of Ada's server. */
const PAGE = 'https://grace.corp.example/';
const principalOf = (email: string) => `${DAV}/caldav/principals/${encodeURIComponent(email)}/`;

function multistatus(property: string): Response {
  const propstat = `<D:propstat><D:prop>${property}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>`;
  const text = `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href>${propstat}</D:response></D:multistatus>`;
  return new Response(text, { status: 207, headers: { 'content-type': 'application/xml' } });
}

const currentPrincipal = (href: string) =>
  multistatus(`<D:current-user-principal><D:href>${href}</D:href></D:current-user-principal>`);

/** The stand-in at `DAV`, whose principals every person may read, beside a page that answers as told. */
async function startDomain(page: () => Response, edit: (text: string, url: URL) => string = (text) => text) {
  const asked: string[] = [];
  const harness = await startHarness({
    async fetch(input, init = {}) {
      const url = new URL(String(input));
      asked.push(url.href);
      if (url.origin !== DAV) return page();
      const answer = await fetch(new URL(url.pathname, harness.url), init);
      const location = answer.headers.get('location');
      if (location !== null) return Response.redirect(new URL(new URL(location).pathname, DAV), 301);
      return new Response(edit(await answer.text(), url), answer);
    },
  });
  onTestFinished(() => harness.close());
  harness.control('setQuirks', { quirks: ['openPrincipals'] });
  return {
    asked,
    async signIn(email: string, serverUrl: string) {
      const { password } = harness.control('addAppPassword', { email }) as { password: string };
      const { authorization } = harness.provider;
      if (authorization.kind !== 'credentials') throw new Error('CalDAV signs in by credentials');
      const typed = { kind: 'password', serverUrl, username: email, password } as const;
      return authorization.verify(typed, AbortSignal.timeout(10_000));
    },
  };
}

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => (ProviderError.isInstance(error) ? [error.reason, error.field] : error),
  );

it('takes a person for no other, whatever principal the page says that the credentials are for', async () => {
  const domain = await startDomain(() => currentPrincipal(principalOf(ADA)));
  const { identity, credentials } = await domain.signIn(GRACE, PAGE);
  expect(identity).toMatchObject({ providerAccountId: principalOf(GRACE), email: GRACE });
  expect(credentials).toMatchObject({ serverUrl: `${DAV}/caldav/calendars/${encodeURIComponent(GRACE)}/` });
});

it('refuses a principal whose server names one that names another still', async () => {
  const other = principalOf('third@dav.example');
  const swap: Record<string, string> = { [principalOf(ADA)]: GRACE, [principalOf(GRACE)]: ADA };
  const domain = await startDomain(
    () => currentPrincipal(principalOf(ADA)),
    (text, { href }) =>
      text.replace(/(<D:current-user-principal><D:href>)[^<]*/, `$1${principalOf(swap[href] ?? other)}`),
  );
  expect(await refused(domain.signIn(GRACE, PAGE))).toEqual(['forbidden', 'serverUrl']);
});

const hidden = (text: string) => text.replaceAll(/<D:current-user-principal>.*?<\/D:current-user-principal>/g, '');
const hiddenBelow = (text: string, { pathname }: URL) => (pathname.includes('/principals/') ? hidden(text) : text);

it('believes a principal that does not say whose the credentials are where its own origin names it, and no other', async () => {
  const domain = await startDomain(() => currentPrincipal(principalOf(ADA)), hiddenBelow);
  expect((await domain.signIn(GRACE, `${DAV}/caldav/`)).identity.providerAccountId).toBe(principalOf(GRACE));
  expect(await refused(domain.signIn(GRACE, PAGE))).toEqual(['forbidden', 'serverUrl']);
});

it('takes no one for the person whose principal the address is', async () => {
  const page = () => multistatus(`<D:principal-URL><D:href>${principalOf(ADA)}</D:href></D:principal-URL>`);
  const domain = await startDomain(page, hidden);
  expect(await refused(domain.signIn(GRACE, principalOf(ADA)))).toEqual(['malformed', 'serverUrl']);
  expect(await refused(domain.signIn(GRACE, PAGE))).toEqual(['malformed', 'serverUrl']);
});

it('refuses a person whom the server of the principal takes for no one', async () => {
  const unauthenticated = '<D:current-user-principal><D:unauthenticated/></D:current-user-principal>';
  const domain = await startDomain(
    () => currentPrincipal(principalOf(ADA)),
    (text) => text.replace(/<D:current-user-principal>.*?<\/D:current-user-principal>/, unauthenticated),
  );
  expect(await refused(domain.signIn(GRACE, PAGE))).toEqual(['invalid-grant', undefined]);
});

it('asks no more of a server than before, however it writes the address of the principal', async () => {
  const spell = (text: string, { pathname }: URL) =>
    pathname.includes('/principals/') ? text : text.replaceAll('%40', '@');
  const domain = await startDomain(() => currentPrincipal(principalOf(ADA)), spell);
  const { identity } = await domain.signIn(ADA, `${DAV}/caldav/`);
  expect(identity.providerAccountId).toBe(`${DAV}/caldav/principals/${ADA}/`);
  expect(domain.asked.filter((url) => url.includes('/principals/'))).toHaveLength(1);
});
