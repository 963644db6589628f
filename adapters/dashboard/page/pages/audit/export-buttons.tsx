import type { AuditEntry } from 'kalends/model';
import { type Call, request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { csvOf } from '../../parts/csv-of.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { announce } from '../../parts/toasts.tsx';
import { auditTexts as texts } from '../../texts/en/audit.ts';

const PAGE = 250;
/** Most entries of a file: the page stays quick, and the server busy for seconds only. */
const MOST = 10_000;
const COLUMNS = ['at', 'id', 'applicationId', 'actorType', 'actorId', 'address', 'action', 'target', 'changed'];

interface Page {
  readonly data: readonly AuditEntry[];
  readonly nextPageToken: string | null;
}

async function readAll(call: Call): Promise<{ readonly entries: readonly AuditEntry[]; readonly isMore: boolean }> {
  const entries: AuditEntry[] = [];
  let pageToken = '';
  do {
    const page: Page = await request({ ...call, query: { ...call.query, limit: PAGE, pageToken } });
    entries.push(...page.data);
    pageToken = page.nextPageToken ?? '';
  } while (pageToken !== '' && entries.length < MOST);
  return { entries, isMore: pageToken !== '' };
}

function rowOf({ at, id, applicationId, actor, action, target, changed }: AuditEntry): readonly string[] {
  return [
    at,
    id,
    applicationId ?? '',
    actor.type,
    actor.id ?? '',
    actor.address ?? '',
    action,
    target,
    changed.join(' '),
  ];
}

/** Saves all entries that the filters choose as a file. */
export function ExportButtons({ call }: { readonly call: Call }) {
  const save = useAction(async (kind: 'csv' | 'json') => {
    const { entries, isMore } = await readAll(call);
    const name = `audit-${new Date().toISOString().slice(0, 10)}`;
    if (kind === 'csv') saveFile(`${name}.csv`, 'text/csv', csvOf(COLUMNS, entries.map(rowOf)));
    else saveFile(`${name}.json`, 'application/json', JSON.stringify(entries, null, 2));
    announce(texts.exported(entries.length, isMore));
  });
  return (
    <>
      <Button icon="download" label={texts.export(texts.csv)} isBusy={save.isRunning} onClick={() => save.run('csv')}>
        {texts.csv}
      </Button>
      <Button icon="download" label={texts.export(texts.json)} isBusy={save.isRunning} onClick={() => save.run('json')}>
        {texts.json}
      </Button>
      <ErrorNote error={save.error} />
    </>
  );
}
