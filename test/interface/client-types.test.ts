import {
  ApiError,
  type Calendar,
  type CalendarEvent,
  type Client,
  ERROR_CODES,
  type WebhookMessage,
} from '@kalends/client';
import type { verifyWebhook } from '@kalends/client/webhooks';
import { type EngineOptions, ERROR_STATUS, type ErrorCode } from 'kalends';
import type * as model from 'kalends/model';
import { describe, expect, expectTypeOf, it } from 'vitest';

/* Save for the error codes, the compiler checks these when the tests are type-checked. */

declare const client: Client;

describe('the types of the client', () => {
  it('are those of the core', () => {
    expectTypeOf<CalendarEvent>().toEqualTypeOf<model.CalendarEvent>();
    expectTypeOf<Calendar>().toEqualTypeOf<model.Calendar>();
    expectTypeOf<WebhookMessage>().toEqualTypeOf<model.WebhookMessage>();
    expectTypeOf<Parameters<Client['events']['create']>[2]>().toEqualTypeOf<model.EventCreate>();
    expectTypeOf<Awaited<ReturnType<Client['freeBusy']>>>().toEqualTypeOf<model.FreeBusyResult>();
    expectTypeOf<Awaited<ReturnType<Client['availability']>>>().toEqualTypeOf<model.AvailabilityResult>();
  });

  it('refuse a field that no query has', () => {
    const misspelt = () => [
      // @ts-expect-error The field is `search`.
      client.accounts.list({ serach: 'ada' }),
      // @ts-expect-error The field is `timeZone`.
      client.events.list('acc_1', 'c', { timezone: 'UTC' }),
    ];
    expectTypeOf(misspelt).toBeFunction();
  });
});

/** Returns a text for each kind of message; the compiler knows which ones have `data`. */
function describeMessage(message: WebhookMessage): string {
  switch (message.eventType) {
    case 'calendar.event.changed':
    case 'calendar.event.unknown':
      expectTypeOf(message).toEqualTypeOf<model.CalendarMessage>();
      // @ts-expect-error A message about a calendar has no data.
      return `${message.timestamp} ${message.data}`;
    case 'event.created':
    case 'event.updated':
    case 'event.deleted':
      expectTypeOf(message).toEqualTypeOf<model.EventMessage>();
      return message.data.revision;
    case 'enduseraccount.deleted':
      return message.data.endUserAccountId;
    case 'enduseraccount.created':
    case 'enduseraccount.updated':
    case 'enduseraccount.credential.updated':
      expectTypeOf(message).toEqualTypeOf<model.AccountMessage>();
      return message.data.email;
  }
}

describe('a message', () => {
  it('is narrowed by its eventType', () => {
    expectTypeOf(describeMessage).returns.toEqualTypeOf<string>();
    expectTypeOf<ReturnType<typeof verifyWebhook>['message']>().toEqualTypeOf<model.WebhookMessage>();
    type Handler = NonNullable<EngineOptions['onMessage']>;
    expectTypeOf<Parameters<Handler>[0]>().toEqualTypeOf<model.WebhookMessage>();
  });
});

describe('the code of an ApiError', () => {
  it('is the union of the documented codes, and Unknown', () => {
    expectTypeOf<ApiError['code']>().toEqualTypeOf<ErrorCode | 'Unknown'>();
    const isGone = (error: ApiError): boolean => {
      // @ts-expect-error There is no such code.
      if (error.code === 'SyncTokenExpird') return false;
      return error.code === 'SyncTokenExpired';
    };
    expectTypeOf(isGone).returns.toEqualTypeOf<boolean>();
  });

  it('is in the list that the client has', () => {
    expect([...ERROR_CODES].sort()).toEqual(Object.keys(ERROR_STATUS).sort());
    expect(ApiError.name).toBe('ApiError');
  });
});
