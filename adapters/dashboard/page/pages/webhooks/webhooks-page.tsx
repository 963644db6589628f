import './webhooks.css';
import type { Receiver } from 'kalends/model';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ApiSample, EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { LiveLabel } from '../../parts/live-label.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { SecretDialog } from '../../parts/secret.tsx';
import { useListKeys } from '../../parts/use-list-keys.ts';
import { useActivity, useSettled } from '../../state/activity.ts';
import { useFilters } from '../../state/filters.ts';
import { pageLink } from '../../state/links.ts';
import { applicationId } from '../../state/session.ts';
import { webhooksTexts as texts } from '../../texts/en/webhooks.ts';
import { type Page, receiversCall } from './calls.ts';
import { CreateEndpointDialog } from './create-endpoint-dialog.tsx';
import { CreateSubscriptionDialog } from './create-subscription-dialog.tsx';
import { ReceiverPanel } from './receiver-panel.tsx';
import { ReceiverTable } from './receiver-table.tsx';

type Filter = keyof typeof texts.filters;
const FILTERS = Object.keys(texts.filters) as Filter[];

/** The receivers of the application, what was sent to them, and what can be done about it. */
export function WebhooksPage({ objectId }: { readonly objectId: string | undefined }) {
  const { route } = useLocation();
  const filters = useFilters();
  const call = receiversCall();
  const receivers = useResource<Page<Receiver>>(call);
  const [creating, setCreating] = useState<'endpoint' | 'subscription'>();
  const [secret, setSecret] = useState<string>();
  const list = useListKeys();
  const reload = useSettled(receivers.reload);
  useActivity(
    ['audit.written', 'delivery.attempted'],
    (activity) => {
      const isOfReceiver = activity.type === 'delivery.attempted' && activity.outcome !== 'retry';
      if (isOfReceiver || activity.type === 'audit.written') reload();
    },
    reload,
  );
  const all = receivers.data?.data ?? [];
  const [kind, search] = [filters.get('show') as Filter, filters.get('search')];
  const shown = all.filter((receiver) => isOfKind(receiver, kind) && hasText(receiver, search));
  const opened = all.find(({ id }) => id === objectId);
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose}>
        <Button icon="plus" onClick={() => setCreating('subscription')}>
          {texts.createSubscription}
        </Button>
        <Button kind="primary" icon="plus" onClick={() => setCreating('endpoint')}>
          {texts.createEndpoint}
        </Button>
      </PageHead>
      <ErrorNote error={receivers.error} onRetry={receivers.reload} />
      <div ref={list}>
        {all.length === 0 ? null : (
          <div class="toolbar">
            <SearchField
              value={search}
              placeholder={texts.search}
              onInput={(value) => filters.set({ search: value })}
            />
            <Choice
              label={texts.filter}
              value={kind}
              options={FILTERS.map((value) => ({ value, label: texts.filters[value] }))}
              onChange={(value) => filters.set({ show: value })}
            />
            <span class="muted small toolbar-end row">
              {texts.count(shown.length, all.length, receivers.data?.nextPageToken !== null)}
              <LiveLabel />
            </span>
          </div>
        )}
        <div class="card">
          {receivers.data === undefined ? null : all.length === 0 ? (
            <EmptyState
              icon="webhooks"
              title={texts.empty.title}
              hint={texts.empty.hint}
              call={{
                method: 'POST',
                path: '/v1/webhookEndpoints',
                body: { webhookUrl: 'https://app.example.com/webhooks' },
              }}
            >
              <Button kind="primary" onClick={() => setCreating('endpoint')}>
                {texts.createEndpoint}
              </Button>
            </EmptyState>
          ) : shown.length === 0 ? (
            <p class="none">{texts.noneFound}</p>
          ) : (
            <ReceiverTable receivers={shown} query={filters.text} />
          )}
        </div>
      </div>
      <ApiSample call={call} />
      {opened === undefined ? null : (
        <ReceiverPanel
          key={opened.id}
          receiver={opened}
          onChanged={receivers.reload}
          onSecret={setSecret}
          onClose={() => route(pageLink(applicationId.value ?? '', 'webhooks') + filters.text)}
        />
      )}
      {creating === undefined ? null : (
        <CreateDialog
          kind={creating}
          onClose={() => setCreating(undefined)}
          onCreated={(created) => {
            setCreating(undefined);
            setSecret(created);
            void receivers.reload();
          }}
        />
      )}
      {secret === undefined ? null : (
        <SecretDialog
          title={texts.created}
          secret={secret}
          what={texts.secret}
          hint={texts.createdHint}
          onStored={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

interface CreateDialogProps {
  readonly kind: 'endpoint' | 'subscription';
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
}

function CreateDialog({ kind, ...props }: CreateDialogProps) {
  return kind === 'endpoint' ? <CreateEndpointDialog {...props} /> : <CreateSubscriptionDialog {...props} />;
}

function isOfKind({ kind, failingSince, disabledAt }: Receiver, filter: Filter): boolean {
  if (filter === 'failing') return failingSince !== null && disabledAt === null;
  if (filter === 'disabled') return disabledAt !== null;
  return filter === '' || kind === filter;
}

function hasText({ id, url, endUserAccountId, calendarId }: Receiver, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [id, url, endUserAccountId, calendarId].some((text) => text?.toLowerCase().includes(wanted));
}
