import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import type { Answer, MailboxEvent } from './mailboxes.ts';

const texts = sandboxTexts.mailbox;
const ANSWERS = ['accepted', 'tentative', 'declined'] as const;

interface EventActs {
  readonly canEdit: boolean;
  readonly onEdit: (event: MailboxEvent) => void;
  readonly onLater: (event: MailboxEvent) => unknown;
  readonly onAnswer: (event: MailboxEvent, answer: Exclude<Answer, 'needsAction'>) => unknown;
}

/** The events of a calendar, day by day. */
export function EventList({ events, ...acts }: EventActs & { readonly events: readonly MailboxEvent[] }) {
  const days = new Map<string, MailboxEvent[]>();
  for (const event of events) {
    const day = event.start.slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="event-days" tabIndex={0} aria-label={texts.events}>
      {[...days].map(([day, ofDay]) => (
        <div key={day}>
          <h3>{dayName(day)}</h3>
          <ul>
            {ofDay.map((event) => (
              <EventRow key={event.id} event={event} {...acts} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function EventRow({ event, canEdit, onEdit, onLater, onAnswer }: EventActs & { readonly event: MailboxEvent }) {
  const title = event.title || texts.untitled;
  const isOwn = canEdit && event.isOrganizer;
  return (
    <li class="event-row">
      <span class="event-time">{event.isAllDay ? texts.allDay : `${clockOf(event.start)}–${clockOf(event.end)}`}</span>
      <span class="event-title">
        <span class="event-name">{title}</span>
        {event.seriesId === null ? null : (
          <span class="event-repeats muted" title={texts.repeats}>
            <Icon name="repeat" />
            <span class="hidden">{texts.repeats}</span>
          </span>
        )}
        {event.attendees.length === 0 ? null : <span class="muted small">{texts.guests(event.attendees.length)}</span>}
        {event.myAnswer === null ? null : <span class="muted small">{texts.answers[event.myAnswer]}</span>}
      </span>
      <span class="event-acts">
        {event.myAnswer !== null && canEdit
          ? ANSWERS.filter((answer) => answer !== event.myAnswer).map((answer) => (
              <button
                key={answer}
                type="button"
                class="chip"
                aria-label={texts.answerTo(texts.answer[answer], title)}
                onClick={() => onAnswer(event, answer)}
              >
                {texts.answer[answer]}
              </button>
            ))
          : null}
        {isOwn ? (
          <>
            <button type="button" class="chip" onClick={() => onLater(event)}>
              {event.isAllDay ? texts.dayLater : texts.hourLater}
              <span class="hidden">{texts.later(title)}</span>
            </button>
            <Button kind="quiet" icon="edit" label={texts.edit(title)} onClick={() => onEdit(event)} />
          </>
        ) : null}
      </span>
    </li>
  );
}

const clockOf = (wall: string): string => wall.slice(11, 16);

function dayName(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(`${day}T00:00:00Z`),
  );
}
