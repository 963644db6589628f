import type { EventContent } from '../../ports/index.ts';
import { zoneOfTzid } from '../../zones/index.ts';
import { propertyOf } from '../text/component.ts';
import type { FieldContext } from '../write/write-fields.ts';
import type { TzidOf } from '../write/write-times.ts';
import { type EditContext, type Resource, selfOf } from './resource.ts';

/** Returns the context in which fields of a component with this content are written; undefined for a new one. */
export function fieldContext(context: EditContext, current: EventContent | undefined, tzidOf: TzidOf): FieldContext {
  const { calendarZone, email, owner = email, keepsAnswers = false } = context;
  return { current, tzidOf, calendarZone, email, organizer: owner, self: selfOf(context), keepsAnswers };
}

/** Spells zones as the text does, where it has a name for them. */
export function tzidsOf({ calendar, context }: Resource): TzidOf {
  const defined = calendar.components
    .filter(({ name }) => name === 'VTIMEZONE')
    .flatMap((component) => propertyOf(component, 'tzid')?.text ?? []);
  const used = calendar.components.flatMap(({ properties }) =>
    properties.flatMap(({ parameters }) => parameters['tzid'] ?? []),
  );
  const names = new Map<string, string>();
  for (const tzid of used.filter((name) => zoneOfTzid(name) !== undefined || defined.includes(name))) {
    const zone = context.zones.resolve(tzid);
    if (!names.has(zone)) names.set(zone, tzid);
  }
  return (zone) => names.get(zone) ?? zone;
}
