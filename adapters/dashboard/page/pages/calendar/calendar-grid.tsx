import { type Calendar, createCalendar, DayGrid, destroyCalendar, Interaction, TimeGrid } from '@event-calendar/core';
import '@event-calendar/core/index.css';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { redrawn } from '../../parts/redrawn.ts';
import { dateOf, wallMsOf } from '../../parts/wall-time.ts';
import { calendarTexts as texts } from '../../texts/en/calendar.ts';
import type { NewTimes } from './event-draft.ts';
import { Marks } from './marks.tsx';
import type { ShownEvent } from './shown-event.ts';
import type { BusySlot } from './use-busy.ts';

interface CalendarGridProps {
  readonly view: 'week' | 'month';
  readonly date: string;
  /** Offset of the shown zone at present, `+01:00`: decides which day is today. */
  readonly offset: string;
  readonly events: readonly ShownEvent[];
  readonly busy: readonly BusySlot[];
  colorOf(shown: ShownEvent): string;
  canEdit(shown: ShownEvent): boolean;
  onOpen(shown: ShownEvent): void;
  onSelect(times: NewTimes): void;
  /** `revert` puts the event back where it was. */
  onMove(shown: ShownEvent, times: NewTimes, revert: () => void): void;
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
const HOURS: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hour12: false };
const VIEWS = { week: 'timeGridWeek', month: 'dayGridMonth' } as const;

/** Week or month. All times that go in and come out are wall time, so that the browser's own zone has no part in them. */
export function CalendarGrid(props: CalendarGridProps) {
  const place = useRef<HTMLElement>(null);
  const calendar = useRef<Calendar>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const focused = useRef<Element>(null);

  useEffect(() => {
    const target = place.current;
    if (target === null) return;
    const created = createCalendar(
      target,
      [TimeGrid, DayGrid, Interaction],
      optionsOf(
        latest,
        () => calendar.current?.unselect(),
        () => {
          if (focused.current?.isConnected === false && document.activeElement === document.body)
            redrawn(focused.current)?.focus({ preventScroll: true });
        },
      ),
    );
    calendar.current = created;
    const roles = new MutationObserver(() => mendRoles(target));
    roles.observe(target, { subtree: true, childList: true });
    mendRoles(target);
    return () => {
      roles.disconnect();
      calendar.current = undefined;
      void destroyCalendar(created);
    };
  }, []);

  const { view, date, offset, events, busy } = props;
  useEffect(() => void calendar.current?.setOption('view', VIEWS[view]), [view]);
  useEffect(() => void calendar.current?.setOption('date', date), [date]);
  useEffect(() => void calendar.current?.setOption('timeZone', offset), [offset]);
  useEffect(() => {
    focused.current = document.activeElement;
    calendar.current?.setOption('events', inputOf(props));
  }, [events, busy]);
  return <section class={`calendar-grid view-${view}`} aria-label={texts.views[view]} ref={place} />;
}

/**
 * The library calls the grid a table whose events stand outside of its cells: each event names its day instead. A week without
 * events has nothing to focus, and must be scrolled by keyboard too.
 */
function mendRoles(target: HTMLElement): void {
  const roles = ['table', 'rowgroup', 'row', 'cell', 'columnheader'].map((role) => `[role=${role}]`);
  for (const element of target.querySelectorAll(roles.join())) {
    element.removeAttribute('role');
    element.removeAttribute('aria-colindex');
  }
  target.querySelector('.ec-main')?.setAttribute('tabindex', '0');
}

