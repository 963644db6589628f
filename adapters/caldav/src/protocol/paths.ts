import { asSecure } from '@kalends/provider-transport';
import { ProviderError } from 'kalends/ports';

/**
 * Returns the identity of a resource: its percent-decoded path below the server's origin. Lists of one server write a path in
 * several ways (`@` and `%40`), absolute or relative, and behind a proxy with http for https. Undefined for an address of another origin, or of none.
 */
export function pathOf(href: string, base: URL): string | undefined {
  if (!URL.canParse(href, base.href)) return undefined;
  const url = asSecure(base, new URL(href, base));
  // iCloud writes the default port, which URL leaves out.
  if (url.host !== base.host || url.protocol !== base.protocol) return undefined;
  return url.pathname.split('/').map(decodeSegment).join('/');
}

/** A character of no name. It stands before the hexadecimal digits of octets that stay encoded. */
const KEPT = '\0';

/**
 * Decodes a segment. An encoded slash stays `%2F`, since it separates nothing. Kept are octets that would be others when they are encoded
 * again: those that are not UTF-8, and the `%` of a name that has `%2F` in it.
 */
function decodeSegment(segment: string): string {
  return segment.split(/%2f/i).map(decodePart).join('%2F');
}

function decodePart(part: string): string {
  const ascii = (_escape: string, digits: string): string =>
    digits === '00' ? `${KEPT}00` : String.fromCharCode(Number.parseInt(digits, 16));
  return part
    .replaceAll(/(?:%[89a-f][\da-f])+/gi, decodeOctets)
    .replaceAll(/%([0-7][\da-f])/gi, ascii)
    .replaceAll('%2F', `${KEPT}252F`);
}

/** Decodes octets outside of ASCII, together. */
function decodeOctets(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes.toUpperCase().replaceAll('%', KEPT);
  }
}

/** Returns the path as it is sent. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

function encodeSegment(segment: string): string {
  return segment.split('%2F').map(encodePart).join('%2F');
}

function encodePart(part: string): string {
  return encodeURIComponent(part)
    .replaceAll('%40', '@')
    .replaceAll('%3A', ':')
    .replaceAll(/%00(00|25|[89A-F][\dA-F])/g, '%$1');
}

/** Returns the id of a resource: base64url of its path. Hrefs contain slashes, which ids in URLs must not. */
export function idOfPath(path: string): string {
  return Buffer.from(path, 'utf8').toString('base64url');
}

/** Returns the path of an id. @throws ProviderError not-found for a text that is no id of a resource */
export function pathOfId(id: string): string {
  const path = findPath(id);
  if (path === undefined) throw new ProviderError('not-found', 'there is no such resource');
  return path;
}

/** Returns the path of an id; undefined for a text that is no id of a resource. */
export function findPath(id: string): string | undefined {
  const path = Buffer.from(id, 'base64url').toString('utf8');
  return path.startsWith('/') && idOfPath(path) === id && !path.split('/').includes('..') ? path : undefined;
}

/** Returns the path of a collection, which ends in a slash. */
export function asCollection(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

/** Returns the last segment of a path as people may see it: octets that stay encoded are written with `%`. */
export function lastSegment(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return (segments.at(-1) ?? '').replaceAll(KEPT, '%');
}
