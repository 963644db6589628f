import { type IcsComponent, printComponents } from '../icalendar/index.ts';

/*
 * A file may have several calendars, each with time zones of its own under the same names. Texts in storage are cut into parts by marks
 * that number the calendars with events, from 0; a text of the first calendar alone has none. No printed line begins with a tab.
 */
const MARK = /\r\n\t([\d,]+)\r\n/;

const mark = (calendars: readonly number[]) => `\r\n\t${calendars.join(',')}\r\n`;

/** Returns the parts of a text, each with the numbers of its mark. */
function partsOf(text: string): readonly (readonly [calendars: readonly number[], part: string])[] {
  const [first = '', ...marked] = text.split(MARK);
  const parts: [number[], string][] = first === '' ? [] : [[[0], first]];
  for (let at = 0; at < marked.length; at += 2) {
    parts.push([(marked[at] ?? '').split(',').map(Number), marked[at + 1] ?? '']);
  }
  return parts;
}

/** Gathers what the calendars of a file have beside their events: time zones, and the zone of times without one. */
export interface FrameGatherer {
  /** Takes a time zone of the calendar that is being read; a second one of the same name is left out. */
  addZone(zone: IcsComponent): void;
  /** Returns the text of an event of this calendar, with its mark. */
  textOf(event: IcsComponent): string;
  /** Ends the calendar. */
  endCalendar(calendar: IcsComponent): void;
  /** Returns the frames of the calendars, for `readFrames`. */
  text(): string;
}

/** @param grow is told by how many characters the frames grow, and refuses too many */
export function createFrameGatherer(grow: (length: number) => void): FrameGatherer {
  /** By text, with the calendars from which on each holds: a file may have thousands of calendars with few frames. */
  const frames = new Map<string, number[]>();
  const zones = new Map<string, string>();
  /** Those of the last calendar that has any: one that names zones and defines none takes them to be the file's. */
  let ofZones = '';
  let namesZones = false;
  let last: string | undefined;
  let calendar = 0;
  let hasEvents = false;
  return {
    addZone(zone) {
      const tzid = zone.properties.find(({ name }) => name === 'tzid')?.raw ?? '';
      if (zones.has(tzid)) return;
      const text = printComponents([zone]);
      grow(text.length);
      zones.set(tzid, text);
    },
    textOf(event) {
      hasEvents = true;
      namesZones ||= event.properties.some(({ parameters }) => parameters['tzid'] !== undefined);
      const text = printComponents([event]);
      return calendar === 0 ? text : mark([calendar]) + text;
    },
    endCalendar({ properties }) {
      const lines = properties.filter(({ name }) => name === 'x-wr-timezone').map(({ line }) => `${line}\r\n`);
      const own = [...zones.values()].join('');
      grow(-own.length);
      zones.clear();
      if (own !== '') ofZones = own;
      const frame = lines.join('') + (namesZones ? ofZones : own);
      namesZones = false;
      if (!hasEvents) return;
      if (frame !== last) {
        const known = frames.get(frame);
        if (known === undefined) frames.set(frame, [calendar]);
        else known.push(calendar);
        grow(known === undefined ? frame.length : `,${calendar}`.length);
      }
      last = frame;
      calendar += 1;
      hasEvents = false;
    },
    text() {
      const [only] = frames.size > 1 ? [] : frames.keys();
      return only ?? [...frames].map(([frame, calendars]) => mark(calendars) + frame).join('');
    },
  };
}

/** Returns the frame of a calendar by its number. */
export type FrameOf = (calendar: number) => string;

/** Reads the frames of a file. */
export function readFrames(text: string): FrameOf {
  const runs = partsOf(text)
    .flatMap(([calendars, frame]) => calendars.map((from) => ({ from, frame })))
    .sort((one, other) => one.from - other.from);
  return (calendar) => runs.findLast(({ from }) => from <= calendar)?.frame ?? '';
}

/** Returns the components of an item by the frames of their calendars. */
export function componentsByFrame(components: string, frameOf: FrameOf): ReadonlyMap<string, string> {
  const byFrame = new Map<string, string>();
  for (const [[calendar = 0], text] of partsOf(components)) {
    const frame = frameOf(calendar);
    byFrame.set(frame, (byFrame.get(frame) ?? '') + text);
  }
  return byFrame;
}
