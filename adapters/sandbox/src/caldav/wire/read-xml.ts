import { SaxesParser } from 'saxes';
import { DavError } from './dav-error.ts';
import { DAV, type QName } from './names.ts';
import { escapeXml, tag } from './print-xml.ts';

/** An element of a request. */
export interface XmlElement extends QName {
  /** By local name. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Character data directly in it, joined. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  children: XmlElement[];
  text: string;
}

/** Reads a request body. @throws DavError 400 for a text that is no XML, or has a DOCTYPE */
export function readXml(text: string): XmlElement {
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw new DavError(400, undefined, { message: `the body is no XML: ${error.message}` });
  });
  parser.on('doctype', () => {
    throw new DavError(400, undefined, { message: 'the body must have no DOCTYPE' });
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const values = Object.values(attributes).map((attribute) => [attribute.local, attribute.value] as const);
    const element = { uri, local, attributes: Object.fromEntries(values), children: [], text: '' };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  const add = (data: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += data;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  if (root === undefined) throw new DavError(400, undefined, { message: 'the body has no root element' });
  return root;
}

export const childOf = (element: XmlElement | undefined, name: QName): XmlElement | undefined =>
  element?.children.find(({ uri, local }) => uri === name.uri && local === name.local);

/** Returns the names below `DAV:prop`; undefined without one. */
export function propNames(element: XmlElement): readonly QName[] | undefined {
  return childOf(element, { uri: DAV, local: 'prop' })?.children.map(({ uri, local }) => ({ uri, local }));
}

/** Prints an element as it was read, for a property that the server only keeps. */
export function printElement(element: XmlElement): string {
  const content = escapeXml(element.text) + element.children.map(printElement).join('');
  return tag(element, content, element.attributes);
}