function optionsOf(
  latest: { readonly current: CalendarGridProps },
  unselect: () => unknown,
  focusAgain: () => void,
): Calendar.Options {
  const { view, date, offset } = latest.current;
  const shownOf = ({ extendedProps }: Calendar.Event) => extendedProps['shown'] as ShownEvent;
  return {
    view: VIEWS[view],
    date,
    timeZone: offset,
    events: inputOf(latest.current),
    headerToolbar: { start: '', center: '', end: '' },
    locale: 'en-GB',
    firstDay: 1,
    height: 'var(--grid-height)',
    scrollTime: '07:30',
    slotHeight: 30,
    slotEventOverlap: false,
    columnWidth: 'minmax(104px, 1fr)',
    nowIndicator: true,
    dayMaxEvents: true,
    editable: true,
    selectable: true,
    selectBackgroundColor: 'var(--accent-tint)',
    eventTimeFormat: HOURS,
    slotLabelFormat: HOURS,
    dayHeaderFormat: { weekday: 'short', day: 'numeric' },
    allDayContent: texts.allDay,
    moreLinkContent: ({ num }) => texts.more(num),
    views: { dayGridMonth: { dayHeaderFormat: { weekday: 'short' } } },
    eventContent: ({ event, timeText }) => contentOf(event, timeText),
    // An event of a list that was read again is drawn anew, and what had the focus is gone.
    eventDidMount: ({ el, event }) => {
      el.dataset['key'] = String(event.id);
      focusAgain();
    },
    eventClick: ({ event }) => {
      if (event.display !== 'background') latest.current.onOpen(shownOf(event));
    },
    select: ({ startStr, endStr, allDay }) => {
      const cut = (text: string) => text.slice(0, allDay ? 10 : 19);
      latest.current.onSelect({ start: cut(startStr), end: cut(endStr), isAllDay: allDay });
      unselect();
    },
    eventDrop: ({ event, delta, revert }) => {
      const shown = shownOf(event);
      const by = (text: string) => movedBy(text, delta);
      latest.current.onMove(shown, timesOf(shown, by(shown.start), by(shown.end)), revert);
    },
    eventResize: ({ event, endDelta, revert }) => {
      const shown = shownOf(event);
      latest.current.onMove(shown, timesOf(shown, shown.start, movedBy(shown.end, endDelta)), revert);
    },
  };
}

const timesOf = ({ event }: ShownEvent, start: string, end: string): NewTimes => ({
  start,
  end,
  isAllDay: event.isAllDay,
});

/** Returns a wall time later by a duration of the grid: days, and seconds within a day. */
function movedBy(text: string, { days, seconds }: Calendar.Duration): string {
  const wallMs = wallMsOf(text) + days * 86_400_000 + seconds * 1_000;
  return text.length === 10 ? dateOf(wallMs) : new Date(wallMs).toISOString().slice(0, 19);
}

/** An event that is drawn with one line. */
const isShort = ({ start, end }: ShownEvent) => wallMsOf(end) - wallMsOf(start) <= 30 * 60_000;

function inputOf({ events, busy, colorOf, canEdit }: CalendarGridProps): Calendar.EventInput[] {
  const shown = events.map((each) => ({
    id: each.key,
    start: each.start,
    end: each.end,
    allDay: each.event.isAllDay,
    title: each.event.title || texts.untitled,
    editable: canEdit(each),
    classNames: [...each.marks.map((mark) => `is-${mark}`), ...(isShort(each) ? ['is-short'] : [])],
    styles: [`--event-color: ${colorOf(each)}`],
    extendedProps: { shown: each },
  }));
  const slots = busy.map((slot, index) => ({
    id: `busy ${index}`,
    start: slot.start,
    end: slot.end,
    allDay: false,
    title: texts.busy(slot.email),
    display: 'background' as const,
    classNames: ['busy', `busy-${slot.lane}`],
    extendedProps: {},
  }));
  return [...shown, ...slots];
}

function contentOf(event: Calendar.Event, timeText: string): Calendar.Content {
  const element = document.createElement('div');
  element.className = 'event-content';
  const title = String(event.title);
  const shown = event.extendedProps['shown'] as ShownEvent | undefined;
  if (shown === undefined) {
    element.title = title;
    element.className = 'hidden';
    element.textContent = title;
    return { domNodes: [element] };
  }
  render(
    <>
      <span class="event-title">
        <Marks marks={shown.marks} />
        {title}
      </span>
      <span class="hidden">{`, ${DAY.format(Date.parse(shown.start.slice(0, 10)))}, `}</span>
      {event.allDay ? null : <span class="event-time">{timeText}</span>}
    </>,
    element,
  );
  return { domNodes: [element] };
}
