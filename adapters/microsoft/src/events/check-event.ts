import { checkListed, checkObject } from '@kalends/provider-transport';
import { readObject, separateUnreadable, type UnreadableObject, unreadableField } from 'kalends/ports';
import { parseWall } from 'kalends/zones';
import { instantOfText, instantOfWire } from './event-times.ts';
import { type ListedEvent, uncheckedMaster, type WireEvent, type WireMaster, wireEvent } from './event-wire.ts';

/** Returns an event whose fields and times can be read. @throws ProviderError unreadable */
export function checkEvent(unchecked: unknown): WireEvent {
  return withReadableTimes(checkObject(unchecked, wireEvent));
}

/** Does the same for an event of a list. One that cannot be read costs no other. */
export function checkListedEvent(unchecked: unknown): ListedEvent {
  const wire = checkListed(unchecked, wireEvent, 'seriesMasterId');
  if ('kind' in wire) return wire;
  const about = { providerEventId: wire.id, seriesId: wire.seriesMasterId || null };
  return readObject(about, () => withReadableTimes(wire));
}

/** Returns a master with those of its exceptions that can be read. @throws ProviderError unreadable for the master */
export function checkMaster(unchecked: unknown): WireMaster {
  const { exceptionOccurrences, cancelledOccurrences, ...master } = checkObject(unchecked, uncheckedMaster);
  withReadableTimes(master);
  const exceptions = separateUnreadable((exceptionOccurrences ?? []).map(checkListedEvent));
  const texts = (cancelledOccurrences ?? []).filter((name) => typeof name === 'string');
  const names = separateUnreadable(texts.map((name) => checkName(name, master.id)));
  // An entry without a name is no object that could be set aside.
  const areNamed = texts.length === (cancelledOccurrences ?? []).length;
  const unreadable = [...exceptions.unreadable, ...names.unreadable];
  return {
    ...master,
    ...(exceptionOccurrences == null ? {} : { exceptionOccurrences: [...exceptions.readable] }),
    ...(cancelledOccurrences == null ? {} : { cancelledOccurrences: names.readable.map(({ name }) => name) }),
    unreadableExceptions: unreadable.map((exception) => ({ ...exception, seriesId: master.id })),
    ...(areNamed ? {} : { unreadableParts: ['cancelledOccurrences: must be the names of slots'] }),
  };
}

/** Returns an instance that names its slot. Its start is no substitute: that of a moved one is another slot's. */
export function checkSlot(instance: ListedEvent, seriesId: string): ListedEvent {
  if ('kind' in instance || instance.originalStart) return instance;
  const { message: reason } = unreadableField('originalStart', 'is required of an instance');
  return { kind: 'unreadable', providerEventId: instance.id, seriesId, reason };
}

function withReadableTimes<Wire extends WireEvent>(wire: Wire): Wire {
  instantOfWire(wire.start, 'UTC');
  instantOfWire(wire.end, 'UTC');
  if (wire.originalStart) instantOfText(wire.originalStart);
  return wire;
}

/** Checks the name of a deleted slot, which ends in its date. */
function checkName(name: string, seriesId: string): { readonly name: string } | UnreadableObject {
  return readObject({ providerEventId: name, seriesId }, () => {
    if (parseWall(name.slice(-10))?.dateOnly === true) return { name };
    throw unreadableField('cancelledOccurrences', 'must end in a date');
  });
}
