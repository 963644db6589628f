import { ProviderError } from 'kalends/ports';
import { LONGEST_DESCRIPTION } from '../capabilities.ts';

/** The line that Teams draws around its block of a meeting's body. */
const RULE = /_{30,}/;

/**
 * The description in a text body: what stands above the block of an online meeting, with plain line ends. What was
 * written counts while the body says the same but for white space, which Exchange does not keep as it is.
 */
export function readDescription(
  content: string | null | undefined,
  isOnlineMeeting: boolean,
  written: string | undefined,
): string {
  const text = content ?? '';
  if (written !== undefined && says(text, written, isOnlineMeeting)) return written;
  // Converting HTML, Exchange ends a text with CRLF; a text that was written as text keeps its own line ends.
  const plain = text.replace(/(\r\n)+$/, '').replaceAll('\r\n', '\n');
  if (!isOnlineMeeting) return plain;
  const at = plain.search(RULE);
  return at < 0 ? plain : plain.slice(0, at).replace(/\s+$/, '');
}

/** @throws ProviderError unsupported for a text that is too long */
export function checkDescription(text: string): void {
  if (text.length <= LONGEST_DESCRIPTION) return;
  const rule = `a description has at most ${LONGEST_DESCRIPTION} characters`;
  throw new ProviderError('unsupported', rule, { field: 'description' });
}

/** The description to keep beside the body: undefined when the body gives it back as it is. */
export function keptDescription(text: string, isOnlineMeeting: boolean): string | undefined {
  const isPlain = !text.includes('\r') && !(isOnlineMeeting && /[^\S\n]{2}|[^\S\n ]|^\s|\s$|_{30}/.test(text));
  return isPlain ? undefined : text;
}

function says(body: string, written: string, isOnlineMeeting: boolean): boolean {
  const [shown, wanted] = [squeezed(body), squeezed(written)];
  if (!isOnlineMeeting) return shown === wanted;
  const rest = shown.slice(wanted.length).trimStart();
  return shown.startsWith(wanted) && (rest === '' || rest.search(RULE) === 0);
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A text as HTML. */
export function textToHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(/\r?\n/g, '<br>');
}

/**
 * The HTML body of an online meeting with another description. The meeting's own block stays as it was: a body without
 * it would cost the meeting its link.
 * @see https://learn.microsoft.com/graph/api/event-update
 */
export function replaceDescription(html: string, text: string, joinUrl: string | null | undefined): string {
  const inner = html.replace(/^[\s\S]*?<body[^>]*>/i, '').replace(/<\/body>[\s\S]*$/i, '');
  const at = blockStart(inner, joinUrl);
  const block = at === undefined ? '' : inner.slice(at);
  return `${textToHtml(text)}${block === '' || /^<br/i.test(block) ? '' : '<br>'}${block}`;
}

/** Where the block begins: with the tags opened right before the last rule above the link, else with those of the link. */
function blockStart(html: string, joinUrl: string | null | undefined): number | undefined {
  const link = linkStart(html, joinUrl);
  // A description may have rules of its own, above.
  const ruled = [...html.matchAll(/(?:<[a-z][^>]*>\s*)*_{30,}/gi)].map(({ index }) => index);
  const above = link === undefined ? ruled[0] : ruled.filter((at) => at < link).at(-1);
  if (above !== undefined || link === undefined) return above;
  const opened = Math.max(html.lastIndexOf('<div', link), html.lastIndexOf('<p', link), html.lastIndexOf('<a', link));
  return opened < 0 ? link : opened;
}

/** Where the meeting's link stands, as it is or as HTML writes it. */
function linkStart(html: string, joinUrl: string | null | undefined): number | undefined {
  if (!joinUrl) return undefined;
  const at = Math.max(html.lastIndexOf(textToHtml(joinUrl)), html.lastIndexOf(joinUrl));
  return at < 0 ? undefined : at;
}
