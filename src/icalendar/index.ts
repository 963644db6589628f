export { continueResource } from './edit/continue-resource.ts';
export { createResource, editResource, type ResourceTarget, respondInResource } from './edit/edit-resource.ts';
export type { EditContext } from './edit/resource.ts';
export { ICalendarError } from './icalendar-error.ts';
export { type PrintOptions, printCalendar, printEvents } from './print/print-calendar.ts';
export type { PrintableEvent, PrintableGroup } from './print/print-group.ts';
export { printZone } from './print/print-zone.ts';
export {
  dateOf,
  type IcsTime,
  inZone,
  isDate,
  readDuration,
  readIcsTime,
  timeOfProperty,
  wallMs,
} from './read/ics-times.ts';
export { mergedGroups } from './read/merged-groups.ts';
export {
  type IcsCalendarReading,
  type IcsGroup,
  readCalendar,
  readCalendars,
  readCalendarsInSteps,
} from './read/read-calendar.ts';
export type { IcsEvent, ReadOptions } from './read/read-event.ts';
export { isUtc } from './read/recurrence-lines.ts';
export { uidOf } from './read/uid-of.ts';
export type { IcsComponent } from './text/component.ts';
export type { IcsProperty } from './text/content-line.ts';
export { type DecodeOptions, decodeText, encodingOf } from './text/decode-text.ts';
export { isWholeText } from './text/is-whole-text.ts';
export { printComponents } from './text/print-components.ts';
export { type ComponentReading, readComponents } from './text/read-components.ts';
export type { Steps } from './text/steps.ts';
export { type StreamedComponent, streamComponents } from './text/stream-components.ts';
