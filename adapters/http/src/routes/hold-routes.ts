import { booking, bookingMove, eventNotifyQuery, hold, holdConfirm, holdCreate, parseInput } from 'kalends/model';
import { z } from 'zod';
import { bodyOf, parameter, type Route } from '../route.ts';
import { EXPIRED_ACCOUNT, PROVIDER_FAILURES } from './mirrored-answer.ts';

const tag = 'Holds and bookings';
const checkErrors = ['SlotTaken', 'NotFound', ...EXPIRED_ACCOUNT, 'CalendarSyncing', 'Conflict'] as const;
const writeErrors = ['CalendarReadOnly', 'Forbidden', 'UnsupportedByProvider', ...PROVIDER_FAILURES] as const;
const done = z.object({ success: z.boolean() });

/** Routes of slots that are taken for some minutes, and of the bookings that they become: an extension. */
export const holdRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/holds',
    operationId: 'createHold',
    tag,
    summary: 'Extension: take a slot for some minutes',
    description:
      'Takes the slot for all participants, if their calendars and all other holds leave it free. Of any number of requests for one slot exactly one gets it; the others get 409 with `nextSlots`. It expires by itself, and never keeps the people themselves from using their calendars. With `tentativeEvent` they see it meanwhile.',
    access: 'key',
    body: { schema: holdCreate, required: true },
    answers: [{ status: 201, description: 'The hold.', schema: hold }],
    errors: [...checkErrors, ...writeErrors],
    handle: async (call) => ({ status: 201, body: await call.engine.holds.create(call.caller, bodyOf(call)) }),
  },
  {
    method: 'get',
    path: '/v1/holds/{holdId}',
    operationId: 'getHold',
    tag,
    summary: 'Extension: read a hold',
    description: 'An expired hold can be read for another day.',
    access: 'key',
    answers: [{ status: 200, description: 'The hold.', schema: hold }],
    errors: ['NotFound'],
    handle: async (call) => ({ body: await call.engine.holds.get(call.caller, parameter(call, 'holdId')) }),
  },
  {
    method: 'delete',
    path: '/v1/holds/{holdId}',
    operationId: 'deleteHold',
    tag,
    summary: 'Extension: release a slot',
    description: 'From now on others can take it. A booked slot is released with `DELETE /v1/bookings/{token}`.',
    access: 'key',
    answers: [{ status: 200, description: 'The slot is released.', schema: done }],
    errors: ['NotFound', 'Conflict'],
    async handle(call) {
      await call.engine.holds.delete(call.caller, parameter(call, 'holdId'));
      return { body: { success: true } };
    },
  },
  {
    method: 'post',
    path: '/v1/holds/{holdId}/confirm',
    operationId: 'confirmHold',
    tag,
    summary: 'Extension: make a booking of a hold',
    description:
      'Checks the slot again by the newest state, and writes the event to the calendar of the organizer, who invites the other participants, or an event to the calendar of each. A repetition with the same body writes nothing twice and has the same answer. A refusal releases the slot.',
    access: 'key',
    query: eventNotifyQuery,
    body: { schema: holdConfirm, required: true },
    isSecret: true,
    answers: [{ status: 201, description: 'The booking.', schema: booking }],
    errors: [...checkErrors, ...writeErrors],
    async handle(call) {
      const query = parseInput(eventNotifyQuery, call.query);
      const body = await call.engine.holds.confirm(call.caller, parameter(call, 'holdId'), bodyOf(call), query);
      return { status: 201, body };
    },
  },
  {
    method: 'get',
    path: '/v1/bookings/{token}',
    operationId: 'getBooking',
    tag,
    summary: 'Extension: read a booking',
    description: 'A token of another application, a wrong one and one of a cancelled booking answer alike.',
    access: 'key',
    isSecret: true,
    answers: [{ status: 200, description: 'The booking, with its event as it is now.', schema: booking }],
    errors: ['NotFound', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({ body: await call.engine.bookings.get(call.caller, parameter(call, 'token')) }),
  },
  {
    method: 'put',
    path: '/v1/bookings/{token}',
    operationId: 'moveBooking',
    tag,
    summary: 'Extension: move a booking',
    description:
      'Takes the other slot for all participants, as a hold does, then moves the event, or those of all participants. The present time of the booking is not in the way.',
    access: 'key',
    query: eventNotifyQuery,
    body: { schema: bookingMove, required: true },
    isSecret: true,
    answers: [{ status: 200, description: 'The moved booking.', schema: booking }],
    errors: [...checkErrors, ...writeErrors],
    async handle(call) {
      const query = parseInput(eventNotifyQuery, call.query);
      return { body: await call.engine.bookings.move(call.caller, parameter(call, 'token'), bodyOf(call), query) };
    },
  },
  {
    method: 'delete',
    path: '/v1/bookings/{token}',
    operationId: 'cancelBooking',
    tag,
    summary: 'Extension: cancel a booking',
    description: 'Deletes the event, or those of all participants, and releases the slot.',
    access: 'key',
    query: eventNotifyQuery,
    answers: [{ status: 200, description: 'The booking is cancelled.', schema: done }],
    errors: ['NotFound', ...EXPIRED_ACCOUNT, 'Conflict', 'CalendarSyncing', ...writeErrors],
    async handle(call) {
      const query = parseInput(eventNotifyQuery, call.query);
      await call.engine.bookings.cancel(call.caller, parameter(call, 'token'), query);
      return { body: { success: true } };
    },
  },
];
