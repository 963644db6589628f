import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { body, eventsPath, expectProblem } from '../interface/steps.ts';
import { createWorld, type World } from '../interface/world.ts';

// A mail filter may rewrite the links of a body, and Teams may draw another line: neither marks the block then.
let world: World;
let isRewritten = false;
beforeAll(async () => {
  const rewriting = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const isHtml = (request.headers.get('prefer') ?? '').includes('body-content-type="html"');
    const response = await world.sandbox.fetch(request);
    if (!isRewritten || !isHtml) return response;
    const answer = (await response.json()) as { body: { content: string } };
    const content = answer.body.content
      .replaceAll(/_{30,}/g, '* * *')
      .replaceAll(/href="([^"]*)"/g, (_, url) => `href="https://links.example/?url=${encodeURIComponent(url)}"`);
    return Response.json({ ...answer, body: { ...answer.body, content } });
  };
  const endpoints = microsoftEndpoints('http://sandbox.test/microsoft');
  const limits = { callsPerInterval: Number.POSITIVE_INFINITY };
  world = await createWorld({
    providers: {
      PROVIDER_A: google(googleEndpoints('http://sandbox.test/google')),
      PROVIDER_B: microsoft({ ...endpoints, fetch: rewriting, limits }),
    },
  });
});
afterAll(() => world.close());

test('a description is not written over the block of an online meeting that has another form', async () => {
  const account = await world.connect('microsoft');
  const sent = {
    title: 'Meeting',
    start: { dateTime: '2026-03-02T09:00:00Z' },
    description: 'Plan',
    generateMeetingUrlProvider: 'teamsForBusiness',
  };
  const event = body(await world.call('POST', eventsPath(account), { body: sent }), 201);
  const put = (fields: object) => world.call('PUT', eventsPath(account, event.id), { body: fields });
  const { joinUrl } = event.conferenceData;
  expect(joinUrl).toMatch(/^https:/);

  isRewritten = true;
  expectProblem(await put({ description: 'New' }), 422, 'UnsupportedByProvider', 'description');
  expect(body(await put({ title: 'Renamed', description: 'Plan' }))).toMatchObject({ title: 'Renamed' });
  isRewritten = false;
  const changed = body(await put({ description: 'New' }));
  expect(changed).toMatchObject({ title: 'Renamed', description: 'New', conferenceData: { joinUrl } });
});
