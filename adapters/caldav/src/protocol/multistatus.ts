import { ProviderError } from 'kalends/ports';
import { dav, type Name } from './names.ts';
import { childOf, childText, readXml, type XmlElement } from './read-xml.ts';

/** One resource of a multistatus. */
export interface DavResponse {
  /** As the server wrote it. */
  readonly href: string;
  /** Status of the resource as a whole; undefined where its properties have one each. */
  readonly status: number | undefined;
  /** Names of preconditions, such as `{DAV:}number-of-matches-within-limits`. */
  readonly errors: readonly Name[];
  /** Properties that were found or set. */
  readonly props: ReadonlyMap<Name, XmlElement>;
  /** Properties that were not, with their status; last those that failed for the sake of another one alone (424). */
  readonly failed: ReadonlyMap<Name, number>;
}

/** @see RFC 4918 §13 */
export interface Multistatus {
  readonly responses: readonly DavResponse[];
  /** Undefined also when it is empty: an empty token must replace none (RFC 6578 §6.4). */
  readonly syncToken: string | undefined;
}

/**
 * Reads a multistatus. A property counts as found by the status of its own propstat alone, so that a second propstat of empty
 * values (iCloud's 404) wipes nothing.
 * @throws ProviderError malformed when the answer is another document
 */
export async function readMultistatus(text: string): Promise<Multistatus> {
  const responses: DavResponse[] = [];
  let syncToken: string | undefined;
  let isMultistatus = false;
  await readXml(
    text,
    (name, depth) => {
      if (depth === 1) isMultistatus = name === dav('multistatus');
      return isMultistatus && depth === 2;
    },
    (element) => {
      if (element.name === dav('response')) responses.push(...readResponse(element));
      else if (element.name === dav('sync-token')) syncToken = element.text.trim() || undefined;
    },
  );
  if (!isMultistatus) throw new ProviderError('malformed', 'the answer is no multistatus');
  return { responses, syncToken };
}

/** Failed Dependency (RFC 4918 §11.4). */
const DEPENDENT = 424;

function readResponse(element: XmlElement): readonly DavResponse[] {
  const status = statusOf(element);
  const errors = (childOf(element, dav('error'))?.children ?? []).map(({ name }) => name);
  const props = new Map<Name, XmlElement>();
  const failed = new Map<Name, number>();
  const dependent: Name[] = [];
  for (const propstat of element.children.filter(({ name }) => name === dav('propstat'))) {
    const outcome = statusOf(propstat) ?? 200;
    errors.push(...(childOf(propstat, dav('error'))?.children ?? []).map(({ name }) => name));
    for (const prop of childOf(propstat, dav('prop'))?.children ?? []) {
      if (isSuccess(outcome)) props.set(prop.name, prop);
      else if (outcome === DEPENDENT) dependent.push(prop.name);
      else if (!props.has(prop.name)) failed.set(prop.name, outcome);
    }
  }
  for (const name of dependent) if (!props.has(name)) failed.set(name, DEPENDENT);
  // One status may hold for several hrefs (RFC 4918 §14.24).
  const hrefs = element.children.filter(({ name }) => name === dav('href')).map(({ text }) => text.trim());
  return hrefs.filter((href) => href !== '').map((href) => ({ href, status, errors, props, failed }));
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Reads a status line; a phrase or version that is left out does no harm. */
function statusOf(element: XmlElement): number | undefined {
  const [code] = /\b[1-5]\d\d\b/.exec(childText(element, dav('status'))?.replace(/^HTTP\/\S+/i, '') ?? '') ?? [];
  return code === undefined ? undefined : Number(code);
}
