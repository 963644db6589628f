import type { Slot } from '../free-busy/index.ts';
import { AvailabilityError } from './availability-error.ts';

/** Latest instant of a Date; arithmetic with buffers stays exact far beyond it. */
const MOST_INSTANT_MS = 8.64e15;

/** Throws an AvailabilityError unless the rule holds. */
export function refuseUnless(holds: boolean, field: string, rule: string): void {
  if (!holds) throw new AvailabilityError(field, rule);
}

/** Checks a whole number; by default an instant. */
export function checkWhole(field: string, value: unknown, least = -MOST_INSTANT_MS, most = MOST_INSTANT_MS): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return;
  const bounds = least === -MOST_INSTANT_MS ? 'of milliseconds' : `from ${least} to ${most}`;
  throw new AvailabilityError(field, `must be a whole number ${bounds}`);
}

/** Checks the bounds of an interval, which may be empty. */
export function checkSlot(field: string, slot: Slot): void {
  refuseUnless(typeof slot === 'object' && slot !== null, field, 'must have startMs and endMs');
  checkWhole(`${field}.startMs`, slot.startMs);
  checkWhole(`${field}.endMs`, slot.endMs);
  refuseUnless(slot.endMs >= slot.startMs, `${field}.endMs`, 'must not be before startMs');
}

/** Checks a value that is one of some. */
export function checkOneOf(field: string, value: unknown, choices: readonly unknown[]): void {
  if (!choices.includes(value)) throw new AvailabilityError(field, `must be one of ${choices.join(', ')}`);
}

/** Checks a value that may be missing, and else is one of some. */
export function checkChoice(field: string, value: unknown, choices: readonly unknown[]): void {
  if (value !== undefined) checkOneOf(field, value, choices);
}

/** Checks that a value is a list. */
export function checkList(field: string, value: unknown, most = Number.POSITIVE_INFINITY): void {
  refuseUnless(Array.isArray(value), field, 'must be a list');
  if (Array.isArray(value)) refuseUnless(value.length <= most, field, `must have at most ${most} entries`);
}

/** Checks each item of a list, where the check names fields within the item. Of thousands of sound items none costs a name. */
export function checkEach<Item>(field: string, items: readonly Item[], check: (item: Item) => void): void {
  for (const [index, item] of items.entries()) {
    try {
      check(item);
    } catch (error) {
      if (!(error instanceof AvailabilityError)) throw error;
      throw new AvailabilityError(`${field}[${index}]${error.field}`, error.rule);
    }
  }
}
