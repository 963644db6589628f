import { addressOf } from '../read/read-people.ts';
import { type IcsComponent, propertiesOf, withProperties } from '../text/component.ts';
import type { IcsProperty } from '../text/content-line.ts';
import { keyOf } from '../write/write-details.ts';
import { X_CONFERENCE, X_CUSTOM_COLOR, X_LOCATION, X_PRIVATE, X_PUBLIC } from '../x-names.ts';

/** Properties that an exception has of its own: it never takes those of its series. */
const OWN = new Set(
  'uid dtstamp dtstart dtend duration rrule rdate exdate exrule recurrence-id sequence created last-modified x-kalends-cancelled x-microsoft-cdo-alldayevent'.split(
    ' ',
  ),
);

/** Of these each line is one thing, told apart by its key. */
const KEYS: Readonly<Record<string, (property: IcsProperty) => string>> = {
  attendee: (property) => addressOf(property) || property.raw,
  [X_PUBLIC.toLowerCase()]: ({ raw }) => keyOf(raw),
  [X_PRIVATE.toLowerCase()]: ({ raw }) => keyOf(raw),
};

/** Properties that are one field together: an exception has all of them from its series, or none. */
const TOGETHER: readonly (readonly string[])[] = [
  ['geo', X_LOCATION.toLowerCase()],
  ['color', X_CUSTOM_COLOR.toLowerCase()],
  ['description', 'x-alt-desc'],
  ['location', 'x-apple-structured-location'],
  [
    'conference',
    'x-google-conference',
    'x-microsoft-skypeteamsmeetingurl',
    'x-microsoft-onlinemeetingconflink',
    X_CONFERENCE.toLowerCase(),
  ],
];

/**
 * Returns an exception after a change of its series: what it had as its series had it changes along, what it says itself stays. A text
 * holds every exception whole, so this is how one goes on following its series.
 */
export function followSeries(exception: IcsComponent, before: IcsComponent, after: IcsComponent): IcsComponent {
  const names = new Set([...before.properties, ...after.properties].map(({ name }) => name));
  const followed = [...names]
    .filter((name) => !OWN.has(name))
    .reduce((next, name) => {
      const changed = followProperty(exception, name, before, after);
      return changed === exception ? next : withProperties(next, name, propertiesOf(changed, name));
    }, exception);
  return followAlarms(followed, before, after);
}

function followProperty(
  exception: IcsComponent,
  name: string,
  before: IcsComponent,
  after: IcsComponent,
): IcsComponent {
  const [old, now, own] = [before, after, exception].map((component) => propertiesOf(component, name));
  if (old === undefined || now === undefined || own === undefined || isSame(old, now)) return exception;
  const keyed = KEYS[name];
  if (keyed === undefined) return isOwn(exception, name, before) ? exception : withProperties(exception, name, now);
  const byKey = (list: readonly IcsProperty[]) => new Map(list.map((property) => [keyed(property), property]));
  const [was, is, has] = [byKey(old), byKey(now), byKey(own)];
  // Google and Graph hold a list of guests whole: one that differs neither gains guests from the series nor loses any to it.
  const isOwnList = name === 'attendee' && !(has.size === was.size && [...has.keys()].every((key) => was.has(key)));
  const left = own.flatMap((property) => {
    const key = keyed(property);
    // One that the series has not had is the exception's own.
    if (was.get(key)?.line !== property.line) return [property];
    return is.get(key) ?? (isOwnList ? [property] : []);
  });
  const added = isOwnList ? [] : now.filter((property) => !was.has(keyed(property)) && !has.has(keyed(property)));
  return withProperties(exception, name, [...left, ...added]);
}

/** Whether an exception says a property, or one that is a field with it, otherwise than its series. */
function isOwn(exception: IcsComponent, name: string, series: IcsComponent): boolean {
  const names = TOGETHER.find((group) => group.includes(name)) ?? [name];
  return names.some((one) => !isSame(propertiesOf(exception, one), propertiesOf(series, one)));
}

function isSame(one: readonly IcsProperty[], other: readonly IcsProperty[]): boolean {
  return one.length === other.length && one.every(({ line }, at) => line === other[at]?.line);
}

function followAlarms(exception: IcsComponent, before: IcsComponent, after: IcsComponent): IcsComponent {
  const [old, now, own] = [before, after, exception].map(alarmText);
  if (old === now || own !== old) return exception;
  const isAlarm = ({ name }: IcsComponent) => name === 'VALARM';
  const others = exception.components.filter((component) => !isAlarm(component));
  return { ...exception, components: [...others, ...after.components.filter(isAlarm)] };
}

function alarmText({ components }: IcsComponent): string {
  return JSON.stringify(components.filter(({ name }) => name === 'VALARM').map(linesOf));
}

function linesOf(component: IcsComponent): unknown {
  return [component.properties.map(({ line }) => line), component.components.map(linesOf)];
}
