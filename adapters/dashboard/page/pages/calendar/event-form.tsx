import type { Calendar, CalendarEvent } from 'kalends/model';
import { useMemo, useState } from 'preact/hooks';
import { type Call, request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/dialog.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { CheckField, Field, SelectField, TextField } from '../../parts/field.tsx';
import { announce } from '../../parts/toasts.tsx';
import { calendarTexts } from '../../texts/en/calendar.ts';
import { common } from '../../texts/en/frame.ts';
import { changesOf, createBodyOf, draftOf, type EventDraft, withStart } from './event-draft.ts';
import { RecurrenceEditor } from './recurrence-editor.tsx';
import { type Scope, ScopeQuestion } from './scope-question.tsx';
import { eventPath } from './use-series.ts';

const texts = calendarTexts.form;
const SHOW_AS = ['busy', 'free', 'tentative', 'oof', 'workingElsewhere'] as const;

interface EventFormProps {
  readonly accountId: string;
  readonly calendarId: string;
  /** The event that is edited; absent for a new one. */
  readonly edited?: { readonly event: CalendarEvent; readonly lines: readonly string[] };
  /** The draft of a new event, and the calendars that it can be in. */
  readonly created?: { readonly draft: EventDraft; readonly calendars: readonly Calendar[] };
  onClose(): void;
  onDone(): Promise<void>;
}

/** Creates or edits an event. An edit of an occurrence asks how far it reaches. */
export function EventForm({ accountId, calendarId: proposed, edited, created, onClose, onDone }: EventFormProps) {
  const [before] = useState<EventDraft>(() =>
    edited === undefined ? (created?.draft as EventDraft) : draftOf(edited.event, edited.lines),
  );
  const [draft, setDraft] = useState(before);
  const [calendarId, setCalendarId] = useState(proposed);
  const [isAsking, setAsking] = useState(false);
  const [key] = useState(() => crypto.randomUUID());
  const body = edited === undefined ? createBodyOf(draft) : changesOf(before, draft);
  const call = callOf({ accountId, calendarId, event: edited?.event, body });
  const save = useAction(async (scope?: Scope) => {
    const headers: Readonly<Record<string, string>> = edited === undefined ? { 'idempotency-key': key } : {};
    await request({ ...call, headers, query: { scope } });
    announce(edited === undefined ? texts.created : texts.saved);
    await onDone();
  });
  const isOccurrence = edited?.event.recurringEventId !== undefined;
  const isUnchanged = Object.keys(body).length === 0;
  const change = (part: Partial<EventDraft>) => setDraft({ ...draft, ...part });
  return (
    <Panel title={edited === undefined ? texts.create : texts.edit} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isUnchanged) announce(texts.unchanged);
          else if (isOccurrence) setAsking(true);
          else void save.run();
        }}
      >
        {created === undefined || created.calendars.length < 2 ? null : (
          <SelectField
            label={texts.calendar}
            value={calendarId}
            options={created.calendars.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setCalendarId}
          />
        )}
        <TextField
          label={texts.title}
          value={draft.title}
          onInput={(title) => change({ title })}
          problem={save.error?.ruleOf('title')}
          isRequired
          hasFocus
        />
        <Times draft={draft} problemOf={(path) => save.error?.ruleOf(path)} onChange={setDraft} />
        <RecurrenceEditor
          choice={draft.recurrence}
          start={draft.startDate || before.startDate}
          problem={save.error?.ruleOf('recurrence')}
          onChange={(recurrence) => change({ recurrence })}
        />
        <Details draft={draft} onChange={change} />
        {isAsking ? null : <ErrorNote error={save.error} />}
        <div class="row form-foot">
          <Button type="submit" kind="primary" isBusy={save.isRunning}>
            {edited === undefined ? texts.submit : texts.save}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </div>
      </form>
      <ApiSample call={call} />
      {isAsking && edited !== undefined ? (
        <ScopeQuestion
          title={calendarTexts.scope.edit}
          verb={calendarTexts.scope.apply.edit}
          accountId={accountId}
          calendarId={calendarId}
          event={edited.event}
          isOfRule={body.recurrence !== undefined}
          action={save}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Panel>
  );
}

function callOf(parts: {
  readonly accountId: string;
  readonly calendarId: string;
  readonly event: CalendarEvent | undefined;
  readonly body: object;
}): Call {
  const { accountId, calendarId, event, body } = parts;
  if (event !== undefined) return { method: 'PUT', path: eventPath(accountId, calendarId, event.id), body };
  return { method: 'POST', path: `/v1/events/${[accountId, calendarId].map(encodeURIComponent).join('/')}`, body };
}

interface TimesProps {
  readonly draft: EventDraft;
  problemOf(path: string): string | undefined;
  onChange(draft: EventDraft): void;
}

function Times({ draft, problemOf, onChange }: TimesProps) {
  const { isAllDay, startDate, startTime, endDate, endTime, timeZone } = draft;
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone'), []);
  const field = (label: string, type: 'date' | 'time', value: string, onInput: (text: string) => void) => (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          {...({ type } as { type: 'date' })}
          value={value}
          required
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
  return (
    <fieldset class="plain stack-small">
      <CheckField
        label={texts.allDay}
        isChecked={isAllDay}
        onChange={(checked) => onChange({ ...draft, isAllDay: checked })}
      />
      <div class="times">
        {field(texts.start, 'date', startDate, (text) => onChange(withStart(draft, { startDate: text })))}
        {isAllDay
          ? null
          : field(texts.startTime, 'time', startTime, (text) => onChange(withStart(draft, { startTime: text })))}
        {field(texts.end, 'date', endDate, (text) => onChange({ ...draft, endDate: text }))}
        {isAllDay ? null : field(texts.endTime, 'time', endTime, (text) => onChange({ ...draft, endTime: text }))}
      </div>
      <FieldProblem texts={[problemOf('start'), problemOf('end')]} />
      {isAllDay ? null : (
        <Field label={texts.zone} hint={texts.zoneHint} problem={problemOf('start.timeZone')}>
          {(attributes) => (
            <input
              {...attributes}
              list="zones"
              value={timeZone}
              required
              spellcheck={false}
              onInput={(event) => onChange({ ...draft, timeZone: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      <datalist id="zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </fieldset>
  );
}

function FieldProblem({ texts: problems }: { readonly texts: readonly (string | undefined)[] }) {
  const problem = problems.find((each) => each !== undefined);
  return problem === undefined ? null : (
    <div class="field">
      <p class="problem">{problem}</p>
    </div>
  );
}

interface DetailsProps {
  readonly draft: EventDraft;
  onChange(part: Partial<EventDraft>): void;
}

function Details({ draft, onChange }: DetailsProps) {
  return (
    <>
      <TextField
        label={texts.location}
        value={draft.location}
        onInput={(location) => onChange({ location })}
        isOptional
      />
      <SelectField
        label={texts.showAs}
        value={draft.showAs}
        options={SHOW_AS.map((value) => ({ value, label: texts.showAsOptions[value] }))}
        onChange={(showAs) => onChange({ showAs })}
      />
      <Field label={texts.guests} hint={texts.guestsHint} isOptional>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={3}
            value={draft.guests}
            spellcheck={false}
            onInput={(event) => onChange({ guests: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={texts.notes} isOptional>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={4}
            value={draft.description}
            onInput={(event) => onChange({ description: event.currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}
