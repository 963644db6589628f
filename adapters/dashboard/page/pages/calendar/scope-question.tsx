import type { CalendarEvent } from 'kalends/model';
import { useState } from 'preact/hooks';
import type { Action } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { calendarTexts } from '../../texts/en/calendar.ts';
import { common } from '../../texts/en/frame.ts';
import { originalStartOf, touchedDates } from './touched-dates.ts';
import { type SeriesFacts, useSeries } from './use-series.ts';

const texts = calendarTexts.scope;

export type Scope = 'this' | 'following' | 'all';
const SCOPES: readonly Scope[] = ['this', 'following', 'all'];

interface ScopeQuestionProps {
  readonly title: string;
  /** Stands above the answers. */
  readonly lead?: string;
  readonly verb: string;
  readonly accountId: string;
  readonly calendarId: string;
  /** The occurrence that was touched. */
  readonly event: CalendarEvent;
  /** Whether the rule is changed, which no single occurrence has. */
  readonly isOfRule?: boolean;
  readonly isDanger?: boolean;
  readonly action: Action<[Scope], unknown>;
  onClose(): void;
}

/** Asks how far a change of an occurrence reaches, with the dates that each answer would touch. */
export function ScopeQuestion(props: ScopeQuestionProps) {
  const {
    title,
    lead,
    verb,
    accountId,
    calendarId,
    event,
    isOfRule = false,
    isDanger = false,
    action,
    onClose,
  } = props;
  const [scope, setScope] = useState<Scope>(isOfRule ? 'following' : 'this');
  const series = useSeries(accountId, calendarId, event.recurringEventId);
  const scopes = isOfRule ? SCOPES.slice(1) : SCOPES;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void action.run(scope);
        }}
      >
        <DialogBody>
          {lead === undefined ? null : <p>{lead}</p>}
          {isOfRule ? <p class="muted">{texts.whole}</p> : null}
          <fieldset class="plain scope-rows">
            <legend class="hidden">{title}</legend>
            {scopes.map((each) => (
              <label key={each} class="scope-row">
                <input
                  type="radio"
                  name="scope"
                  value={each}
                  checked={scope === each}
                  onChange={() => setScope(each)}
                  autoFocus={each === scopes[0]}
                />
                <span>
                  <strong>{texts[each]}</strong>
                  <span class="muted small">{datesOf(each, event, series)}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <ErrorNote error={action.error} />
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind={isDanger ? 'danger' : 'primary'} isBusy={action.isRunning}>
            {verb}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

function datesOf(scope: Scope, event: CalendarEvent, { occurrences, hasMore }: SeriesFacts): string {
  if (scope === 'this') return touchedDates([event], false);
  if (occurrences === undefined) return texts.reading;
  const from = originalStartOf(event);
  return touchedDates(
    scope === 'all' ? occurrences : occurrences.filter((each) => originalStartOf(each) >= from),
    hasMore,
  );
}
