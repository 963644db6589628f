import { availabilityExplainQuery, availabilityQuery, availabilityResult, slotExplanation } from 'kalends/model';
import { bodyOf, type Route } from '../route.ts';
import { EXPIRED_ACCOUNT, PROVIDER_FAILURES } from './mirrored-answer.ts';

const FAILURES = [
  'NotFound',
  'UnsupportedByProvider',
  ...EXPIRED_ACCOUNT,
  'CalendarSyncing',
  ...PROVIDER_FAILURES,
] as const;

export const availabilityRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/availability',
    operationId: 'queryAvailability',
    tag: 'Availability',
    summary: 'Times at which participants can meet',
    description:
      'Participants are busy by the calendars of their accounts, of any providers, and by the intervals of the request. An account that cannot be read fails the whole request, which names it: a calendar that was not read is not free. People who are not connected are asked for by their addresses, through an account; `notConnected` marks them. Slots do not start before now.',
    access: 'key',
    onlyReads: true,
    body: { schema: availabilityQuery, required: true },
    answers: [{ status: 200, description: 'A page of slots, or of ranges.', schema: availabilityResult }],
    errors: ['InvalidPageToken', ...FAILURES],
    handle: async (call) => ({ body: await call.engine.availability.query(call.caller, bodyOf(call)) }),
  },
  {
    method: 'post',
    path: '/v1/availability/explain',
    operationId: 'explainAvailability',
    tag: 'Availability',
    summary: 'Why a slot is offered, or why not',
    description:
      'Takes the query and the start of a slot, and answers every rule that stands against it, with the busy time or booking in the way.',
    access: 'key',
    onlyReads: true,
    body: { schema: availabilityExplainQuery, required: true },
    answers: [{ status: 200, description: 'The rules that stand against the slot.', schema: slotExplanation }],
    errors: FAILURES,
    handle: async (call) => ({ body: await call.engine.availability.explain(call.caller, bodyOf(call)) }),
  },
];
