import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { calendarTexts as texts } from '../../texts/en/calendar.ts';
import { common } from '../../texts/en/frame.ts';
import { moveBodyOf, type NewTimes } from './event-draft.ts';
import { type Scope, ScopeQuestion } from './scope-question.tsx';
import type { ShownEvent } from './shown-event.ts';
import { eventPath } from './use-series.ts';
import { movedTimes } from './written-times.ts';

/** An event that was dragged to other times. */
export interface Move {
  readonly shown: ShownEvent;
  readonly times: NewTimes;
  /** Puts the event back where it was. */
  readonly revert: () => void;
}

interface MoveQuestionProps {
  readonly accountId: string;
  readonly move: Move;
  /** Zone of the new times. */
  readonly zone: string;
  onClose(): void;
  onMoved(): Promise<void>;
}

/** Asks before a dragged event moves: a slip of the hand would send mail to guests. */
export function MoveQuestion({ accountId, move, zone, onClose, onMoved }: MoveQuestionProps) {
  const { calendarId, event } = move.shown;
  const apply = useAction(async (scope?: Scope) => {
    const body = moveBodyOf(event, move.times, zone);
    await request({ method: 'PUT', path: eventPath(accountId, calendarId, event.id), query: { scope }, body });
    await onMoved();
  });
  const title = texts.scope.move(event.title || texts.untitled);
  const verb = texts.scope.apply.move;
  if (event.recurringEventId !== undefined) {
    return (
      <ScopeQuestion
        title={title}
        lead={movedTimes(move.times, zone)}
        verb={verb}
        accountId={accountId}
        calendarId={calendarId}
        event={event}
        action={apply}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogBody>
        <p>{movedTimes(move.times, zone)}</p>
        <ErrorNote error={apply.error} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button kind="primary" isBusy={apply.isRunning} onClick={() => apply.run()}>
          {verb}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
