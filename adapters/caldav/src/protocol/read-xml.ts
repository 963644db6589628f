import { ProviderError } from 'kalends/ports';
import { nextTurn } from 'kalends/runtime';
import { SaxesParser } from 'saxes';
import type { Name } from './names.ts';

/** An element, read whole: `text` joins its own text and CDATA, uncoerced and untrimmed. */
export interface XmlElement {
  readonly name: Name;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface OpenElement {
  readonly name: Name;
  readonly attributes: Record<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/** Answers need ten; each level costs memory. */
const DEEPEST = 64;
/** Characters that are parsed in one turn of the event loop: a few milliseconds. */
const PER_TURN = 250_000;
/** XML 1.0 excludes these, and calendars contain them: an object with one must not cost the others. */
const TOLERATED = /disallowed character/;
/** PostgreSQL refuses U+0000, and XML has none of the others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;

/**
 * Reads a document in turns of the event loop. Elements `whole` accepts are handed over complete, as they end, and forgotten; so
 * a long list is never held as a tree.
 * @throws ProviderError malformed for a document that is not well-formed, has a DOCTYPE, or is nested too deeply
 */
export async function readXml(
  text: string,
  isWhole: (name: Name, depth: number) => boolean,
  take: (element: XmlElement, depth: number) => void,
): Promise<void> {
  const open: OpenElement[] = [];
  let level = 0;
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on('error', (error) => {
    if (!TOLERATED.test(error.message)) throw malformed('is not well-formed XML', error);
  });
  parser.on('doctype', () => {
    throw malformed('has a DOCTYPE');
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    level += 1;
    if (level > DEEPEST) throw malformed('is nested too deeply');
    const name: Name = `{${uri}}${local}`;
    if (open.length === 0 && !isWhole(name, level)) return;
    const plain = Object.values(attributes).map((attribute) => [attribute.local, attribute.value]);
    open.push({ name, attributes: Object.fromEntries(plain), children: [], text: '' });
  });
  const addText = (part: string) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += part.replace(CONTROLS, '');
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const closed = open.pop();
    const parent = open.at(-1);
    if (closed !== undefined && parent !== undefined) parent.children.push(closed);
    else if (closed !== undefined) take(closed, level);
    level -= 1;
  });
  // A byte order mark is none of the document; a proxy may add empty lines.
  const document = text.replace(/^\ufeff?\s*/, '');
  for (let at = 0; at < document.length; at += PER_TURN) {
    if (at > 0) await nextTurn();
    parser.write(document.slice(at, at + PER_TURN));
  }
  parser.close();
}

function malformed(rule: string, cause?: unknown): ProviderError {
  return new ProviderError('malformed', `the answer ${rule}`, cause === undefined ? {} : { cause });
}

/** Returns the first child of this name. */
export function childOf(element: XmlElement | undefined, name: Name): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** Returns the text of the first child of this name, trimmed; undefined without one or when it is empty. */
export function childText(element: XmlElement | undefined, name: Name): string | undefined {
  return childOf(element, name)?.text.trim() || undefined;
}
