import { APPLE, CALDAV, CALENDAR_SERVER, DAV, type QName } from './names.ts';

const PREFIXES: Readonly<Record<string, string>> = { [DAV]: 'D', [CALDAV]: 'C', [CALENDAR_SERVER]: 'CS', [APPLE]: 'A' };
const DECLARED = Object.entries(PREFIXES)
  .map(([uri, prefix]) => ` xmlns:${prefix}="${uri}"`)
  .join('');
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Escapes a text for content and attributes. A carriage return would otherwise reach no parser. */
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"\r]/g, (sign) => ESCAPES[sign] ?? sign);

/** Prints an element around content that is XML already. */
export function tag(name: QName, content = '', attributes: Readonly<Record<string, string>> = {}): string {
  const prefix = PREFIXES[name.uri];
  const declared = prefix === undefined && name.uri !== '' ? ` xmlns="${escapeXml(name.uri)}"` : '';
  const written = prefix === undefined ? name.local : `${prefix}:${name.local}`;
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const open = `<${written}${declared}${given.join('')}`;
  return content === '' ? `${open}/>` : `${open}>${content}</${written}>`;
}

export const davTag = (local: string, content = ''): string => tag({ uri: DAV, local }, content);

/** Answers with a document; the root declares the prefixes of every element below. */
export function xmlResponse(
  status: number,
  root: QName,
  content: string,
  headers: Record<string, string> = {},
): Response {
  const name = `${PREFIXES[root.uri] ?? 'D'}:${root.local}`;
  return new Response(`<?xml version="1.0" encoding="utf-8"?>\n<${name}${DECLARED}>${content}</${name}>\n`, {
    status,
    headers: { 'content-type': 'application/xml; charset=utf-8', ...headers },
  });
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  424: 'Failed Dependency',
  507: 'Insufficient Storage',
};

export const statusTag = (status: number): string =>
  davTag('status', `HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}`);

/** Prints a response of a multistatus with its properties, those that are there and those that are not. */
export function propResponse(href: string, found: readonly string[], missing: readonly QName[]): string {
  const propstat = (props: readonly string[], status: number) =>
    davTag('propstat', davTag('prop', props.join('')) + statusTag(status));
  const present = found.length > 0 || missing.length === 0 ? propstat(found, 200) : '';
  const absent =
    missing.length > 0
      ? propstat(
          missing.map((name) => tag(name)),
          404,
        )
      : '';
  return davTag('response', davTag('href', escapeXml(href)) + present + absent);
}

/** Prints a response of a multistatus that has a status alone. */
export const statusResponse = (href: string, status: number, error = ''): string =>
  davTag('response', davTag('href', escapeXml(href)) + statusTag(status) + error);

export const multistatus = (responses: readonly string[], more = ''): Response =>
  xmlResponse(207, { uri: DAV, local: 'multistatus' }, responses.join('') + more);
