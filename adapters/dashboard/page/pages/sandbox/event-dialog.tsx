import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { serverNow } from '../../state/server-time.ts';
import { common } from '../../texts/en/frame.ts';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { bodyOfDraft, type Draft, draftOf, type Rule, seriesTimes } from './event-draft.ts';
import { eventCall, type Mailbox, type MailboxEvent, pathOfMailbox } from './mailboxes.ts';
import { type Scope, ScopeChoice } from './scope-choice.tsx';

const texts = sandboxTexts.event;

interface EventDialogProps {
  readonly mailbox: Mailbox;
  readonly others: readonly Mailbox[];
  readonly calendarId: string;
  readonly timeZone: string;
  /** Absent for a new event. */
  readonly event: MailboxEvent | undefined;
  readonly onClose: () => void;
  /** Goes on to the question whether to delete it. */
  readonly onRemove: () => void;
  readonly onSaved: (title: string) => Promise<void>;
}

/** Creates or changes an event as the owner of the mailbox. */
export function EventDialog(props: EventDialogProps) {
  const { mailbox, others, calendarId, timeZone, event, onClose, onRemove, onSaved } = props;
  const [draft, setDraft] = useState<Draft>(() => draftOf(event, serverNow()));
  const [scope, setScope] = useState<Scope>('this');
  const change = (fields: Partial<Draft>) => setDraft({ ...draft, ...fields });
  const save = useAction(async () => {
    const body = { ...bodyOfDraft(draft, event), timeZone };
    if (event === undefined) {
      const path = pathOfMailbox(mailbox, '/events');
      await request({ method: 'POST', path, query: { calendarId }, body });
    } else if (scope === 'all' && event.seriesId !== null) {
      const call = eventCall(mailbox, calendarId, event.seriesId);
      const series = await request<MailboxEvent>(call);
      await request({ ...call, method: 'PATCH', body: { ...body, ...seriesTimes(series, event, draft) } });
    } else {
      await request({ ...eventCall(mailbox, calendarId, event.id), method: 'PATCH', body });
    }
    await onSaved(draft.title);
  });
  const problem = (path: string) => save.error?.ruleOf(path);
  const isNamed = ['title', 'start', 'end', 'attendees'].some((path) => problem(path) !== undefined);
  const type = draft.isAllDay ? 'date' : 'datetime-local';
  const shown = (wall: string) => wall.slice(0, draft.isAllDay ? 10 : 16);
  return (
    <Dialog title={event === undefined ? texts.createTitle : texts.editTitle(event.title)} onClose={onClose}>
      <form
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void save.run();
        }}
      >
        <DialogBody>
          {event?.seriesId ? <ScopeChoice value={scope} onChange={setScope} /> : null}
          <TextField
            label={texts.title}
            value={draft.title}
            onInput={(title) => change({ title })}
            problem={problem('title')}
            isRequired
            hasFocus
          />
          <CheckField label={texts.allDay} isChecked={draft.isAllDay} onChange={(isAllDay) => change({ isAllDay })} />
          <div class="mailbox-choice">
            <TextField
              label={texts.start}
              type={type}
              value={shown(draft.start)}
              onInput={(start) => change({ start })}
              problem={problem('start')}
              isRequired
            />
            <TextField
              label={draft.isAllDay ? texts.lastDay : texts.end}
              type={type}
              value={shown(draft.end)}
              onInput={(end) => change({ end })}
              problem={problem('end')}
              isRequired
            />
          </div>
          {event === undefined ? (
            <SelectField
              label={texts.repeats}
              value={draft.rule}
              options={(Object.keys(texts.rules) as Rule[]).map((value) => ({ value, label: texts.rules[value] }))}
              onChange={(rule) => change({ rule })}
            />
          ) : null}
          <TextField
            label={texts.guests}
            value={draft.guests}
            onInput={(guests) => change({ guests })}
            hint={texts.guestsHint(others.map(({ email }) => email).join(', '))}
            problem={problem('attendees') ?? problem('attendees.0')}
            isOptional
          />
          {isNamed ? null : <ErrorNote error={save.error} />}
        </DialogBody>
        <DialogFoot>
          {event === undefined ? null : (
            <span class="apart">
              <Button kind="danger" onClick={onRemove}>
                {texts.removeAsk}
              </Button>
            </span>
          )}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={save.isRunning}>
            {event === undefined ? texts.create : texts.save}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
