import type { Calendar, CollectionHealth, SyncHealth, UnreadableObject } from 'kalends/model';
import { useState } from 'preact/hooks';
import type { PageOf } from '../../api/use-pages.ts';
import { useResource } from '../../api/use-resource.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { relativeTime, shownZone, Time, useNow } from '../../parts/time.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { HEALTH_TONES, healthWords } from './health-words.ts';

const texts = accountsTexts.health;
const ERRORS_PAGE = 'https://github.com/kalends/kalends/blob/main/docs/errors.md';

interface SyncHealthListProps {
  readonly accountId: string;
  readonly health: SyncHealth;
}

/** How far each calendar of an account is in sync, in words. */
export function SyncHealthList({ accountId, health }: SyncHealthListProps) {
  const now = useNow(1_000);
  const calendars = useResource<PageOf<Calendar>>(
    health.status === 'ACTIVE' ? { path: `/v1/calendars/${accountId}`, query: { limit: 250 } } : undefined,
  );
  const names = new Map(calendars.data?.data.map(({ id, name }) => [id, name]));
  const { coolDownUntil, backoffFactor, collections } = health;
  const setAside = collections.some((collection) => collection.setAside > 0);
  return (
    <>
      {coolDownUntil === null ? null : (
        <p class="note warning">{texts.coolDown(relativeTime(Date.parse(coolDownUntil), now))}</p>
      )}
      {backoffFactor > 1 ? <p class="muted small">{texts.slowed(backoffFactor)}</p> : null}
      {collections.length === 0 ? <p class="muted">{texts.none}</p> : null}
      <ul class="lines health">
        {collections.map((collection) => (
          <li key={collection.calendarId ?? ''}>
            <CollectionLine
              collection={collection}
              name={nameOf(collection, names)}
              account={{ status: health.status, now, zone: shownZone() }}
            />
          </li>
        ))}
      </ul>
      {setAside ? <Unreadable accountId={accountId} /> : null}
    </>
  );
}

const nameOf = ({ calendarId }: CollectionHealth, names: ReadonlyMap<string, string | null>): string =>
  calendarId === null ? texts.calendarList : (names.get(calendarId) ?? calendarId);

interface CollectionLineProps {
  readonly collection: CollectionHealth;
  readonly name: string;
  readonly account: Parameters<typeof healthWords>[1];
}

function CollectionLine({ collection, name, account }: CollectionLineProps) {
  const { state, text, remarks } = healthWords(collection, account);
  const { lastFailure } = collection;
  return (
    <>
      <div class="row spread">
        <h4 title={collection.calendarId ?? undefined}>{name}</h4>
        <StateLabel tone={HEALTH_TONES[state]}>{texts.states[state]}</StateLabel>
      </div>
      <p class="muted">{text}</p>
      {remarks.map((remark) => (
        <p key={remark} class="health-remark">
          {remark}
        </p>
      ))}
      {lastFailure === null ? null : (
        <a class="small" href={`${ERRORS_PAGE}#${lastFailure.code.toLowerCase()}`} target="_blank" rel="noreferrer">
          {lastFailure.code}
        </a>
      )}
    </>
  );
}

/** The objects that cannot be read, with the reason for each; read when it is opened. */
function Unreadable({ accountId }: { readonly accountId: string }) {
  const [isOpen, setOpen] = useState(false);
  const path = `/v1/endUserAccounts/${accountId}/unreadableObjects`;
  const objects = useResource<PageOf<UnreadableObject>>(isOpen ? { path, query: { limit: 50 } } : undefined);
  return (
    <details class="sample" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.reasons}</summary>
      <ErrorNote error={objects.error} onRetry={objects.reload} />
      <ul class="lines small">
        {objects.data?.data.map(({ kind, objectId, reason, since }) => (
          <li key={`${objectId} ${reason}`}>
            <p>
              {reason}
              {kind === 'part' ? ` (${texts.part})` : ''}
            </p>
            <p class="muted">
              <code class="breaking">{objectId ?? '–'}</code> · <Time at={since} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
