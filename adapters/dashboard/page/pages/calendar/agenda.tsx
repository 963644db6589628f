import { EmptyState } from '../../parts/empty-state.tsx';
import { addDays } from '../../parts/wall-time.ts';
import { calendarTexts as texts } from '../../texts/en/calendar.ts';
import { Marks } from './marks.tsx';
import type { Period } from './period.ts';
import type { ShownEvent } from './shown-event.ts';
import type { BusySlot } from './use-busy.ts';

interface AgendaProps {
  readonly period: Period;
  readonly events: readonly ShownEvent[];
  readonly busy: readonly BusySlot[];
  colorOf(shown: ShownEvent): string;
  onOpen(shown: ShownEvent): void;
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });

/** The events of a period as a list, day by day. */
export function Agenda({ period, events, busy, colorOf, onOpen }: AgendaProps) {
  const days: string[] = [];
  for (let day = period.start; day < period.end; day = addDays(day, 1)) days.push(day);
  const filled = days
    .map((day) => ({
      day,
      ofDay: events.filter((shown) => isOn(shown, day)),
      slots: busy.filter((slot) => isOn(slot, day)),
    }))
    .filter(({ ofDay, slots }) => ofDay.length + slots.length > 0);
  if (filled.length === 0) {
    return <EmptyState icon="calendar" title={texts.empty.noEvent.title} hint={texts.empty.noEvent.hint} />;
  }
  return (
    <div class="agenda">
      {filled.map(({ day, ofDay, slots }) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>{DAY.format(Date.parse(day))}</h2>
          <ul>
            {ofDay.map((shown) => (
              <li key={shown.key}>
                <button
                  type="button"
                  class={['agenda-event', ...shown.marks.map((mark) => `is-${mark}`)].join(' ')}
                  style={{ '--event-color': colorOf(shown) }}
                  onClick={() => onOpen(shown)}
                >
                  <span class="agenda-time">{timesOn(shown, day)}</span>
                  <span class="event-title">
                    <Marks marks={shown.marks} />
                    {shown.event.title || texts.untitled}
                  </span>
                  {shown.event.location === '' ? null : <span class="muted small">{shown.event.location}</span>}
                </button>
              </li>
            ))}
            {slots.map((slot) => (
              <li key={`${slot.email} ${slot.start}`} class={`agenda-busy busy-${slot.lane}`}>
                <span class="agenda-time">{timesOn({ ...slot, event: { isAllDay: false } }, day)}</span>
                <span>{texts.busy(slot.email)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const isOn = ({ start, end }: Pick<ShownEvent, 'start' | 'end'>, day: string) =>
  start.slice(0, 10) === day || (start < day && end > (end.length === 10 ? day : `${day}T00:00:00`));

interface Timed extends Pick<ShownEvent, 'start' | 'end'> {
  readonly event: { readonly isAllDay: boolean };
}

/** Returns the times of an event on one of its days: `09:00 – 10:00`, `until 10:00`. */
function timesOn({ start, end, event }: Timed, day: string): string {
  if (event.isAllDay) return texts.allDay;
  const from = start.slice(0, 10) === day ? start.slice(11, 16) : '00:00';
  const to = end.slice(0, 10) === day ? end.slice(11, 16) : '24:00';
  return `${from} – ${to}`;
}
