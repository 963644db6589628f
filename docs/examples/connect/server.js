// A site whose users connect their calendars with <kalends-connect>; the account's id is proved on the server.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { applicationId, engine, mailboxOf, providers, redirectUrl } from './calendar.js';
import { newState, sessionOf } from './sessions.js';

const handler = createHandler(engine, { basePath: '/calendar' });
/** Folder of the client's modules, which the page imports without a bundler. */
const CLIENT = new URL('.', import.meta.resolve('@kalends/client'));
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'";
const TYPES = { js: 'text/javascript', css: 'text/css' };

const server = createServer(
  nodeListener(async (request, peer) => {
    const { pathname } = new URL(request.url);
    if (handler.matches(pathname)) return handler(request, peer);
    if (pathname === '/') return page(request);
    if (pathname === '/mailboxes' && request.method === 'POST') return connectMailbox(request);
    if (pathname.startsWith('/kalends/')) return file(new URL(pathname.slice(9), CLIENT), CLIENT);
    return file(new URL(`public${pathname}`, import.meta.url), new URL('public/', import.meta.url));
  }),
);
server.listen(process.env.PORT ?? 3000);
process.once('SIGTERM', () => server.close(() => engine.stop()));

/** @param {Request} request */
async function page(request) {
  const { session, cookie } = sessionOf(request);
  /** @type {Record<string, string>} */
  const values = { applicationId, providers, redirectUrl, externalId: session.userId, state: newState(session) };
  const template = await readFile(new URL('public/page.html', import.meta.url), 'utf8');
  const html = template.replaceAll(/\{(\w+)\}/g, (_, name) => escapeHtml(values[name] ?? ''));
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': CSP,
    'cache-control': 'no-store',
    // The address holds the account's id until the page has cleaned it.
    'referrer-policy': 'no-referrer',
  });
  if (cookie) headers.set('set-cookie', cookie);
  return new Response(html, { headers });
}

/**
 * Connects an account to the user of the session. The state proves that this session began the flow, once; the externalId,
 * which travels sealed, that the flow was this user's.
 * @param {Request} request
 */
async function connectMailbox(request) {
  const { session } = sessionOf(request);
  const { endUserAccountId, state } = await request.json();
  if (!session.states.delete(String(state))) return Response.json({ code: 'state_mismatch' }, { status: 403 });
  const email = await mailboxOf(String(endUserAccountId), session.userId);
  if (email === undefined) return Response.json({ code: 'account_conflict' }, { status: 403 });
  session.mailboxes.push(email);
  return Response.json({ email });
}

/**
 * @param {URL} path
 * @param {URL} folder
 */
async function file(path, folder) {
  const extension = /\.(js|css)$/.exec(path.pathname)?.[1];
  if (extension !== 'js' && extension !== 'css') return notFound();
  if (!path.href.startsWith(folder.href)) return notFound();
  try {
    const bytes = await readFile(fileURLToPath(path));
    return new Response(bytes, { headers: { 'content-type': TYPES[extension] } });
  } catch {
    return notFound();
  }
}

const notFound = () => new Response('Not found', { status: 404 });

/** @param {string} text */
const escapeHtml = (text) => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
