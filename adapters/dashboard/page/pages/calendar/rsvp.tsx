import type { CalendarEvent, ResponseStatus } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { announce } from '../../parts/toasts.tsx';
import { calendarTexts } from '../../texts/en/calendar.ts';
import { eventPath } from './use-series.ts';

const texts = calendarTexts.rsvp;
const ANSWERS = ['accepted', 'tentative', 'declined'] as const satisfies readonly ResponseStatus[];

interface RsvpProps {
  readonly accountId: string;
  readonly calendarId: string;
  readonly event: CalendarEvent;
  onAnswered(): Promise<void>;
}

/** Answers an invitation, for one occurrence or for the series. */
export function Rsvp({ accountId, calendarId, event, onAnswered }: RsvpProps) {
  const [comment, setComment] = useState('');
  const [reach, setReach] = useState<'this' | 'all'>('this');
  const seriesId = event.recurringEventId;
  const answer = useAction(async (responseStatus: ResponseStatus) => {
    const id = reach === 'all' && seriesId !== undefined ? seriesId : event.id;
    const body = { responseStatus, ...(comment === '' ? {} : { comment }) };
    await request({ method: 'POST', path: `${eventPath(accountId, calendarId, id)}/rsvp`, body });
    announce(texts.sent);
    await onAnswered();
  });
  return (
    <section class="stack-small" aria-label={texts.title}>
      <h3>{texts.title}</h3>
      {seriesId === undefined ? null : (
        <SelectField
          label={texts.reach}
          value={reach}
          options={(['this', 'all'] as const).map((value) => ({ value, label: texts.reaches[value] }))}
          onChange={setReach}
        />
      )}
      <TextField label={texts.comment} value={comment} onInput={setComment} isOptional />
      <div class="chips">
        {ANSWERS.map((status) => (
          <button
            type="button"
            key={status}
            class="chip answer"
            aria-pressed={event.myResponseStatus === status}
            aria-disabled={answer.isRunning}
            onClick={() => void answer.run(status)}
          >
            {texts[status]}
          </button>
        ))}
      </div>
      <ErrorNote error={answer.error} />
    </section>
  );
}
