import type { EndUserAccount } from 'kalends/model';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useResource } from '../../api/use-resource.ts';
import { NotFound } from '../../frame/not-found.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ACTIVITY_TYPES, useActivity, useSettled } from '../../state/activity.ts';
import { pageLink } from '../../state/links.ts';
import { applicationId, session } from '../../state/session.ts';
import { sandboxTexts as texts } from '../../texts/en/sandbox.ts';
import { useArmedFaults } from './armed-faults.ts';
import { ClockCard } from './clock-card.tsx';
import { FaultsCard } from './faults-card.tsx';
import { readInbox } from './inbox.ts';
import { calendarsCall, MailboxCard } from './mailbox-card.tsx';
import type { Mailbox, MailboxCalendar } from './mailboxes.ts';
import './sandbox.css';
import { Timeline } from './timeline.tsx';
import { noteActivity } from './timeline-entries.ts';
import { useFollowing } from './use-following.ts';
import { WebhookPanel } from './webhook-panel.tsx';

/** The demo's sandbox: other people's changes, faults, the clock, and what follows from them. */
export function SandboxPage({ objectId }: { readonly objectId?: string | undefined }) {
  return session.value?.isDemo ? <Demo messageId={objectId} /> : <NotFound />;
}

interface State {
  readonly google: { readonly mailboxes: readonly string[] };
  readonly microsoft: { readonly mailboxes: readonly string[] };
  readonly caldav: { readonly mailboxes: readonly string[] };
}

function Demo({ messageId }: { readonly messageId: string | undefined }) {
  const state = useResource<State>({ path: '/sandbox/state' });
  const mailboxes = state.data === undefined ? [] : mailboxesOf(state.data);
  return (
    <div class="wide">
      <PageHead title={texts.title} purpose={texts.purpose} />
      <ErrorNote error={state.error} onRetry={state.reload} />
      {mailboxes[0] === undefined ? null : <Stage mailboxes={mailboxes} first={mailboxes[0]} messageId={messageId} />}
    </div>
  );
}

interface StageProps {
  readonly mailboxes: readonly Mailbox[];
  readonly first: Mailbox;
  readonly messageId: string | undefined;
}

function Stage({ mailboxes, first, messageId }: StageProps) {
  const { route } = useLocation();
  const [mailbox, setMailbox] = useState(first);
  const [calendarId, setCalendarId] = useState<string>();
  const [turns, setTurns] = useState(0);
  const list = useResource<{ readonly timeZone: string; readonly calendars: readonly MailboxCalendar[] }>(
    calendarsCall(mailbox),
  );
  const calendars = list.data?.calendars ?? [];
  const calendar =
    calendars.find(({ id }) => id === calendarId) ?? calendars.find(({ isPrimary }) => isPrimary) ?? calendars[0];
  const following = useFollowing(mailbox, calendar?.id);
  const armed = useArmedFaults();
  const accounts = useResource<{ readonly data: readonly EndUserAccount[] }>({ path: '/v1/endUserAccounts' });
  const rearm = useSettled(armed.reload);
  const restate = useSettled(() => Promise.all([following.reload(), accounts.reload()]));
  useActivity(
    ACTIVITY_TYPES,
    (activity) => {
      noteActivity(activity);
      rearm();
      if (activity.type === 'account.status.changed') restate();
    },
    () => {
      rearm();
      restate();
    },
  );
  useEffect(() => {
    void readInbox().catch(() => undefined);
  }, []);
  const emailOf = (id: string) => accounts.data?.data.find((account) => account.id === id)?.email ?? id;
  const id = applicationId.value ?? '';
  return (
    <>
      <div class="sandbox">
        <div class="sandbox-clock">
          <ClockCard onTurned={() => setTurns(turns + 1)} />
        </div>
        <div class="sandbox-mailbox">
          <ErrorNote error={list.error} onRetry={list.reload} />
          {calendar === undefined || list.data === undefined ? null : (
            <MailboxCard
              key={`${mailbox.email} ${calendar.id} ${turns}`}
              mailboxes={mailboxes}
              mailbox={mailbox}
              onChoose={(chosen) => {
                setMailbox(chosen);
                setCalendarId(undefined);
              }}
              calendars={calendars}
              timeZone={list.data.timeZone}
              calendar={calendar}
              onChooseCalendar={setCalendarId}
              following={following}
            />
          )}
        </div>
        <div class="sandbox-timeline">
          <Timeline emailOf={emailOf} />
        </div>
        <div class="sandbox-faults">
          <FaultsCard mailbox={mailbox} armed={armed} />
        </div>
      </div>
      <ApiSample call={{ path: '/admin/v1/activity', query: { applicationId: id } }} />
      {messageId === undefined ? null : (
        <WebhookPanel messageId={messageId} onClose={() => route(pageLink(id, 'sandbox'))} />
      )}
    </>
  );
}

function mailboxesOf({ google, microsoft, caldav }: State): readonly Mailbox[] {
  return [
    ...google.mailboxes.map((email) => ({ provider: 'google', email }) as const),
    ...microsoft.mailboxes.map((email) => ({ provider: 'microsoft', email }) as const),
    ...caldav.mailboxes.map((email) => ({ provider: 'caldav', email }) as const),
  ];
}
