import { corruptingFetch } from '@kalends/conformance';
import { expect, test } from 'vitest';

const answer = () => Response.json({ items: [{ id: 'one', start: 'now', exceptions: { two: { start: 'now' } } }] });

test('an object is spoiled at any depth, until it is restored', async () => {
  const { fetch, corrupt } = corruptingFetch(
    (event) => ({ ...event, start: 'soon' }),
    async () => answer(),
  );
  const restore = await corrupt('one');
  expect(await (await fetch('http://calendar.test')).json()).toMatchObject({ items: [{ id: 'one', start: 'soon' }] });
  await restore();
  expect(await (await fetch('http://calendar.test')).json()).toEqual(await answer().json());
});

test('a corruption that met no object says so', async () => {
  const { fetch, corrupt } = corruptingFetch(
    (event) => ({ ...event, start: 'soon' }),
    async () => answer(),
  );
  const restore = await corrupt('two');
  expect(await (await fetch('http://calendar.test')).json()).toEqual(await answer().json());
  await expect(restore()).rejects.toThrow('no answer had an object with the id two');
});
