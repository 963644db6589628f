import type { Tool } from './tool.ts';
import { listAccounts, listCalendars } from './tools/account-tools.ts';
import { cancelBooking, getBooking, moveBooking } from './tools/booking-tools.ts';
import { cancelEvent } from './tools/cancel-event.ts';
import { changeEvent } from './tools/change-event.ts';
import { confirmHold } from './tools/confirm-hold.ts';
import { createEvent } from './tools/create-event.ts';
import { getEvent, listEvents, listOccurrences, searchEvents } from './tools/event-tools.ts';
import { getFreeBusy } from './tools/free-busy-tool.ts';
import { holdSlot, releaseHold } from './tools/hold-tools.ts';
import { explainMeetingTime, findMeetingTimes } from './tools/meeting-tools.ts';
import { respondToInvitation } from './tools/respond-to-invitation.ts';

/** All tools, in the order in which an agent uses them. */
export const ALL_TOOLS: readonly Tool[] = [
  listAccounts,
  listCalendars,
  listEvents,
  listOccurrences,
  getEvent,
  searchEvents,
  getFreeBusy,
  findMeetingTimes,
  explainMeetingTime,
  getBooking,
  ...createEvent,
  ...changeEvent,
  ...cancelEvent,
  ...respondToInvitation,
  holdSlot,
  releaseHold,
  ...confirmHold,
  ...moveBooking,
  ...cancelBooking,
];
