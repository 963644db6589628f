import type { UncopyableField } from 'kalends/ports';
import { unwritableList } from './attendees.ts';
import type { WireEvent } from './event-wire.ts';

/** Types that an insert of ours can have. */
const OURS: ReadonlySet<string> = new Set(['outOfOffice', 'focusTime']);

/** Values of its properties that an insert without them has too. */
const NOTHING: Readonly<Record<string, unknown>> = {
  autoDeclineMode: 'declineNone',
  declineMessage: '',
  chatStatus: 'available',
};

/** Returns the fields that an insert could not repeat as Google has them. */
export function readUncopyable(wire: WireEvent): readonly UncopyableField[] {
  const reason = unwritableList(wire);
  const guests = reason === undefined ? [] : [{ field: 'attendees', reason } as const];
  return [...guests, ...readType(wire)];
}

function readType(wire: WireEvent): readonly UncopyableField[] {
  const type = wire.eventType ?? 'default';
  if (type === 'default') return [];
  const { outOfOfficeProperties, focusTimeProperties, workingLocationProperties, birthdayProperties } = wire;
  const away = outOfOfficeProperties ?? focusTimeProperties;
  const isOurs = OURS.has(type);
  if (isOurs && saysNothing(away)) return [];
  const reason = isOurs
    ? 'kalends cannot repeat how this Google event declines invitations, or its status in Chat'
    : 'kalends cannot create events of this Google type';
  const state = JSON.stringify([type, away ?? workingLocationProperties ?? birthdayProperties]);
  return [{ field: 'eventType', reason, state }];
}

function saysNothing(properties: unknown): boolean {
  return Object.entries(properties ?? {}).every(([name, value]) => value == null || value === NOTHING[name]);
}
