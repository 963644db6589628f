import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { SelectField } from '../../parts/field.tsx';
import { serverNow } from '../../state/server-time.ts';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { EventDialog } from './event-dialog.tsx';
import { EventList } from './event-list.tsx';
import { FollowState } from './follow-state.tsx';
import {
  type Answer,
  eventCall,
  eventsCall,
  laterWall,
  type Mailbox,
  type MailboxCalendar,
  type MailboxEvent,
  pathOfMailbox,
} from './mailboxes.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { noteOwnAct } from './timeline-entries.ts';
import type { Following } from './use-following.ts';

const texts = sandboxTexts.mailbox;
const { acts, you } = sandboxTexts.timeline;
const HOUR_MS = 3_600_000;

interface MailboxCardProps {
  readonly mailboxes: readonly Mailbox[];
  readonly mailbox: Mailbox;
  readonly onChoose: (mailbox: Mailbox) => void;
  readonly calendars: readonly MailboxCalendar[];
  readonly timeZone: string;
  readonly calendar: MailboxCalendar;
  readonly onChooseCalendar: (id: string) => void;
  readonly following: Following;
}

/** A mailbox as its owner uses it, past the engine. */
export function MailboxCard(props: MailboxCardProps) {
  const { mailboxes, mailbox, onChoose, calendars, calendar, onChooseCalendar, timeZone, following } = props;
  const [now] = useState(serverNow);
  const events = useResource<{ readonly events: readonly MailboxEvent[] }>(eventsCall(mailbox, calendar.id, now));
  const [editing, setEditing] = useState<MailboxEvent | 'new'>();
  const [removing, setRemoving] = useState<MailboxEvent>();
  const did = async (act: string) => {
    noteOwnAct(you(mailbox.email), act);
    await events.reload();
  };
  const later = useAction(async (event: MailboxEvent) => {
    const start = laterWall(event.start, event.isAllDay ? 24 * HOUR_MS : HOUR_MS);
    await request({ ...eventCall(mailbox, calendar.id, event.id), method: 'PATCH', body: { start } });
    await did(acts.moved(event.title));
  });
  const answer = useAction(async (event: MailboxEvent, given: Exclude<Answer, 'needsAction'>) => {
    const call = eventCall(mailbox, calendar.id, event.id, '/answer');
    await request({ ...call, method: 'POST', body: { answer: given } });
    await did(acts.answered(event.title, texts.answers[given]));
  });
  return (
    <section class="card" aria-labelledby="sandbox-mailbox">
      <div class="card-head">
        <h2 id="sandbox-mailbox">{texts.title}</h2>
        <FollowState mailbox={mailbox} following={following} />
      </div>
      <div class="card-body stack">
        <div class="mailbox-choice">
          <SelectField
            label={texts.choose}
            value={`${mailbox.provider} ${mailbox.email}`}
            options={mailboxes.map((each) => ({
              value: `${each.provider} ${each.email}`,
              label: `${each.email} · ${sandboxTexts.providers[each.provider]}`,
            }))}
            onChange={(value) =>
              onChoose(mailboxes.find((each) => `${each.provider} ${each.email}` === value) ?? mailbox)
            }
          />
          <SelectField
            label={texts.calendar}
            value={calendar.id}
            options={calendars.map(({ id, name }) => ({
              value: id,
              label: name === mailbox.email ? texts.primary : name,
            }))}
            onChange={onChooseCalendar}
          />
        </div>
        <ErrorNote error={following.error} />
        <div class="row spread">
          <span class="muted small">{texts.zone(timeZone)}</span>
          {calendar.canEdit ? (
            <Button icon="plus" onClick={() => setEditing('new')}>
              {texts.create}
            </Button>
          ) : (
            <span class="muted small">{texts.readOnly}</span>
          )}
        </div>
        <ErrorNote error={events.error} onRetry={events.reload} />
        <ErrorNote error={later.error ?? answer.error} />
        {events.data?.events.length === 0 ? (
          <EmptyState icon="calendar" title={texts.empty.title} hint={texts.empty.hint} />
        ) : (
          <EventList
            events={events.data?.events ?? []}
            canEdit={calendar.canEdit}
            onEdit={setEditing}
            onLater={later.run}
            onAnswer={answer.run}
          />
        )}
      </div>
      {editing === undefined ? null : (
        <EventDialog
          mailbox={mailbox}
          others={mailboxes.filter((each) => each.provider === mailbox.provider && each.email !== mailbox.email)}
          calendarId={calendar.id}
          timeZone={timeZone}
          event={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
          onRemove={() => {
            setEditing(undefined);
            if (editing !== 'new') setRemoving(editing);
          }}
          onSaved={async (title) => {
            setEditing(undefined);
            await did(editing === 'new' ? acts.created(title) : acts.changed(title));
          }}
        />
      )}
      {removing === undefined ? null : (
        <RemoveDialog
          mailbox={mailbox}
          calendarId={calendar.id}
          event={removing}
          onClose={() => setRemoving(undefined)}
          onRemoved={async () => {
            setRemoving(undefined);
            await did(acts.removed(removing.title));
          }}
        />
      )}
    </section>
  );
}

/** Returns the call that reads the calendars of a mailbox. */
export const calendarsCall = (mailbox: Mailbox | undefined) =>
  mailbox && { path: pathOfMailbox(mailbox, '/calendars') };
