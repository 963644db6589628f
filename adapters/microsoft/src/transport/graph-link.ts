import { ProviderError } from 'kalends/ports';

/**
 * Returns a link of Graph relative to the configured root, to follow now or to store. An access token never goes anywhere
 * but below the root, whatever an answer says.
 * @throws ProviderError malformed for a link that leads elsewhere
 */
export function relativeLink(graphUrl: string, link: string): string {
  const base = new URL(`${graphUrl}/`);
  const url = URL.canParse(link) ? new URL(link) : undefined;
  const isBelow =
    url !== undefined &&
    url.origin === base.origin &&
    url.username === '' &&
    url.password === '' &&
    url.pathname.startsWith(base.pathname);
  if (!isBelow) throw new ProviderError('malformed', 'Graph gave a link that leads away from the configured root');
  return url.pathname.slice(base.pathname.length) + url.search;
}

/** Returns the URL of a path or stored link below the root. @throws ProviderError malformed when it leaves the root */
export function absoluteUrl(graphUrl: string, path: string): string {
  const url = `${graphUrl}/${path}`;
  return `${graphUrl}/${relativeLink(graphUrl, url)}`;
}
