/** The line that Teams draws around its block of a meeting's body. */
const RULE = /_{30,}/;

/** The description in a text body: what stands above the block of an online meeting, with plain line ends. */
export function readDescription(content: string | null | undefined, isOnlineMeeting: boolean): string {
  const text = content ?? '';
  // Converting HTML, Exchange ends a text with CRLF; a text that was written as text keeps its own line ends.
  const plain = text.replace(/(\r\n)+$/, '').replaceAll('\r\n', '\n');
  if (!isOnlineMeeting) return plain;
  const at = plain.search(RULE);
  return at < 0 ? plain : plain.slice(0, at).replace(/\s+$/, '');
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

/** Where the block begins: with the tags opened right before its first rule, else with the one before the link. */
function blockStart(html: string, joinUrl: string | null | undefined): number | undefined {
  const ruled = /(?:<[a-z][^>]*>\s*)*_{30,}/i.exec(html);
  if (ruled !== null) return ruled.index;
  if (!joinUrl) return undefined;
  const link = html.indexOf(textToHtml(joinUrl)) >= 0 ? html.indexOf(textToHtml(joinUrl)) : html.indexOf(joinUrl);
  if (link < 0) return undefined;
  const opened = Math.max(html.lastIndexOf('<div', link), html.lastIndexOf('<p', link), html.lastIndexOf('<a', link));
  return opened < 0 ? link : opened;
}
