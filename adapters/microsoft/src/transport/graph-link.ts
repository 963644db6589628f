import { ProviderError } from 'kalends/ports';

/**
 * A link that Graph gave, relative to the configured root, for following now or keeping for later.
 * A token is never sent to another place than the root, whatever an answer says.
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

/** The absolute URL of a path or kept link below the root. @throws ProviderError malformed when it would leave the root */
export function absoluteUrl(graphUrl: string, path: string): string {
  const url = `${graphUrl}/${path}`;
  return `${graphUrl}/${relativeLink(graphUrl, url)}`;
}
