import { KalendsError } from '../../errors.ts';
import type { Logger } from '../../ports/index.ts';
import type { EventIntent } from '../write/event-intent.ts';
import type { SeriesCalls } from './series-calls.ts';
import type { PlannedJournal } from './series-journal.ts';

/** A planned edit of a series, and the means to carry it out. */
export interface SeriesEditRun {
  readonly calls: SeriesCalls;
  readonly intent: EventIntent;
  readonly journal: PlannedJournal;
  /** Another process began the edit and did not finish it. */
  readonly isResumed: boolean;
  readonly logger: Logger;
}

/** A step that ends the edit: the provider refused it, or another write overtook it. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly error: unknown;
}

export function stopped(error: unknown): Stopped {
  return { kind: 'stopped', error };
}

export function changedMeanwhile(cause?: unknown): KalendsError {
  return new KalendsError('PreconditionFailed', 'The series was changed in the meantime.', { cause });
}

export function deletedMeanwhile(): KalendsError {
  return new KalendsError('NotFound', 'The series has been deleted meanwhile.');
}

export function interrupted(): KalendsError {
  return new KalendsError('Conflict', 'The edit was interrupted before it took effect.');
}
