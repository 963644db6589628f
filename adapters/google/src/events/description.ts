import { compile } from 'html-to-text';
import type { DescriptionFormat } from 'kalends/model';

/**
 * Longest part that is converted to text, in UTF-16 code units; Google's own interface accepts 8,192. Beyond it, unclosed tags take
 * quadratic time, and line ends the whole stack.
 */
const LONGEST_CONVERTED = 50_000;

/** Deeper elements become an ellipsis: the conversion recurses. */
const DEEPEST = 100;

const ELEMENT =
  /<\/?(?:a|abbr|address|b|big|blockquote|body|br|center|cite|code|dd|del|div|dl|dt|em|font|h[1-6]|hr|html|html-blob|i|img|ins|kbd|li|mark|ol|p|pre|q|s|samp|small|span|strike|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)(?:\s[^<>]*|\/)?>/i;
const REFERENCE = /&(?:amp|apos|gt|lt|nbsp|quot|#\d{1,7}|#x[\da-f]{1,6});/i;

const toText = compile({
  wordwrap: false,
  // People type line ends beside tags: losing them would join their lines.
  preserveNewlines: true,
  limits: { maxDepth: DEEPEST },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** Returns a description as HTML or as text. No field of Google's says which one it is: an element or a character reference does. */
export function readDescription(description: string, format: DescriptionFormat): string {
  const isHtml = ELEMENT.test(description) || REFERENCE.test(description);
  if (format === 'html') return isHtml ? description : textToHtml(description);
  return isHtml ? toText(description.slice(0, LONGEST_CONVERTED)) : description;
}

function textToHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(/\r?\n/g, '<br>');
}
