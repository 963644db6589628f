import { encoded, items, listAll } from './api.ts';
import type { Scene } from './scene.ts';

/** Lists, creates, changes and deletes calendars. Resolves with the primary calendar's id. */
export async function calendarsChapter(scene: Scene, accountId: string): Promise<string> {
  const { api, narrator, providerType } = scene;
  narrator.chapter(`${providerType}: calendars`);
  const path = `/v1/calendars/${accountId}`;

  const first = await listAll(api, path, {});
  narrator.say(
    `  ${first.items.map(({ name, timeZone, readOnly }) => `${name} (${timeZone}${readOnly ? ', read-only' : ''})`).join(', ')}`,
  );
  const primary = first.items.find(({ isPrimary }) => isPrimary === true);
  narrator.check(primary !== undefined, 'one calendar is the primary one', first.items);
  narrator.check(
    first.items.some(({ isShared, readOnly }) => isShared === true && readOnly === true),
    'one is shared and read-only',
    first.items,
  );

  const created = await api.expect(
    'POST',
    path,
    { name: 'Tour', hexColor: '#16a765', timeZone: 'Asia/Kathmandu' },
    201,
  );
  const id = encoded(created.id);
  narrator.check(
    created.name === 'Tour' && created.hexColor === '#16a765' && created.timeZone === 'Asia/Kathmandu',
    'POST creates one, with colour and zone',
    created,
  );
  const updated = await api.expect('PUT', `${path}/${id}`, { name: 'Tour of kalends' }, 200);
  narrator.check(
    updated.name === 'Tour of kalends' && updated.timeZone === 'Asia/Kathmandu',
    'PUT changes what it is sent and nothing else',
    updated,
  );
  const read = await api.expect('GET', `${path}/${id}`);
  narrator.check(read.name === 'Tour of kalends', 'GET answers the same', read);

  const changed = items(await api.expect('GET', `${path}?syncToken=${encoded(first.syncToken)}`));
  narrator.check(
    changed.length === 1 && changed[0]?.id === created.id,
    'the sync token of the first list brings just the new calendar',
    changed,
  );

  await api.expect('DELETE', `${path}/${id}`, undefined, 200);
  const gone = await api.call('GET', `${path}/${id}`);
  narrator.check(gone.status === 404, 'DELETE removes it', gone.body);
  const refused = await api.call('DELETE', `${path}/${encoded(primary?.id)}`);
  narrator.check(
    refused.status === 403 && refused.body.code === 'Forbidden',
    'the primary calendar cannot be deleted (403)',
    refused.body,
  );
  return String(primary?.id);
}
