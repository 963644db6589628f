import type { Untold } from 'kalends/ports';
import type { WireEvent } from './event-wire.ts';

/** Returns what no field of the interface tells of an event, as a body has it. */
export function readUntold({ source, anyoneCanAddSelf }: WireEvent): Untold {
  return { ...(source == null ? {} : { source }), ...(anyoneCanAddSelf === true ? { anyoneCanAddSelf } : {}) };
}
