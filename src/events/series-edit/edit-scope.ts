import { invalid } from '../../errors.ts';
import type { EditScope } from '../../model/index.ts';
import type { EventRecord } from '../read/group-records.ts';

/**
 * Returns the scope of a write to a record: `this` for an occurrence unless given, `all` for any other record.
 * @throws KalendsError InvalidRequest naming `scope` where the record has no such reach
 */
export function resolveScope(scope: EditScope | undefined, record: EventRecord): EditScope {
  if (isOccurrence(record)) {
    if (scope === undefined || scope === 'this') return 'this';
    if (record.group.master !== undefined) return scope;
    throw invalid('scope', 'must be this: the series of the occurrence is not in the calendar');
  }
  if (scope === 'following') throw invalid('scope', 'following needs the id of an occurrence');
  if (scope === 'this' && isMaster(record)) {
    throw invalid('scope', 'this needs the id of an occurrence');
  }
  return 'all';
}

/** Whether a record is one of a series. */
export function isOccurrence({ recurrenceId }: EventRecord): boolean {
  return recurrenceId !== null;
}

function isMaster(record: EventRecord): boolean {
  return record.kind === 'stored' && record.item.version === record.group.master?.version;
}
