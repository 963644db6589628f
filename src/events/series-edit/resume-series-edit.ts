import type { Logger } from '../../ports/index.ts';
import type { ResumeSeriesEdit } from '../write/event-intent.ts';
import { runSeriesEdit } from './run-series-edit.ts';
import { seriesCallsAt } from './series-calls.ts';
import type { SeriesJournal } from './series-journal.ts';

/** Goes on with edits of series that their process has left half-way. */
export function createSeriesEditResumption({ logger }: { readonly logger: Logger }): ResumeSeriesEdit {
  return async (place, intent) => {
    const journal = intent.data as SeriesJournal;
    const { edit, notifyAttendees } = journal;
    if (edit === null) return intent.cancel();
    const outcome = await runSeriesEdit({
      calls: seriesCallsAt({ ...place, notifyAttendees }),
      intent,
      journal: { ...journal, edit },
      isResumed: true,
      logger,
    });
    logger.info('an interrupted edit of a series is over', {
      accountId: place.account.row.id,
      seriesId: edit.seriesId,
      outcome: outcome.kind,
    });
  };
}
