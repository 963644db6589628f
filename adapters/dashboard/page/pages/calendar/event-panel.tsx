import type { Calendar, CalendarEvent } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Panel } from '../../parts/dialog.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { announce } from '../../parts/toasts.tsx';
import { calendarTexts as texts } from '../../texts/en/calendar.ts';
import { EventFacts } from './event-facts.tsx';
import { EventForm } from './event-form.tsx';
import { Marks } from './marks.tsx';
import { Rsvp } from './rsvp.tsx';
import { type Scope, ScopeQuestion } from './scope-question.tsx';
import { marksOf } from './shown-event.ts';
import { eventPath } from './use-series.ts';

interface EventPanelProps {
  readonly accountId: string;
  readonly calendar: Calendar | undefined;
  readonly calendarId: string;
  readonly eventId: string;
  readonly zone: string;
  /** Reads the calendar again. */
  onChanged(): Promise<void>;
  onClose(): void;
}

/** Details of an event: what it says, the answer to it, its form, and its record. */
export function EventPanel({ accountId, calendar, calendarId, eventId, zone, onChanged, onClose }: EventPanelProps) {
  const path = eventPath(accountId, calendarId, eventId);
  const read = useResource<CalendarEvent>({ path });
  const event = read.data;
  const seriesId = event?.recurringEventId;
  const series = useResource<CalendarEvent>(
    seriesId === undefined ? undefined : { path: eventPath(accountId, calendarId, seriesId) },
  ).data;
  const [isEditing, setEditing] = useState(false);
  const lines = event?.recurrence ?? series?.recurrence ?? [];
  const reload = async () => {
    await Promise.all([read.reload(), onChanged()]);
  };
  const isReady = event !== undefined && (seriesId === undefined || series !== undefined);
  if (isEditing && isReady) {
    return (
      <EventForm
        accountId={accountId}
        calendarId={calendarId}
        edited={{ event, lines }}
        onClose={() => setEditing(false)}
        onDone={async () => {
          onClose();
          await onChanged();
        }}
      />
    );
  }
  return (
    <Panel
      title={event?.title || texts.untitled}
      head={event === undefined ? null : <PanelMarks event={event} />}
      onClose={onClose}
    >
      <ErrorNote error={read.error} onRetry={read.reload} />
      {event === undefined ? null : (
        <>
          <EventActions
            accountId={accountId}
            calendarId={calendarId}
            event={event}
            canEdit={isReady && calendar?.readOnly !== true}
            onEdit={() => setEditing(true)}
            onChanged={reload}
            onDeleted={async () => {
              onClose();
              await onChanged();
            }}
          />
          <EventFacts event={event} calendar={calendar} lines={lines} zone={zone} />
          {isInvited(event) ? (
            <Rsvp accountId={accountId} calendarId={calendarId} event={event} onAnswered={reload} />
          ) : null}
          <details class="sample">
            <summary>{texts.event.raw}</summary>
            <CodeBlock text={JSON.stringify(event, null, 2)} what={texts.event.raw} />
          </details>
        </>
      )}
      <ApiSample call={{ path }} />
    </Panel>
  );
}

const isInvited = ({ myResponseStatus, organizer, isCancelled }: CalendarEvent) =>
  myResponseStatus !== undefined && organizer?.isSelf !== true && !isCancelled;

function PanelMarks({ event }: { readonly event: CalendarEvent }) {
  return (
    <div class="row small">
      {marksOf(event).map((mark) => (
        <span key={mark} class="state neutral">
          <Marks marks={[mark]} />
          {texts.marks[mark]}
        </span>
      ))}
    </div>
  );
}

interface EventActionsProps {
  readonly accountId: string;
  readonly calendarId: string;
  readonly event: CalendarEvent;
  readonly canEdit: boolean;
  onEdit(): void;
  onChanged(): Promise<void>;
  onDeleted(): Promise<void>;
}

function EventActions(props: EventActionsProps) {
  const { accountId, calendarId, event, canEdit, onEdit, onChanged, onDeleted } = props;
  const path = eventPath(accountId, calendarId, event.id);
  const [isDeleting, setDeleting] = useState(false);
  const isOccurrence = event.recurringEventId !== undefined;
  const remove = useAction(async (scope?: Scope) => {
    await request({ method: 'DELETE', path, query: { scope } });
    announce(texts.removed);
    await onDeleted();
  });
  const restore = useAction(async () => {
    await request({ method: 'PUT', path, body: { isCancelled: false } });
    announce(texts.event.restored);
    await onChanged();
  });
  return (
    <>
      <div class="row">
        {!canEdit ? null : event.isCancelled ? (
          <Button icon="refresh" isBusy={restore.isRunning} onClick={() => restore.run()}>
            {texts.event.restore}
          </Button>
        ) : (
          <>
            <Button kind="primary" onClick={onEdit}>
              {texts.event.edit}
            </Button>
            <Button kind="danger" onClick={() => setDeleting(true)}>
              {texts.event.remove}
            </Button>
          </>
        )}
        {event.webLink.startsWith('https://') ? (
          <a href={event.webLink} target="_blank" rel="noreferrer">
            {texts.event.open}
          </a>
        ) : null}
      </div>
      <ErrorNote error={restore.error} />
      {!isDeleting ? null : isOccurrence ? (
        <ScopeQuestion
          title={texts.scope.remove}
          verb={texts.scope.apply.remove}
          accountId={accountId}
          calendarId={calendarId}
          event={event}
          isDanger
          action={remove}
          onClose={() => setDeleting(false)}
        />
      ) : (
        <Confirm
          title={texts.removeTitle(event.title || texts.untitled)}
          verb={texts.scope.apply.remove}
          action={{ ...remove, run: () => remove.run() }}
          onClose={() => setDeleting(false)}
        >
          {texts.removeText(event.attendees.length)}
        </Confirm>
      )}
    </>
  );
}
