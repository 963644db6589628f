import { KalendsError } from 'kalends';
import { expect, test } from 'vitest';
import { rejection } from '../../src/storage/rejection.ts';

test('a rejection that fails to come names the method and the code', async () => {
  const done = rejection('apiKeys.create', Promise.resolve(false), 'NotFound');
  await expect(done).rejects.toThrow('apiKeys.create: a rejection as NotFound was expected, not false');
  await expect(rejection('apiKeys.create', Promise.resolve())).rejects.toThrow(
    'apiKeys.create: a rejection was expected',
  );
});

test('one with another code names both, and any other error is thrown as it is', async () => {
  const other = rejection('mirror.commit', Promise.reject(new KalendsError('Conflict', 'moved')), 'NotFound');
  await expect(other).rejects.toThrow('mirror.commit: a rejection as NotFound was expected, not Conflict (moved)');
  const broken = new TypeError('no table');
  await expect(rejection('mirror.commit', Promise.reject(broken), 'NotFound')).rejects.toBe(broken);
  await rejection('mirror.commit', Promise.reject(broken));
});
