import type { Receiver, WebhookDelivery } from 'kalends/model';
import { useLog } from '../../api/use-log.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { LiveLabel } from '../../parts/live-label.tsx';
import { useActivity, useSettled } from '../../state/activity.ts';
import { useFilters } from '../../state/filters.ts';
import { common } from '../../texts/en/frame.ts';
import { webhooksTexts } from '../../texts/en/webhooks.ts';
import { deliveriesCall } from './calls.ts';
import { DeliveryEntry } from './delivery-entry.tsx';
import { Attempts } from './receiver-table.tsx';

const texts = webhooksTexts.log;
const PAGE = 50;
type Filter = keyof typeof texts.filters;
const FILTERS = Object.keys(texts.filters) as Filter[];

/** The attempts of the last 30 days, newest first, as they happen. */
export function DeliveryLog({ receiver }: { readonly receiver: Receiver }) {
  const call = deliveriesCall(receiver.id, PAGE);
  const { items, hasMore, more, ...log } = useLog<WebhookDelivery>(call);
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
  const all = items ?? [];
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
      {all.length === 0 ? null : <Attempts deliveries={all.slice(0, 24)} />}
      {items !== undefined && shown.length === 0 ? (
        <p class="none">{all.length === 0 ? texts.empty : texts.emptyFailed}</p>
      ) : null}
      <ul class="deliveries">
        {shown.map((delivery) => (
          <DeliveryEntry key={delivery.id} receiver={receiver} delivery={delivery} onRedelivered={log.reload} />
        ))}
      </ul>
      <ErrorNote error={more.error} />
      {hasMore ? (
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
