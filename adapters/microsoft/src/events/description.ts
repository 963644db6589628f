import { ProviderError, withoutTrailing } from 'kalends/ports';
import { LONGEST_DESCRIPTION } from '../capabilities.ts';
import type { WireEvent } from './event-wire.ts';
import { lastIndex } from './last-index.ts';

/** The line that Teams draws around its block of a meeting's body. */
const RULE = '_'.repeat(30);

/**
 * Returns the description in a text body: the text above the block of an online meeting, with plain line ends. The recorded
 * original wins while it differs in white space alone, which Exchange does not preserve.
 */
export function readDescription(
  content: string | null | undefined,
  meeting: Pick<WireEvent, 'isOnlineMeeting' | 'onlineMeeting'>,
  written: string | undefined,
): string {
  const text = content ?? '';
  const link = meeting.isOnlineMeeting ? linkStart(text, meeting.onlineMeeting?.joinUrl) : undefined;
  const at = meeting.isOnlineMeeting ? ruleOfBlock(text, link) : -1;
  const shown = link === undefined || at < 0 ? text : text.slice(0, at);
  if (written !== undefined && says(shown, written, shown === text && at >= 0)) return written;
  // Converting HTML, Exchange ends a text with CRLF; a text that was written as text keeps its own line ends.
  const above = at < 0 ? withoutTrailing(text, '\r\n') : text.slice(0, at).trimEnd();
  return above.replaceAll('\r\n', '\n');
}

/** @throws ProviderError unsupported for a text that is too long */
export function checkDescription(text: string): void {
  if (text.length <= LONGEST_DESCRIPTION) return;
  const rule = `a description has at most ${LONGEST_DESCRIPTION} characters`;
  throw new ProviderError('unsupported', rule, { field: 'description' });
}

/** Returns the description to record beside the body; undefined when the body preserves it. */
export function keptDescription(text: string, isHtml: boolean): string | undefined {
  const isPlain = !text.includes('\r') && !(isHtml && /[^\S\n]{2}|[^\S\n ]|^\s|\s$|_{30}/.test(text));
  return isPlain ? undefined : text;
}

/** `hasBlock`: the block of a meeting follows somewhere below. */
function says(body: string, written: string, hasBlock: boolean): boolean {
  const [shown, wanted] = [squeezed(body), squeezed(written)];
  if (shown === wanted) return true;
  return hasBlock && shown.startsWith(wanted) && shown.slice(wanted.length).trimStart().startsWith(RULE);
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns a text as HTML. */
export function textToHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(/\r?\n/g, '<br>');
}

/**
 * Returns the description in the HTML body of an event, without the block of an online meeting. Undefined when it says no more
 * than the event's text, or when the meeting has a link and nothing tells where the block begins.
 */
export function markup(
  html: string,
  { body, isOnlineMeeting, onlineMeeting }: Pick<WireEvent, 'body' | 'isOnlineMeeting' | 'onlineMeeting'>,
): string | undefined {
  const inner = innerBody(html);
  if (inner === textToHtml(body?.content ?? '')) return undefined;
  if (!isOnlineMeeting) return inner;
  const at = blockStart(inner, onlineMeeting?.joinUrl);
  return at === undefined && onlineMeeting?.joinUrl ? undefined : inner.slice(0, at);
}

/**
 * Returns the HTML body of an online meeting with another description, in HTML. The meeting's block stays unchanged: without it the
 * meeting loses its link. Undefined when the meeting has a link and nothing tells where the block begins.
 * @see https://learn.microsoft.com/graph/api/event-update
 */
export function replaceDescription(
  html: string,
  description: string,
  joinUrl: string | null | undefined,
): string | undefined {
  const inner = innerBody(html);
  const at = blockStart(inner, joinUrl);
  // A meeting gets its block with its link, and an empty body has neither.
  if (at === undefined && joinUrl && inner.trim() !== '') return undefined;
  const block = at === undefined ? '' : inner.slice(at);
  return `${description}${block === '' || /^<br/i.test(block) ? '' : '<br>'}${block}`;
}

/** Returns the text between the body tags, or the whole text without them. */
function innerBody(html: string): string {
  const opening = html.search(/<body/i);
  const start = opening < 0 ? 0 : html.indexOf('>', opening) + 1;
  const closing = html.slice(start).search(/<\/body>/i);
  return closing < 0 ? html.slice(start) : html.slice(start, start + closing);
}

/** Returns the start of the block: the tags opened right before the last rule above the link, else those of the link. */
function blockStart(html: string, joinUrl: string | null | undefined): number | undefined {
  const link = linkStart(html, joinUrl);
  const rule = ruleOfBlock(html, link);
  if (rule >= 0) return openedBefore(html, rule);
  if (link === undefined) return undefined;
  const opened = Math.max(html.lastIndexOf('<div', link), html.lastIndexOf('<p', link), html.lastIndexOf('<a', link));
  return opened < 0 ? link : opened;
}

/** Returns the start of the rule that begins the block, or -1: the last one above the link, since the description may contain rules too. */
function ruleOfBlock(body: string, link: number | undefined): number {
  const at = link === undefined ? body.indexOf(RULE) : body.slice(0, link).lastIndexOf(RULE);
  return at < 0 ? at : startOfRun(body, at);
}

/** Returns the start of the run of underscores around `at`. */
function startOfRun(html: string, at: number): number {
  let start = at;
  while (html[start - 1] === '_') start -= 1;
  return start;
}

/** Returns the start of the tags that are opened right before `at`. */
function openedBefore(html: string, at: number): number {
  let start = at;
  while (true) {
    const before = html.slice(0, start).trimEnd();
    const tag = before.endsWith('>') ? before.lastIndexOf('<') : -1;
    if (tag < 0 || !/^<[a-z]/i.test(before.slice(tag, tag + 2))) return start;
    start = tag;
  }
}

/** Returns the place of the meeting's link, plain or escaped as in HTML. */
function linkStart(html: string, joinUrl: string | null | undefined): number | undefined {
  if (!joinUrl) return undefined;
  const at = Math.max(lastIndex(html, textToHtml(joinUrl)), lastIndex(html, joinUrl));
  return at < 0 ? undefined : at;
}
