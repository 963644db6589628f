/** One change that a person makes at the provider, past the engine. Numbers pick among what is there, modulo its size. */
export interface Edit {
  readonly kind: EditKind;
  /** Which event or series. */
  readonly pick: number;
  /** Which of the series' slots. */
  readonly slot: number;
  /** Days after the first day of the test. */
  readonly day: number;
  readonly hour: number;
  readonly isAllDay: boolean;
  readonly rule: Rule;
  readonly title: string;
}

export interface Rule {
  readonly frequency: 'DAILY' | 'WEEKLY';
  readonly interval: number;
  readonly count: number;
}

export const EDIT_KINDS = [
  'single',
  'series',
  'retitle',
  'reschedule',
  'change-rule',
  'move-slot',
  'retitle-slot',
  'cancel-slot',
  'restore-slot',
  'split',
  'delete',
  'transfer',
] as const;

export type EditKind = (typeof EDIT_KINDS)[number];

export const FIRST_DAY = Date.UTC(2026, 2, 2);

export const ZONE = 'Europe/Berlin';

export const DAY_MS = 86_400_000;

export function dateOf(day: number): string {
  return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
}
