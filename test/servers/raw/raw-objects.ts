/** Returns an object as another program writes it: with a zone of its own, an alarm, and properties unknown to others. */
export function foreignObject(event: {
  readonly uid: string;
  readonly title: string;
  readonly day: string;
  /** `YYYY-MM-DDTHH:MM:SS` in New York. */
  readonly time: string;
  readonly rule: string | undefined;
}): string {
  const basic = event.time.replaceAll(/[-:]/g, '');
  const end = `${basic.slice(0, 9)}${String(Number(basic.slice(9, 11)) + 1).padStart(2, '0')}${basic.slice(11)}`;
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Another//Program//EN',
    'BEGIN:VTIMEZONE',
    'TZID:America/New_York',
    'BEGIN:DAYLIGHT',
    'DTSTART:20070311T020000',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
    'TZNAME:EDT',
    'TZOFFSETFROM:-0500',
    'TZOFFSETTO:-0400',
    'END:DAYLIGHT',
    'BEGIN:STANDARD',
    'DTSTART:20071104T020000',
    'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU',
    'TZNAME:EST',
    'TZOFFSETFROM:-0400',
    'TZOFFSETTO:-0500',
    'END:STANDARD',
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    `UID:${event.uid}`,
    'DTSTAMP:20260101T000000Z',
    `DTSTART;TZID=America/New_York:${basic}`,
    `DTEND;TZID=America/New_York:${end}`,
    `SUMMARY:${event.title.replaceAll(/[\\;,]/g, '\\$&')}`,
    'X-OTHER-PROGRAM;X-KIND=odd:kept',
    ...(event.rule === undefined ? [] : [`RRULE:${event.rule}`]),
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:Soon',
    'TRIGGER:-PT10M',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

/** Returns the object with another title in all its components. */
export function withAnotherTitle(text: string, title: string): string {
  return text.replaceAll(/^SUMMARY[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/gm, `SUMMARY:${title}`);
}
