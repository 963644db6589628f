import { ProviderError } from 'kalends/ports';

/**
 * Returns the identity of a resource: its percent-decoded path below the server's origin. Lists of one server write a path in
 * several ways (`@` and `%40`), absolute or relative. Undefined for an address of another origin, or of none.
 */
export function pathOf(href: string, base: URL): string | undefined {
  if (!URL.canParse(href, base.href)) return undefined;
  const url = new URL(href, base);
  // iCloud writes the default port, which URL leaves out.
  if (url.host !== base.host || url.protocol !== base.protocol) return undefined;
  return url.pathname.split('/').map(decodeSegment).join('/');
}

/** Decodes a segment; an encoded slash stays encoded, since it separates nothing. */
function decodeSegment(segment: string): string {
  return segment.split(/%2f/i).map(decoded).join('%2F');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the path as it is sent. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

function encodeSegment(segment: string): string {
  return segment
    .split('%2F')
    .map((part) => encodeURIComponent(part).replaceAll('%40', '@').replaceAll('%3A', ':'))
    .join('%2F');
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

/** Returns the last segment of a path. */
export function lastSegment(path: string): string {
  return (
    path
      .split('/')
      .filter((segment) => segment !== '')
      .at(-1) ?? ''
  );
}
