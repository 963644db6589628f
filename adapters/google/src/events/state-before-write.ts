import {
  type CalendarRef,
  type EventContent,
  type EventOverrides,
  type EventPatch,
  type EventTarget,
  exceptionContent,
} from 'kalends/ports';
import { isEcho } from './echo.ts';
import { readEvent } from './event-reading.ts';
import type { WireEvent } from './event-wire.ts';
import { type ExceptionBefore, unnotedOverrides } from './extended-properties.ts';
import { readOverrides } from './own-marks.ts';

/** Returns whether an event, as just read, shows all that a patch says. */
export function showsAlready(
  { patch, target }: { readonly patch: EventPatch; readonly target: EventTarget },
  fresh: WireEvent,
  calendar: CalendarRef,
): boolean {
  if (fresh.status === 'cancelled') return false;
  const { content, overrides } = readEvent(fresh, { calendarZone: calendar.timeZone });
  if (content === null) return false;
  const series = target.kind === 'occurrence' ? target.master.content : null;
  return isEcho(patch, series === null ? content : exceptionContent(content, overrides, series));
}

/** Returns the content of a target before a write; an occurrence inherits from its series. */
export function contentOf(target: EventTarget, overrides: EventOverrides | undefined): EventContent | undefined {
  const { content } = target.current;
  if (target.kind === 'event') return content ?? undefined;
  const series = target.master.content;
  if (content === null || series === null) return content ?? series ?? undefined;
  return exceptionContent(content, overrides, series);
}

/** Returns the state of an occurrence for a write of its properties; undefined for a single event. */
export function exceptionBefore(
  target: EventTarget,
  fresh: WireEvent | undefined,
  isCancelled: boolean,
): ExceptionBefore | undefined {
  const series = target.kind === 'occurrence' ? target.master.content : null;
  if (series === null) return undefined;
  const content = isCancelled ? series : (target.current.content ?? series);
  const noted = isCancelled || fresh === undefined ? undefined : readOverrides(privatePropertiesOf(fresh));
  return {
    overrides: noted ?? unnotedOverrides(content, series),
    private: privatePropertiesOf(fresh),
  };
}

export function privatePropertiesOf(fresh: WireEvent | undefined): Readonly<Record<string, string>> {
  return fresh?.extendedProperties?.private ?? {};
}
