import type { OutboundResult, OutboundSender, Telemetry } from '../../ports/index.ts';
import { failSpan, inSpan } from './tracing.ts';

/** Returns the same sender with its POSTs counted, timed and traced. The customer's address is not recorded. */
export function observeSender(sender: OutboundSender, telemetry: Telemetry): OutboundSender {
  return {
    ...sender,
    post: (request) =>
      inSpan('kalends.deliver', { kind: 'client' }, async (span) => {
        const outcome = await sender.post(request);
        const result = resultOf(outcome);
        if (outcome.status !== null) span.setAttribute('http.response.status_code', outcome.status);
        if (result !== '2xx') failSpan(span, { code: result });
        telemetry.count('kalends_deliveries_total', { result });
        telemetry.observe('kalends_delivery_duration_seconds', { result }, outcome.latencyMs / 1_000);
        return outcome;
      }),
  };
}

function resultOf({ status, failure }: OutboundResult): string {
  return status === null ? (failure ?? 'connection') : `${Math.floor(status / 100)}xx`;
}
