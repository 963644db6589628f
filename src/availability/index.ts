export type { Attendance } from './attendance.ts';
export { AvailabilityError } from './availability-error.ts';
export type {
  AvailabilityMode,
  AvailabilityQuery,
  BusyInterval,
  BusyKind,
  DayHours,
  Distribution,
  OpenHoursException,
  Participant,
  ParticipantGroup,
  ParticipantRole,
  ParticipantRules,
  Weekday,
  WeeklyHours,
} from './availability-query.ts';
export { type AvailableRange, availableRanges, availableRangesInSteps, type RangePage } from './available-ranges.ts';
export {
  type AvailableSlot,
  availableSlots,
  availableSlotsInSteps,
  type SlotOptions,
  type SlotOrder,
  type SlotPage,
} from './available-slots.ts';
export { explainSlot, explainSlotInSteps, type SlotExplanation } from './explain-slot.ts';
export { type HostInLine, type HostRecord, hostLine } from './host-line.ts';
export type { PageOptions } from './pages.ts';
export type { SlotObstacle } from './slot-obstacles.ts';
export type { Steps } from './steps.ts';
