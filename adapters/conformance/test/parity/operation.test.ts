import { expect, test } from 'vitest';
import { operationOf, pathOf } from '../../src/parity/operation.ts';

test.each([
  ['POST', 'https://oauth2.googleapis.com/token', '/google/token', 'POST /token'],
  ['GET', 'https://www.googleapis.com/oauth2/v3/certs', '/google/oauth2/v3/certs', 'GET /keys'],
  [
    'PATCH',
    'https://www.googleapis.com/calendar/v3/calendars/a%2Fb/events/token2',
    '/google/calendar/v3/calendars/c/events/d',
    'PATCH /calendars/{id}/events/{id}',
  ],
  [
    'POST',
    'https://login.microsoftonline.com/contoso.example/oauth2/v2.0/token',
    '/microsoft/common/oauth2/v2.0/token',
    'POST /token',
  ],
  [
    'GET',
    'https://login.microsoftonline.com/contoso.example/discovery/v2.0/keys',
    '/microsoft/common/discovery/v2.0/keys',
    'GET /keys',
  ],
  [
    'GET',
    'https://graph.microsoft.com/v1.0/me/calendars/AAMk=/calendarView/delta',
    '/microsoft/v1.0/me/calendars/x/calendarView/delta',
    'GET /me/calendars/{id}/calendarView/delta',
  ],
])('%s %s is the operation of its stand-in', (method, live, standIn, operation) => {
  expect(operationOf(method, pathOf(new URL(live)))).toBe(operation);
  expect(operationOf(method, pathOf(new URL(standIn, 'http://127.0.0.1:4040')))).toBe(operation);
});
