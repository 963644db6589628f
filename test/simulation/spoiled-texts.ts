import type ICAL from 'ical.js';
import { eventsOf, parseIcs, pointsOf, slotKey } from './ics-object.ts';

/** Ways in which a CalDAV object can be out of shape: cut off, or with an event that has no time. */
export type TextSpoil = 'cut' | 'no time';

/** Spoils the text of an object, or its event of one slot, which is written as in ids. A cut costs the object as a whole. */
export function spoiledText(text: string, slot: string | undefined, spoil: TextSpoil): string {
  if (spoil === 'cut' && slot === undefined) return text.slice(0, text.lastIndexOf('END:VEVENT'));
  const chosen = eventsOf(parseIcs(text)).findIndex((event) => slotOf(event) === slot);
  let at = -1;
  return text.replaceAll(/BEGIN:VEVENT.*?END:VEVENT/gs, (event) => {
    at += 1;
    return at === chosen ? event.replace(/^(DTSTART[^:\r\n]*):(?=\d)/m, '$1:x') : event;
  });
}

function slotOf(event: ICAL.Component): string | undefined {
  const [slot] = pointsOf(event, 'recurrence-id');
  return slot && slotKey(slot);
}

/** Takes the spoiling of a text back: the server has its own values when an edit leaves them as they were shown. */
export const soundText = (text: string): string => text.replaceAll(/^(DTSTART[^:\r\n]*):x(?=\d)/gm, '$1:');

/** Tells whether a text is in one of those shapes. */
export const isSpoiledText = (text: string): boolean =>
  !text.trimEnd().endsWith('END:VCALENDAR') || /^DTSTART[^:\r\n]*:x\d/m.test(text);
