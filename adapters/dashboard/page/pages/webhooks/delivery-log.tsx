import type { Receiver, WebhookDelivery } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { LiveLabel } from '../../parts/live-label.tsx';
import { useActivity, useSettled } from '../../state/activity.ts';
import { useFilters } from '../../state/filters.ts';
import { common } from '../../texts/en/frame.ts';
import { webhooksTexts } from '../../texts/en/webhooks.ts';
import { deliveriesCall, type Page } from './calls.ts';
import { DeliveryEntry } from './delivery-entry.tsx';
import { Attempts } from './receiver-table.tsx';

const texts = webhooksTexts.log;
const PAGE = 50;
type Filter = keyof typeof texts.filters;
const FILTERS = Object.keys(texts.filters) as Filter[];

/** The attempts of the last 30 days, newest first, as they happen. */
export function DeliveryLog({ receiver }: { readonly receiver: Receiver }) {
  const call = deliveriesCall(receiver.id, PAGE);
  const log = useResource<Page<WebhookDelivery>>(call);
  const [older, setOlder] = useState<Page<WebhookDelivery>>();
  const filters = useFilters();
  const filter = filters.get('log') as Filter;
  const reload = useSettled(log.reload);
  useActivity(
    ['delivery.attempted'],
    (activity) => {
      if (activity.type === 'delivery.attempted' && activity.receiverId === receiver.id) reload();
    },
    reload,
  );
  const pageToken = older === undefined ? log.data?.nextPageToken : older.nextPageToken;
  const more = useAction(async () => {
    const next = await request<Page<WebhookDelivery>>({ ...call, query: { limit: PAGE, pageToken: pageToken ?? '' } });
    setOlder({ data: [...(older?.data ?? []), ...next.data], nextPageToken: next.nextPageToken });
  });
  const newest = log.data?.data ?? [];
  // What has come meanwhile has pushed the first page's end into the second one.
  const known = new Set(newest.map(({ id }) => id));
  const all = [...newest, ...(older?.data ?? []).filter(({ id }) => !known.has(id))];
  const shown = all.filter(({ outcome }) => filter === '' || outcome !== 'delivered');
  return (
    <section class="stack-small" aria-labelledby="deliveries">
      <div class="row spread">
        <span class="row">
          <h3 id="deliveries">{texts.title}</h3>
          <LiveLabel />
        </span>
        {all.length === 0 ? null : (
          <Choice
            label={texts.title}
            value={filter}
            options={FILTERS.map((value) => ({ value, label: texts.filters[value] }))}
            onChange={(value) => filters.set({ log: value })}
          />
        )}
      </div>
      <ErrorNote error={log.error} onRetry={log.reload} />
      {all.length === 0 ? null : <Attempts deliveries={newest.slice(0, 24)} />}
      {log.data !== undefined && shown.length === 0 ? (
        <p class="none">{all.length === 0 ? texts.empty : texts.emptyFailed}</p>
      ) : null}
      <ul class="deliveries">
        {shown.map((delivery) => (
          <DeliveryEntry key={delivery.id} receiver={receiver} delivery={delivery} onRedelivered={log.reload} />
        ))}
      </ul>
      <ErrorNote error={more.error} />
      {pageToken ? (
        <div class="row">
          <Button isBusy={more.isRunning} onClick={more.run}>
            {common.loadMore}
          </Button>
        </div>
      ) : null}
      <ApiSample call={call} />
    </section>
  );
}
