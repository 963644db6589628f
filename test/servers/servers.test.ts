import { expect, inject, it } from 'vitest';

it.each(inject('calendarServers'))('$name answers the principal of a user', async ({ url, alice }) => {
  const credentials = Buffer.from(`${alice.username}:${alice.password}`).toString('base64');
  const answer = await fetch(url, {
    method: 'PROPFIND',
    headers: { authorization: `Basic ${credentials}`, depth: '0', 'content-type': 'application/xml' },
    body: '<?xml version="1.0"?><propfind xmlns="DAV:"><prop><current-user-principal/></prop></propfind>',
  });
  expect([answer.status, await answer.text()]).toEqual([207, expect.stringContaining(alice.username)]);
});
