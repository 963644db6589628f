import type { CalendarRef, EventPatch, EventTarget } from 'kalends/ports';
import { canonicalJson } from './echo.ts';
import { readEvent } from './event-reading.ts';
import type { WireEvent } from './event-wire.ts';
import type { WireBody } from './event-writing.ts';
import { overridesBy, unnotedOverrides } from './extended-properties.ts';
import { writeOverrides } from './own-marks.ts';
import { privatePropertiesOf } from './state-before-write.ts';

/**
 * Returns what has to be written to a cancelled occurrence that a patch brought back; undefined where that is nothing. Google
 * restores the properties that the occurrence had, our record of its overrides among them, and shows them only now.
 */
export function recordAfterReturn(
  { target, patch }: { readonly target: EventTarget; readonly patch: EventPatch },
  wire: WireEvent,
  calendar: CalendarRef,
): WireBody | undefined {
  const series = target.kind === 'occurrence' ? target.master.content : null;
  const { content, overrides } = readEvent(wire, { calendarZone: calendar.timeZone });
  if (series === null || content === null) return undefined;
  const wanted = overridesBy(patch, series);
  if (canonicalJson(sorted(overrides ?? unnotedOverrides(content, series))) === canonicalJson(sorted(wanted)))
    return undefined;
  return { extendedProperties: { private: writeOverrides(wanted, privatePropertiesOf(wire)) } };
}

function sorted({ customColor, publicExtendedProperties, privateExtendedProperties }: ReturnType<typeof overridesBy>) {
  return [customColor, [...publicExtendedProperties].sort(), [...privateExtendedProperties].sort()];
}
