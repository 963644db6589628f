import { KalendsError } from 'kalends';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorWords } from '../src/words/error-words.ts';
import { bodyFieldName, namingFields } from '../src/words/named-fields.ts';
import { createMcpWorld, type McpClient, type McpWorld } from './mcp-world.ts';

let world: McpWorld;
let agent: McpClient;
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
});
afterAll(() => world.close());

const refused = async (name: string, input: Readonly<Record<string, unknown>>) => {
  const { text, isError } = await agent.call(name, input);
  expect(isError, text).toBe(true);
  return text;
};

it('an error names the account of several that it is about', async () => {
  const { google, microsoft } = world.accounts;
  const window = { from: '2027-01-20', to: '2027-01-20', durationMinutes: 30 };
  const people = (second: object) => ({ participants: [{ accountId: google }, second] });
  const unknown = people({ accountId: 'acc_unknown' });
  expect(await refused('find_meeting_times', { ...unknown, ...window })).toContain('about "accountId acc_unknown"');
  expect(await refused('hold_slot', { ...unknown, start: '2027-01-20T10:00' })).toContain(
    'about "accountId acc_unknown"',
  );
  const elsewhere = people({ accountId: microsoft, calendarIds: ['elsewhere'] });
  expect(await refused('find_meeting_times', { ...elsewhere, ...window })).toContain(`about "accountId ${microsoft}`);
  expect(
    await refused('explain_meeting_time', { ...elsewhere, durationMinutes: 30, start: '2027-01-20T10:00' }),
  ).toContain(`about "accountId ${microsoft}`);
  expect(await refused('hold_slot', { ...elsewhere, start: '2027-01-20T10:00' })).toContain(
    `calendarIds: one of them is no calendar of the account. Call list_calendars. It is about accountId "${microsoft}".`,
  );
});

it('an error names fields by the arguments that they come from', async () => {
  const message = 'is refused';
  const details = [
    { path: 'attendees.1.email', message },
    { path: 'end.dateTime', message: 'too late' },
  ];
  const error = new KalendsError('InvalidRequest', message, { details });
  const fieldOf = (email: string) => (email === 'b@x.example' ? 'addAttendees' : 'attendee');
  const named = namingFields(bodyFieldName(['a@x.example', 'b@x.example'], fieldOf), Promise.reject(error));
  const words = await named.then(String, errorWords);
  expect(words).toContain('  about "addAttendees b@x.example"\n  about "end": "too late"\n');
  expect(
    errorWords(new KalendsError('InvalidRequest', 'title: is long', { details: [{ path: 'title', message }] })),
  ).not.toContain('about "title"');
});
