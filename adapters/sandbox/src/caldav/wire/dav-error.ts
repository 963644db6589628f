import { CALDAV, DAV } from './names.ts';
import { tag, xmlResponse } from './print-xml.ts';

/** Preconditions of RFC 4791, 6578 and 6638 by name; all others are of RFC 4918 and 3744. */
const OF_CALDAV = new Set([
  'allowed-attendee-scheduling-object-change',
  'calendar-collection-location-ok',
  'default-calendar-needed',
  'max-resource-size',
  'no-uid-conflict',
  'same-organizer-in-all-components',
  'supported-calendar-component',
  'supported-calendar-data',
  'supported-filter',
  'unique-scheduling-object-resource',
  'valid-calendar-data',
  'valid-calendar-object-resource',
  'valid-filter',
]);

/** A refusal, with the precondition that the request does not meet. */
export class DavError extends Error {
  override readonly name = 'DavError';
  readonly status: number;
  readonly condition: string | undefined;
  readonly #href: string | undefined;

  constructor(status: number, condition?: string, options: { readonly href?: string; readonly message?: string } = {}) {
    super(options.message ?? condition ?? `status ${status}`);
    this.status = status;
    this.condition = condition;
    this.#href = options.href;
  }

  /** Returns the answer: `DAV:error` around the precondition, or a plain text without one. */
  toResponse(): Response {
    if (this.condition === undefined) return new Response(`${this.message}\n`, { status: this.status });
    const content = this.#href === undefined ? '' : tag({ uri: DAV, local: 'href' }, this.#href);
    const condition = { uri: OF_CALDAV.has(this.condition) ? CALDAV : DAV, local: this.condition };
    return xmlResponse(this.status, { uri: DAV, local: 'error' }, tag(condition, content));
  }
}
