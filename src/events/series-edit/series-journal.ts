import type { NotifyAttendees } from '../../model/index.ts';
import type { EventPatch, NewEvent, RecurrenceId } from '../../ports/index.ts';
import type { CarriedException } from './carried-exceptions.ts';
import type { SeriesSnapshot } from './series-snapshot.ts';

/**
 * An edit of a series whose exceptions a provider may drop on the way: a split, a change of its times or rule, the return of
 * a cancelled occurrence. JSON, written down before the first call.
 */
export interface SeriesEdit {
  readonly seriesId: string;
  /** The pre-image. */
  readonly before: SeriesSnapshot;
  /** The new half of a split. */
  readonly insert: NewEvent | null;
  /** The slot of the old series that the new half begins with. @default unknown, in a journal of an earlier version */
  readonly from?: RecurrenceId;
  /** Change of the old series, or the cancelled occurrence to bring back. */
  readonly change: SeriesChange;
  /** Exceptions of the old series afterwards. */
  readonly keep: readonly CarriedException[];
  /** Exceptions of the new half. */
  readonly carry: readonly CarriedException[];
}

export type SeriesChange =
  /** `began`: the slot that becomes the first one, where it is not the first. */
  | { readonly kind: 'whole'; readonly patch: EventPatch; readonly began?: RecurrenceId | undefined }
  | { readonly kind: 'revive'; readonly slot: RecurrenceId; readonly patch: EventPatch };

/** The step that is under way or comes next. `undo`: the new half is taken back. */
export type SeriesEditPhase = 'insert' | 'change' | 'keep' | 'carry' | 'undo';

/** The journal of an intent of the kind `series-edit`. */
export interface SeriesJournal {
  /** Null until the edit is planned: nothing has been sent. */
  readonly edit: SeriesEdit | null;
  readonly phase: SeriesEditPhase;
  /** Id of the new half, once it is there. */
  readonly newId: string | null;
  /** Recipients of mail about the edit, for the process that resumes it too. */
  readonly notifyAttendees?: NotifyAttendees | undefined;
}

/** The journal of an edit that is planned. */
export interface PlannedJournal extends SeriesJournal {
  readonly edit: SeriesEdit;
}

export const UNPLANNED: SeriesJournal = { edit: null, phase: 'insert', newId: null };

/** The journal of an edit of which nothing has been sent yet. */
export function journalOf(edit: SeriesEdit, notifyAttendees?: NotifyAttendees): PlannedJournal {
  return { edit, phase: edit.insert === null ? 'change' : 'insert', newId: null, notifyAttendees };
}
