import ICAL from 'ical.js';

/** Instants, `to` excluded. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/** Slots beyond a window are looked at too: their occurrences may have been moved into it. */
const MOVED_MS = 60 * 86_400_000;

/** Returns `{instant} {title}` of each occurrence that starts in a window, by ical.js. */
export function occurrencesOf(text: string, { from, to }: Window): string[] {
  const root = new ICAL.Component(ICAL.parse(text));
  for (const zone of root.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
  const events = root.getAllSubcomponents('vevent');
  const exceptions = events.filter((event) => event.hasProperty('recurrence-id'));
  const shown: string[] = [];
  const add = (start: ICAL.Time, title: string): void => {
    const at = start.toUnixTime() * 1000;
    if (at >= from && at < to) shown.push(`${at} ${title}`);
  };
  for (const component of events) {
    if (component.hasProperty('recurrence-id')) continue;
    const event = new ICAL.Event(component, {
      exceptions: exceptions.filter(
        (each) => each.getFirstPropertyValue('uid') === component.getFirstPropertyValue('uid'),
      ),
    });
    if (!event.isRecurring()) {
      add(event.startDate, event.summary);
      continue;
    }
    const iterator = event.iterator();
    for (let next = iterator.next(); next && next.toUnixTime() * 1000 < to + MOVED_MS; next = iterator.next()) {
      const { item, startDate } = event.getOccurrenceDetails(next);
      add(startDate, item.summary);
    }
  }
  return shown;
}
