import { expect, it } from 'vitest';
import { innerFailure, readFailure } from '../../src/protocol/failure.ts';
import { caldavName, dav } from '../../src/protocol/names.ts';

/** An error as SabreDAV writes it: its own elements come first. */
const sabre = (exception: string, message: string, preconditions = '') =>
  `<?xml version="1.0" encoding="utf-8"?>
<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">
  <s:sabredav-version>4.6.0</s:sabredav-version>
  <s:exception>Sabre\\${exception}</s:exception>
  <s:message>${message}</s:message>
  ${preconditions}
</d:error>`;

const CAL = 'xmlns:cal="urn:ietf:params:xml:ns:caldav"';
const PRIVILEGES = '<d:need-privileges><d:resource><d:href>/</d:href></d:resource></d:need-privileges>';
const IN_BIN = 'Deleted calendar object with uid already exists in this calendar collection.';
const TWICE = 'Calendar object with uid already exists in this calendar collection.';

it.each([
  [
    403,
    sabre('InvalidSyncToken', 'Invalid or unknown', '<d:valid-sync-token/>'),
    'sync-token-expired',
    'valid-sync-token',
  ],
  [
    403,
    sabre('InvalidComponentType', 'only VTODO', `<cal:supported-calendar-component ${CAL}/>`),
    'invalid',
    'supported-calendar-component',
  ],
  [403, sabre('NeedPrivileges', 'no', PRIVILEGES), 'forbidden', 'need-privileges'],
  [400, sabre('BadRequest', IN_BIN), 'conflict', 'no-uid-conflict'],
  [400, sabre('BadRequest', TWICE), 'conflict', 'no-uid-conflict'],
  [400, sabre('BadRequest', 'No'), 'invalid', undefined],
  [403, '<error xmlns="DAV:"><responsedescription>no</responsedescription><x/></error>', 'forbidden', 'x'],
  [
    403,
    `<D:error xmlns:D="DAV:"><D:need-privileges/><C:no-uid-conflict xmlns:C="urn:ietf:params:xml:ns:caldav"/></D:error>`,
    'conflict',
    'no-uid-conflict',
  ],
  [400, '<html><body>calendar object with uid already exists</body></html>', 'invalid', undefined],
])('%i with %j is %s', (status, text, reason, precondition) => {
  const failure = readFailure({ status, headers: new Headers(), text }, undefined);
  const detail = precondition === undefined ? '' : ` (${precondition})`;
  expect(failure).toMatchObject({ reason, status, message: `the server answered ${status}${detail}` });
});

it('reads the precondition inside a multistatus likewise', () => {
  const exception = '{http://sabredav.org/ns}exception' as const;
  expect(innerFailure(403, [exception, dav('need-privileges'), caldavName('no-uid-conflict')])).toMatchObject({
    reason: 'conflict',
    message: 'the server answered 403 inside 207 (no-uid-conflict)',
  });
  expect(innerFailure(403, [exception])).toMatchObject({
    reason: 'forbidden',
    message: 'the server answered 403 inside 207',
  });
});
