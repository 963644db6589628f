import { type CallOptions, deletion, pathOf, read, type Send, type Success } from './call.ts';
import type { NotifyOptions } from './event-calls.ts';
import type { Booking, BookingMove, Hold, HoldConfirm, HoldCreate } from './model/hold.ts';

/** Calls about slots that are taken for some minutes. */
export interface HoldCalls {
  /** Takes a slot. @throws ApiError `SlotTaken`, whose `nextSlots` are free */
  create(body: HoldCreate, options?: CallOptions): Promise<Hold>;
  get(holdId: string, options?: CallOptions): Promise<Hold>;
  /** Releases a slot. */
  delete(holdId: string, options?: CallOptions): Promise<Success>;
  /** Writes the event of a hold. A repetition with the same body writes nothing twice. */
  confirm(holdId: string, body: HoldConfirm, options?: NotifyOptions): Promise<Booking>;
}

/** Calls about bookings, by the token that `holds.confirm` returned. */
export interface BookingCalls {
  get(token: string, options?: CallOptions): Promise<Booking>;
  /** Moves a booking and its event to another slot. @throws ApiError `SlotTaken`, whose `nextSlots` are free */
  move(token: string, body: BookingMove, options?: NotifyOptions): Promise<Booking>;
  /** Deletes the event of a booking and releases its slot. */
  cancel(token: string, options?: NotifyOptions): Promise<Success>;
}

export function holdCalls(send: Send): HoldCalls {
  const path = (...ids: readonly string[]) => pathOf('holds', ...ids);
  return {
    // Not repeated: a repetition would find the slot taken by the first one.
    create: (body, options) => send({ method: 'POST', path: path(), body, options }),
    get: (holdId, options) => send(read(path(holdId), options)),
    delete: (holdId, options) => send(deletion(path(holdId), options)),
    confirm: (holdId, body, { notifyAttendees, ...options } = {}) =>
      send({
        method: 'POST',
        path: path(holdId, 'confirm'),
        body,
        query: { notifyAttendees },
        isRepeatable: true,
        options,
      }),
  };
}

export function bookingCalls(send: Send): BookingCalls {
  const path = (token: string) => pathOf('bookings', token);
  return {
    get: (token, options) => send(read(path(token), options)),
    move: (token, body, { notifyAttendees, ...options } = {}) =>
      send({ method: 'PUT', path: path(token), body, query: { notifyAttendees }, options }),
    cancel: (token, { notifyAttendees, ...options } = {}) => send(deletion(path(token), options, { notifyAttendees })),
  };
}
