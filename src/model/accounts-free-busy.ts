import { z } from 'zod';
import { accountCalendars, MOST_ADDRESSES } from './availability.ts';
import { busySlot, calendarBusySlots } from './free-busy.ts';
import { personAddress, WHY_UNKNOWN } from './not-connected.ts';

/** Body of POST /v1/freeBusy. */
export const accountsFreeBusyQuery = z
  .strictObject({
    startDateTime: z.string().describe('Start of the window: ISO 8601; without an offset, wall time in `timeZone`.'),
    endDateTime: z.string().describe('End of the window, exclusive; at most 366 days later.'),
    timeZone: z.string().describe('Zone of the times in the answer, by its IANA or Windows name.'),
    accounts: z
      .array(accountCalendars)
      .max(100, 'must name at most 100 accounts')
      .optional()
      .describe('Up to 100 accounts, with 1,000 calendars in all at most.'),
    addresses: z
      .array(personAddress)
      .max(MOST_ADDRESSES, `must name at most ${MOST_ADDRESSES} addresses`)
      .optional()
      .describe('Up to 100 people who are not connected. There is at least one of either.'),
    includeTypes: z
      .boolean()
      .optional()
      .describe('Whether slots have a type. Slots of different types are not merged.'),
  })
  .meta({ id: 'AccountsFreeBusyQuery', description: 'Accounts, and the window in which their busy time is wanted.' });

export const accountFreeBusy = z
  .object({
    endUserAccountId: z.string().describe('Id of the account, or of the one through which the person was asked for.'),
    email: z.string().optional().describe('Address of a person who is not connected; absent for an account.'),
    busySlots: z
      .array(busySlot)
      .optional()
      .describe('Busy time of the person, as the provider tells it; absent for an account, and if there is an error.'),
    calendars: z
      .array(calendarBusySlots)
      .optional()
      .describe('Busy time of each calendar; absent if there is an error.'),
    error: z.object(WHY_UNKNOWN).optional().describe('Why the busy time is not known.'),
  })
  .meta({ id: 'AccountFreeBusy', description: 'Busy time of one account or person, or why it is not known.' });

export const accountsFreeBusyResult = z.array(accountFreeBusy).meta({
  id: 'AccountsFreeBusyResult',
  description: 'One element for each account, and then for each address, in the order of the request.',
});
