import { type IcsComponent, type IcsProperty, readCalendar, readComponents } from 'kalends/icalendar';
import type { DescriptionFormat, EventAttachment } from 'kalends/model';
import type { RecurrenceId } from 'kalends/ports';
import { recurrenceIdText } from 'kalends/recurrence';
import type { EventAddress } from './event-ids.ts';
import type { CalendarObject } from './object-calls.ts';

/** Returns the component of an address; of a slot without one, that of its series. */
function componentAt({ text }: CalendarObject, { slot }: EventAddress): IcsComponent | undefined {
  const calendar = readComponents(text).components.find(({ name }) => name === 'VCALENDAR');
  const events = (calendar?.components ?? []).filter(({ name }) => name === 'VEVENT');
  const master = events.find((event) => firstOf(event, 'recurrence-id') === undefined);
  if (calendar === undefined || slot === null) return master ?? events[0];
  const [nearest] = events
    .filter((event) => event !== master)
    .map((event) => ({ event, place: placeOf(calendar, event, slot) }))
    .filter(({ place }) => place >= 0)
    .toSorted((one, other) => one.place - other.place);
  return nearest?.event ?? master;
}

/**
 * Returns the place of a slot among those that a component changes, -1 for none of them: a change of this and following reaches others
 * behind its own. It is read beside its series, whose start gives its RECURRENCE-ID a meaning.
 */
function placeOf(calendar: IcsComponent, exception: IcsComponent, slot: RecurrenceId): number {
  const components = calendar.components.filter(
    (component) =>
      component === exception || component.name !== 'VEVENT' || firstOf(component, 'recurrence-id') === undefined,
  );
  const key = recurrenceIdText(slot);
  const exceptions = readCalendar({ ...calendar, components }).groups.flatMap((group) => group.exceptions);
  return exceptions.findIndex(
    ({ recurrenceId, content }) => content !== null && recurrenceId !== null && recurrenceIdText(recurrenceId) === key,
  );
}

function firstOf(component: IcsComponent, name: string): IcsProperty | undefined {
  return component.properties.find((property) => property.name === name);
}

/** Reads ATTACH: links, and files that stand in the text itself. */
export function readAttachments(object: CalendarObject, address: EventAddress): readonly EventAttachment[] {
  const attached = (componentAt(object, address)?.properties ?? []).filter(({ name }) => name === 'attach');
  return attached.map(({ raw, parameters }, index) => {
    const isInline = (parameters['value'] ?? '').toUpperCase() === 'BINARY';
    const size = Number(parameters['size'] ?? Number.NaN);
    const name = parameters['filename'] ?? parameters['x-filename'] ?? (isInline ? '' : nameIn(raw));
    return {
      id: parameters['managed-id'] ?? `${index}`,
      name,
      contentType: parameters['fmttype'] ?? null,
      size: isInline ? Buffer.byteLength(raw, 'base64') : Number.isSafeInteger(size) && size >= 0 ? size : null,
      isInline: false,
      url: isInline || !/^https?:/i.test(raw) ? null : raw,
    };
  });
}

function nameIn(url: string): string {
  const last = url.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Returns the description; the HTML of programs that write it beside the text (`X-ALT-DESC`). */
export function readDescription(object: CalendarObject, address: EventAddress, format: DescriptionFormat): string {
  const component = componentAt(object, address);
  if (component === undefined) return '';
  const text = firstOf(component, 'description')?.text ?? '';
  if (format !== 'html') return text;
  const html = component.properties.find(
    ({ name, parameters }) => name === 'x-alt-desc' && /^text\/html$/i.test(parameters['fmttype'] ?? ''),
  );
  return html?.text ?? textToHtml(text);
}

function textToHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(/\r?\n/g, '<br>');
}
