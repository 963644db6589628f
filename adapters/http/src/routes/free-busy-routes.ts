import { accountsFreeBusyQuery, accountsFreeBusyResult, freeBusyQuery, freeBusyResult } from 'kalends/model';
import { bodyOf, parameter, type Route } from '../route.ts';
import { EXPIRED_ACCOUNT, PROVIDER_FAILURES } from './mirrored-answer.ts';

export const freeBusyRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/freeBusy/{endUserAccountId}',
    operationId: 'queryFreeBusy',
    tag: 'Free/busy',
    summary: 'Busy slots of calendars within a window',
    description:
      'Slots are merged, clipped to the window and ascending, in `timeZone`. Events that are cancelled, shown as free or declined by the account do not count. A calendar that is not there makes the whole request 404.',
    access: 'key',
    onlyReads: true,
    body: { schema: freeBusyQuery, required: true },
    answers: [
      { status: 200, description: 'One element for each requested calendar, in that order.', schema: freeBusyResult },
    ],
    errors: ['NotFound', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({
      body: await call.engine.freeBusy.query(call.caller, parameter(call, 'endUserAccountId'), bodyOf(call)),
    }),
  },
  {
    method: 'post',
    path: '/v1/freeBusy',
    operationId: 'queryFreeBusyOfAccounts',
    tag: 'Free/busy',
    summary: 'Extension: busy slots of many accounts within a window',
    description:
      'Accounts may be of several providers. One that cannot be read has an `error` in place of its calendars, and costs the others nothing; an account that is not there makes the whole request 404. People who are not connected are asked for by their `addresses`, through an account. Slots are as in the answer for one account.',
    access: 'key',
    onlyReads: true,
    body: { schema: accountsFreeBusyQuery, required: true },
    answers: [
      {
        status: 200,
        description: 'One element for each account, then for each address, in that order.',
        schema: accountsFreeBusyResult,
      },
    ],
    errors: ['NotFound'],
    handle: async (call) => ({ body: await call.engine.freeBusy.queryAccounts(call.caller, bodyOf(call)) }),
  },
];
