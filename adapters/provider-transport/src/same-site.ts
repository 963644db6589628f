import { isIP } from 'node:net';

/** Names of the second level under which registries of countries register, beside every one of up to three letters. */
const REGISTRIES = new Set(['asso', 'gouv', 'govt', 'info', 'school']);

/**
 * Returns whether credentials for one address may be sent to another: the same host, or hosts under one registered domain, as
 * `caldav.icloud.com` and `p42-caldav.icloud.com`; never from https to http.
 */
export function isSameSite(from: URL, to: URL): boolean {
  if (to.protocol !== from.protocol && to.protocol !== 'https:') return false;
  if (to.protocol !== 'https:' && to.protocol !== 'http:') return false;
  const [one, other] = [from.hostname.toLowerCase(), to.hostname.toLowerCase()];
  if (one === other) return true;
  if (isAddress(one) || isAddress(other)) return false;
  const domain = registeredDomain(one);
  return domain !== undefined && domain === registeredDomain(other);
}

/**
 * Returns an http address as https where that is of the same host, both at their default ports: a server behind a proxy that speaks TLS for it
 * may not know its own addresses. Others are returned as they are.
 */
export function asSecure(from: URL, to: URL): URL {
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:';
  if (!isDowngrade || from.hostname !== to.hostname || from.port !== '' || to.port !== '') return to;
  const secure = new URL(to);
  secure.protocol = 'https:';
  return secure;
}

const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/**
 * Returns the part of a name that its owner registered. Without a list of public suffixes: two labels, or three under a
 * registry of a country such as `co.uk`, which errs on the side of too many labels.
 */
function registeredDomain(host: string): string | undefined {
  const labels = host.split('.').filter((label) => label !== '');
  const [second = '', top = ''] = labels.slice(-2);
  const isUnderRegistry = top.length === 2 && (second.length <= 3 || REGISTRIES.has(second));
  const count = isUnderRegistry ? 3 : 2;
  return labels.length < count ? undefined : labels.slice(-count).join('.');
}
