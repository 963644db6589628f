import type { ApiKey, ApiKeyCreated } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ApiSample, EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SecretDialog } from '../../parts/secret.tsx';
import { relativeTime } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { serverNow } from '../../state/server-time.ts';
import { session } from '../../state/session.ts';
import { keysTexts as texts } from '../../texts/en/keys.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyTable } from './key-table.tsx';

/** The application's API keys: created, shown once, revoked. */
export function KeysPage() {
  const list = { path: ofApplication('/apiKeys') };
  const keys = useResource<{ readonly data: readonly ApiKey[] }>(list);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<ApiKeyCreated>();
  const [revoking, setRevoking] = useState<ApiKey>();
  const revoke = useAction(async () => {
    await request({ method: 'DELETE', path: ofApplication(`/apiKeys/${revoking?.id}`) });
    setRevoking(undefined);
    announce(texts.revoked);
    await keys.reload();
  });
  const create = () => setCreating(true);
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose}>
        <Button kind="primary" icon="plus" onClick={create}>
          {texts.create}
        </Button>
      </PageHead>
      <ErrorNote error={keys.error} onRetry={keys.reload} />
      <div class="card">
        {keys.data === undefined ? null : keys.data.data.length === 0 ? (
          <EmptyState
            icon="key"
            title={texts.empty.title}
            hint={texts.empty.hint}
            call={{ ...list, method: 'POST', body: { name: 'Backend', expiresAt: '90d' } }}
          >
            <Button kind="primary" onClick={create}>
              {texts.create}
            </Button>
          </EmptyState>
        ) : (
          <KeyTable keys={keys.data.data} onRevoke={setRevoking} />
        )}
      </div>
      <ApiSample call={list} />
      {isCreating ? (
        <CreateKeyDialog
          onClose={() => setCreating(false)}
          onCreated={(answer) => {
            setCreating(false);
            setCreated(answer);
            void keys.reload();
          }}
        />
      ) : null}
      {created === undefined ? null : (
        <SecretDialog
          title={texts.created(created.apiKey.name)}
          secret={created.key}
          what={texts.key}
          hint={texts.createdHint}
          use={docsLink(created.key)}
          onStored={() => setCreated(undefined)}
        />
      )}
      {revoking === undefined ? null : (
        <Confirm
          title={texts.revokeTitle(revoking.name)}
          verb={texts.revoke}
          action={revoke}
          onClose={() => setRevoking(undefined)}
        >
          {texts.revokeText(lastUse(revoking))}
        </Confirm>
      )}
    </>
  );
}

function docsLink(key: string) {
  const docsUrl = session.value?.docsUrl;
  return docsUrl ? { label: texts.tryDocs, href: `${docsUrl}#apiKey=${key}` } : undefined;
}

function lastUse({ lastUsedAt }: ApiKey): string {
  return lastUsedAt === null ? texts.neverUsed : relativeTime(Date.parse(lastUsedAt), serverNow());
}
