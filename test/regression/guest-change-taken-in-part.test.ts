import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { body, eventsPath, expectProblem } from '../interface/steps.ts';
import { createWorld, type Json, type World } from '../interface/world.ts';

// Google may answer a guest's change with 200, keep their own fields and ignore the organizer's.
let world: World;
beforeAll(async () => {
  const ignoring = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    if (request.method !== 'PATCH') return world.sandbox.fetch(request);
    const { summary: _, ...sent } = JSON.parse(await request.text());
    const { headers, method } = request;
    return world.sandbox.fetch(new Request(request.url, { method, headers, body: JSON.stringify(sent) }));
  };
  const limits = { callsPerInterval: Number.POSITIVE_INFINITY };
  world = await createWorld({
    providers: {
      PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), fetch: ignoring, limits }),
      PROVIDER_B: microsoft(microsoftEndpoints('http://sandbox.test/microsoft')),
    },
  });
});
afterAll(() => world.close());

test('a change of a guest that Google takes in part is refused with the field, and the part is mirrored', async () => {
  const [organizer, guest] = [
    await world.connect('google', 'ann@x.example'),
    await world.connect('google', 'bob@x.example'),
  ];
  const sent = { title: 'Meeting', start: { dateTime: '2027-05-03T09:00:00Z' }, attendees: [{ email: guest.email }] };
  const { iCalUid } = body(await world.call('POST', eventsPath(organizer), { body: sent }), 201);
  const { data } = body(await world.call('GET', eventsPath(guest)));
  const { id } = data.find((event: Json) => event.iCalUid === iCalUid);
  const changed = { title: 'Mine', colorId: '4' };
  expectProblem(await world.call('PUT', eventsPath(guest, id), { body: changed }), 403, 'Forbidden', 'title');
  expect(body(await world.call('GET', eventsPath(guest, id)))).toMatchObject({ title: 'Meeting', colorId: '4' });
});
