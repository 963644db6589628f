export { allDaySlot } from './all-day-slot.ts';
export { busySlots, type FreeBusyEvent } from './busy-slots.ts';
export {
  clip,
  complement,
  type IntervalSet,
  intersect,
  normalize,
  type Slot,
  subtract,
  totalMs,
  union,
} from './interval-set.ts';
export { overlay, type RankedSlot } from './overlay.ts';
