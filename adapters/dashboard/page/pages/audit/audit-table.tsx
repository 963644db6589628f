import type { AuditEntry } from 'kalends/model';
import { CopyButton, middleTruncated } from '../../parts/copy.tsx';
import { Time } from '../../parts/time.tsx';
import type { Filters } from '../../state/filters.ts';
import { type PageName, pageLink } from '../../state/links.ts';
import { applications } from '../../state/session.ts';
import { auditTexts as texts } from '../../texts/en/audit.ts';

/** Pages of what an id names, by its prefix. */
const PAGES: Readonly<Record<string, { readonly page: PageName; readonly hasDetails: boolean }>> = {
  acc: { page: 'accounts', hasDetails: true },
  app: { page: 'settings', hasDetails: false },
  key: { page: 'keys', hasDetails: false },
  prv: { page: 'settings', hasDetails: false },
  whe: { page: 'webhooks', hasDetails: true },
  whs: { page: 'webhooks', hasDetails: true },
};

/** Returns the address of what an entry tells of; undefined where no page shows it. */
export function linkOf({ applicationId, target, action }: AuditEntry): string | undefined {
  const isGone = action.endsWith('.deleted') || action.endsWith('.removed');
  const shown = PAGES[target.slice(0, 3)];
  const isKnown = applications.value?.some(({ id }) => id === applicationId) ?? false;
  if (applicationId === null || shown === undefined || !isKnown || isGone) return undefined;
  return pageLink(applicationId, shown.page, shown.hasDetails ? target : undefined);
}

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  readonly filters: Filters;
}

export function AuditTable({ entries, filters }: AuditTableProps) {
  const { columns } = texts;
  return (
    <div class="table-scroll">
      <table class="table audit">
        <thead>
          <tr>
            <th scope="col">{columns.at}</th>
            <th scope="col">{columns.action}</th>
            <th scope="col">{columns.target}</th>
            <th scope="col">{columns.actor}</th>
            <th scope="col">{columns.changed}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} filters={filters} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AuditRow({ entry, filters }: { readonly entry: AuditEntry; readonly filters: Filters }) {
  const { at, action, target, actor, changed } = entry;
  const { columns } = texts;
  const link = linkOf(entry);
  const shown = <code title={target}>{middleTruncated(target, 26)}</code>;
  return (
    <tr>
      <td class="no-wrap" data-label={columns.at}>
        <Time at={at} />
      </td>
      <td data-label={columns.action}>
        <OnlyButton value={action} onClick={() => filters.set({ action })} />
      </td>
      <td data-label={columns.target}>
        <span class="copy">
          {link === undefined ? (
            shown
          ) : (
            <a class="row-link" href={link}>
              {shown}
            </a>
          )}
          <CopyButton text={target} what={texts.columns.target} />
        </span>
      </td>
      <td data-label={columns.actor}>
        <div class="stack-tiny">
          <span class="no-wrap">{texts.actorNames[actor.type]}</span>
          {actor.id === null ? null : (
            <OnlyButton value={actor.id} onClick={() => filters.set({ actorId: actor.id ?? '' })} />
          )}
          {actor.address === null ? null : <span class="muted small mono">{actor.address}</span>}
        </div>
      </td>
      <td class="muted small" data-label={columns.changed}>
        {changed.join(', ')}
      </td>
    </tr>
  );
}

/** A value that narrows the list to itself. */
function OnlyButton({ value, onClick }: { readonly value: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="only" title={texts.only(value)} onClick={onClick}>
      <code>{middleTruncated(value, 30)}</code>
    </button>
  );
}
