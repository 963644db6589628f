import type { Calendar, EndUserAccount } from 'kalends/model';
import { formatOffset, offsetAt } from 'kalends/zones';
import { useMemo, useState } from 'preact/hooks';
import { ErrorBoundary, lazy } from 'preact-iso';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { ApiSample, EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { shownZone } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { wallMsOf, wallTextAt } from '../../parts/wall-time.ts';
import { pageLink } from '../../state/links.ts';
import { serverNow } from '../../state/server-time.ts';
import { applicationId } from '../../state/session.ts';
import { calendarTexts as texts } from '../../texts/en/calendar.ts';
import { Agenda } from './agenda.tsx';
import { useCalendarAddress } from './calendar-address.ts';
import { CalendarToolbar } from './calendar-toolbar.tsx';
import { type EventDraft, type NewTimes, newDraft } from './event-draft.ts';
import { EventForm } from './event-form.tsx';
import { EventPanel } from './event-panel.tsx';
import { Legend } from './marks.tsx';
import { type Move, MoveQuestion } from './move-question.tsx';
import { periodOf } from './period.ts';
import type { ShownEvent } from './shown-event.ts';
import { type BusySlot, useBusy } from './use-busy.ts';
import { listCall, useEvents } from './use-events.ts';

const CalendarGrid = lazy(() => import('./calendar-grid.tsx').then((module) => module.CalendarGrid));

/** Colours of calendars that have none of their own. */
const COLORS = ['#0b6e5f', '#2f6fde', '#a855c7', '#c2410c', '#4d7c0f', '#be185d'];

/** A day of a month has no place for times. */
const NO_SLOTS: readonly BusySlot[] = [];

interface AccountCalendarProps {
  readonly accountId: string;
  /** Event whose details are open. */
  readonly eventId: string | undefined;
}

/** The calendars of an account in the period and zone that the address and the preferences choose. */
export function AccountCalendar({ accountId, eventId }: AccountCalendarProps) {
  const { address, show } = useCalendarAddress();
  const encoded = encodeURIComponent(accountId);
  const account = useResource<EndUserAccount>({ path: `/v1/endUserAccounts/${encoded}` });
  const calendars = useResource<{ readonly data: readonly Calendar[] }>({
    path: `/v1/calendars/${encoded}`,
    query: { limit: 250 },
  });
  const all = calendars.data?.data ?? [];
  const primary = all.find(({ isPrimary }) => isPrimary) ?? all[0];
  const chosen = address.calendarIds ?? (primary === undefined ? [] : [primary.id]);
  const zone = shownZone(primary?.timeZone ?? null);
  const today = wallTextAt(zone, serverNow()).slice(0, 10);
  const date = address.date ?? today;
  const period = periodOf(address.view, date);
  const shown = useEvents(primary === undefined ? undefined : accountId, chosen, period, zone);
  const compared = useBusy(address.compared, period, zone);
  const [draft, setDraft] = useState<EventDraft>();
  const [move, setMove] = useState<Move>();
  const calendarOf = (id: string) => all.find((calendar) => calendar.id === id);
  const colorOf = (calendarId: string) =>
    calendarOf(calendarId)?.hexColor ||
    COLORS[all.findIndex(({ id }) => id === calendarId) % COLORS.length] ||
    COLORS[0];
  const open = ({ event, calendarId }: ShownEvent) => show({ eventCalendarId: calendarId }, event.id);
  const writable = all.filter(({ readOnly }) => !readOnly);
  const target = writable.find(({ id }) => chosen.includes(id)) ?? writable[0];
  const busy = useMemo(() => compared.flatMap(({ slots }) => slots), [compared]);
  const events = shown.events;
  const listed = chosen[0] ?? primary?.id;
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose}>
        {target === undefined ? null : (
          <Button kind="primary" icon="plus" onClick={() => setDraft(newDraft(nextHour(zone, date, today), zone))}>
            {texts.create}
          </Button>
        )}
      </PageHead>
      <ErrorNote error={account.error ?? calendars.error} onRetry={calendars.reload} />
      {account.data?.status === 'EXPIRED' ? (
        <p class="banner">
          <a href={pageLink(applicationId.value ?? '', 'accounts', accountId)}>{texts.expired}</a>
        </p>
      ) : null}
      <CalendarToolbar
        account={account.data}
        calendars={all}
        chosen={chosen}
        compared={compared}
        date={date}
        today={today}
        period={period}
        zone={zone}
        isLoading={shown.isLoading}
        colorOf={(id) => colorOf(id) ?? ''}
        onReload={shown.reload}
      />
      <ErrorNote error={shown.error} onRetry={shown.reload} />
      {compared.map(({ id, error }) => (
        <ErrorNote key={id} error={error} />
      ))}
      {shown.isSyncing ? (
        <p class="banner" role="status">
          {texts.syncing}
        </p>
      ) : null}
      {calendars.data !== undefined && chosen.length === 0 ? (
        <EmptyState icon="calendar" title={texts.empty.noCalendar.title} hint={texts.empty.noCalendar.hint} />
      ) : (
        <div class="calendar-frame" aria-busy={shown.isLoading}>
          {address.view === 'agenda' ? (
            shown.isRead ? (
              <Agenda
                period={period}
                events={events}
                busy={busy}
                colorOf={({ calendarId }) => colorOf(calendarId) ?? ''}
                onOpen={open}
              />
            ) : null
          ) : (
            <ErrorBoundary>
              <CalendarGrid
                view={address.view}
                date={date}
                offset={formatOffset(offsetAt(zone, serverNow()))}
                events={events}
                busy={address.view === 'month' ? NO_SLOTS : busy}
                colorOf={({ calendarId }) => colorOf(calendarId) ?? ''}
                canEdit={({ calendarId, event }) => calendarOf(calendarId)?.readOnly === false && !event.isCancelled}
                onOpen={open}
                onSelect={(times) => target !== undefined && setDraft(newDraft(times, zone))}
                onMove={(moved, times, revert) => setMove({ shown: moved, times, revert })}
              />
            </ErrorBoundary>
          )}
        </div>
      )}
      {address.view === 'month' && busy.length > 0 ? <p class="muted small">{texts.busyElsewhere}</p> : null}
      <Legend />
      {listed === undefined ? null : <ApiSample call={listCall(accountId, listed, period, zone)} />}
      {draft === undefined || target === undefined ? null : (
        <EventForm
          accountId={accountId}
          calendarId={target.id}
          created={{ draft, calendars: writable }}
          onClose={() => setDraft(undefined)}
          onDone={async () => {
            setDraft(undefined);
            await shown.reload();
          }}
        />
      )}
      {move === undefined ? null : (
        <MoveQuestion
          accountId={accountId}
          move={move}
          zone={zone}
          onClose={() => {
            move.revert();
            setMove(undefined);
          }}
          onMoved={async () => {
            setMove(undefined);
            announce(texts.moved);
            await shown.reload();
          }}
        />
      )}
      {eventId === undefined || address.eventCalendarId === undefined ? null : (
        <EventPanel
          key={eventId}
          accountId={accountId}
          calendar={calendarOf(address.eventCalendarId)}
          calendarId={address.eventCalendarId}
          eventId={eventId}
          zone={zone}
          onChanged={shown.reload}
          onClose={() => show({})}
        />
      )}
    </>
  );
}

/** Returns the next whole hour of a day, today, and nine o'clock on another. */
function nextHour(zone: string, date: string, today: string): NewTimes {
  const now = wallMsOf(wallTextAt(zone, serverNow()));
  const start = date === today ? Math.ceil(now / 3_600_000) * 3_600_000 : wallMsOf(`${date}T09:00:00`);
  const text = (wallMs: number) => new Date(wallMs).toISOString().slice(0, 19);
  return { start: text(start), end: text(start + 3_600_000), isAllDay: false };
}
