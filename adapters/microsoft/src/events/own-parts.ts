import type { Availability, EventPatch } from 'kalends/ports';
import { AVAILABILITY, readAvailability, showAsOf } from './availability.ts';
import type { WireEvent } from './event-wire.ts';
import { type KeptDetails, type KeptProperties, keptWire, readKept } from './kept-properties.ts';

/*
 * Exchange copies extended properties whole into an exception, and the copies no longer follow the series. They record the
 * fields that were written to the exception; all others are read from the series.
 */

/** Returns an exception as shown: recorded properties are its own where written to it, else its series'. */
export function asShown(exception: WireEvent, series: WireEvent): WireEvent {
  const [copy, inherited] = [
    readKept(exception.singleValueExtendedProperties),
    readKept(series.singleValueExtendedProperties),
  ];
  const own = new Set(copy.details.own);
  const { recurrence: _, suspended: __, ...rest } = inherited.details;
  const written = Object.entries(copy.details).filter(
    ([name]) => own.has(name) || name === 'own' || name === 'ownShowAs',
  );
  const followed = Object.entries(rest).filter(([name]) => !own.has(name));
  // Other software records nothing with its exceptions: values that differ from the series' may be their own.
  const unnoted = copy.details.own === undefined ? Object.entries(copy.details) : [];
  const details: KeptDetails = Object.fromEntries([...unnoted, ...followed, ...written]);
  const { showAs, eventType, status } = availabilityOf(exception, series, own);
  const { eventType: ___, status: ____, ...others } = details;
  const kept: KeptProperties = {
    public: laidOver(inherited, copy, own, 'public'),
    private: laidOver(inherited, copy, own, 'private'),
    details: {
      ...others,
      ...(eventType === undefined ? {} : { eventType }),
      ...(status === undefined ? {} : { status }),
    },
  };
  return { ...exception, showAs, singleValueExtendedProperties: keptWire(kept) };
}

function laidOver(
  series: KeptProperties,
  copy: KeptProperties,
  own: ReadonlySet<string>,
  kind: 'public' | 'private',
): Readonly<Record<string, string>> {
  if (copy.details.own === undefined) return { ...copy[kind], ...series[kind] };
  const isOwn = ([key]: [string, string]) => own.has(`${kind}:${key}`);
  const inherited = Object.entries(series[kind]).filter((entry) => !isOwn(entry));
  return Object.fromEntries([...inherited, ...Object.entries(copy[kind]).filter(isOwn)]);
}

/** Maps the one field of Graph for transparency and event type, half of which an exception may override. */
function availabilityOf(
  exception: WireEvent,
  series: WireEvent,
  own: ReadonlySet<string>,
): { readonly showAs: WireEvent['showAs'] } & Pick<KeptDetails, 'eventType' | 'status'> {
  const { details } = readKept(exception.singleValueExtendedProperties);
  const { details: inherited } = readKept(series.singleValueExtendedProperties);
  const isOwn = (field: (typeof AVAILABILITY)[number]) => own.has(field);
  const { showAs } = exception;
  const asWritten = { showAs, eventType: details.eventType, status: details.status };
  if (!AVAILABILITY.some(isOwn)) return { showAs, eventType: inherited.eventType, status: inherited.status };
  // All are its own, or the field has changed since.
  if (AVAILABILITY.every(isOwn) || showAs !== details.ownShowAs) return asWritten;
  const mine = readAvailability(showAs, details);
  const theirs = readAvailability(series.showAs, inherited);
  const shown: Availability = {
    transparency: (isOwn('transparency') ? mine : theirs).transparency,
    eventType: (isOwn('eventType') ? mine : theirs).eventType,
    status: (isOwn('status') ? mine : theirs).status,
  };
  return AVAILABILITY.every((field) => shown[field] === mine[field]) ? asWritten : showAsOf(shown);
}

/** Returns the fields that a write to an occurrence makes its own, beside those that Graph has a field for. */
export function ownAfter(
  before: KeptProperties,
  next: KeptProperties,
  written: { readonly [Name in 'visibility' | 'reminders' | 'description' | 'startZone' | 'endZone']: boolean },
  availability: readonly (keyof EventPatch)[],
): readonly string[] {
  const fields = (['colorId', 'customColor'] as const).filter((name) => before.details[name] !== next.details[name]);
  const others = Object.entries(written).flatMap(([name, isWritten]) => (isWritten ? [name] : []));
  const keys = (['public', 'private'] as const).flatMap((kind) =>
    Object.keys({ ...before[kind], ...next[kind] })
      .filter((key) => before[kind][key] !== next[kind][key])
      .map((key) => `${kind}:${key}`),
  );
  return [...new Set([...(before.details.own ?? []), ...fields, ...others, ...availability, ...keys])];
}
