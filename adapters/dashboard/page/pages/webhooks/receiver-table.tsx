import type { Receiver, WebhookDelivery } from 'kalends/model';
import { useResource } from '../../api/use-resource.ts';
import { CopyId, middleTruncated } from '../../parts/copy.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { useActivity, useSettled } from '../../state/activity.ts';
import { pageLink } from '../../state/links.ts';
import { applicationId } from '../../state/session.ts';
import { webhooksTexts as texts } from '../../texts/en/webhooks.ts';
import { deliveriesCall, type Page } from './calls.ts';
import { medianLatency, STATE_TONES, stateOf } from './receiver-state.ts';

/** Attempts that a row shows. */
const SHOWN = 24;

interface ReceiverTableProps {
  readonly receivers: readonly Receiver[];
  /** Query of the list, which its details keep. */
  readonly query: string;
}

export function ReceiverTable({ receivers, query }: ReceiverTableProps) {
  const { columns } = texts;
  return (
    <div class="table-scroll">
      <table class="table receivers">
        <thead>
          <tr>
            <th scope="col">{columns.receiver}</th>
            <th scope="col">{columns.kind}</th>
            <th scope="col">{columns.state}</th>
            <th scope="col">{columns.attempts}</th>
            <th scope="col">{columns.last}</th>
          </tr>
        </thead>
        <tbody>
          {receivers.map((receiver) => (
            <ReceiverRow key={receiver.id} receiver={receiver} query={query} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ReceiverRow({ receiver, query }: { readonly receiver: Receiver; readonly query: string }) {
  const { columns } = texts;
  const log = useResource<Page<WebhookDelivery>>(deliveriesCall(receiver.id, SHOWN));
  const reload = useSettled(log.reload);
  useActivity(
    ['delivery.attempted'],
    (activity) => {
      if (activity.type === 'delivery.attempted' && activity.receiverId === receiver.id) reload();
    },
    reload,
  );
  const deliveries = log.data?.data;
  const state = stateOf(receiver, deliveries && deliveries.length > 0);
  return (
    <tr>
      <td data-label={columns.receiver}>
        <div class="stack-tiny">
          <a
            class="row-link breaking"
            href={pageLink(applicationId.value ?? '', 'webhooks', receiver.id) + query}
            title={receiver.url}
          >
            {middleTruncated(receiver.url.replace(/^https:\/\//, ''), 46)}
          </a>
          <span class="muted small">
            <CopyId id={receiver.id} what={texts.columns.receiver} />
          </span>
        </div>
      </td>
      <td data-label={columns.kind}>{texts.kinds[receiver.kind]}</td>
      <td data-label={columns.state}>
        <StateLabel tone={STATE_TONES[state]}>{texts.states[state]}</StateLabel>
      </td>
      <td data-label={columns.attempts}>
        <Attempts deliveries={deliveries} />
      </td>
      <td class="no-wrap" data-label={columns.last}>
        <Time at={deliveries?.[0]?.attemptedAt} />
      </td>
    </tr>
  );
}

/** Success and latency of the newest attempts: a picture, and the same in words. */
export function Attempts({ deliveries = [] }: { readonly deliveries: readonly WebhookDelivery[] | undefined }) {
  const good = deliveries.filter(({ outcome }) => outcome === 'delivered').length;
  const median = texts.duration(medianLatency(deliveries));
  const bars = deliveries.toReversed().map(({ id, outcome, latencyMs }) => ({
    id,
    isGood: outcome === 'delivered',
    value: latencyMs,
  }));
  return (
    <div class="attempts">
      <Sparkline bars={bars} places={SHOWN} label={texts.spark(good, deliveries.length, median)} />
      <span class="muted small no-wrap" aria-hidden="true">
        {deliveries.length === 0 ? '–' : `${texts.attempts(good, deliveries.length)} · ${median}`}
      </span>
    </div>
  );
}
