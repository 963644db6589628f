import type { Actor } from 'kalends';
import { ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { failureOf, openComposedEngine, REDIRECT_URL } from '../accounts/composed-engine.ts';

const OPERATOR: Actor = { type: 'admin', id: 'ada', address: '192.0.2.9' };

describe('the audit log', () => {
  it('tells who did what to which object, newest first, without any value', async () => {
    const { engine, applicationId, caller, connect, clock } = await openComposedEngine();
    const { applications, oauthClients, apiKeys, accounts, webhookEndpoints, audit } = engine.services;
    await clock.advance(1_000);
    const accountId = await connect();
    await connect();
    await applications.update(applicationId, { name: 'Renamed' }, OPERATOR);
    await applications.addRedirectUrl(applicationId, { url: 'https://other.example/back' }, OPERATOR);
    await applications.addRedirectUrl(applicationId, { url: 'https://other.example/back' }, OPERATOR);
    await applications.removeRedirectUrl(applicationId, { url: REDIRECT_URL }, OPERATOR);
    const secret = { clientId: 'client', clientSecret: 'a new secret' };
    const client = await oauthClients.set(applicationId, 'OTHER', secret, OPERATOR);
    const { apiKey } = await apiKeys.create(
      applicationId,
      { name: 'CI', expiresAt: '90d' },
      { type: 'command', id: 'root' },
    );
    await apiKeys.revoke(applicationId, apiKey.id, OPERATOR);
    const { webhookEndpointId } = await webhookEndpoints.create(caller, {
      webhookUrl: 'https://receiver.example/hook',
    });
    await webhookEndpoints.rotateSecret({ ...caller, address: '198.51.100.7' }, webhookEndpointId);
    await accounts.getCredentials({ ...caller, address: '198.51.100.7' }, accountId);
    await oauthClients.remove(applicationId, 'OTHER', OPERATOR);
    await accounts.delete({ applicationId }, accountId);

    const { data } = await audit.list({ applicationId, from: new Date(clock.now()).toISOString() });
    const told = data.map(({ action, target, actor: { type, id, address }, changed }) =>
      [action, target, type, id, address, ...changed].join(' '),
    );
    // All of one millisecond.
    expect(told.toReversed()).toEqual([
      `account.connected ${accountId} key key_test `,
      `account.reconnected ${accountId} key key_test `,
      `application.updated ${applicationId} admin ada 192.0.2.9 name`,
      `application.updated ${applicationId} admin ada 192.0.2.9 redirectUrls`,
      `application.updated ${applicationId} admin ada 192.0.2.9 redirectUrls`,
      `oauthClient.set ${client.providerId} admin ada 192.0.2.9 clientId clientSecret`,
      `apiKey.created ${apiKey.id} command root  name expiresAt`,
      `apiKey.revoked ${apiKey.id} admin ada 192.0.2.9`,
      `webhookSecret.rotated ${webhookEndpointId} key key_test 198.51.100.7`,
      `credentials.read ${accountId} key key_test 198.51.100.7`,
      `oauthClient.removed ${client.providerId} admin ada 192.0.2.9`,
      `account.deleted ${accountId} embedded  `,
    ]);
    const text = JSON.stringify(data);
    for (const value of ['example.com', 'a new secret', 'Renamed', 'other.example']) expect(text).not.toContain(value);
  });

  it('names kalends for a grant that the provider ended', async () => {
    const { engine, connect, fake, caller, clock } = await openComposedEngine();
    const { accounts, audit } = engine.services;
    const accountId = await connect();
    fake.failures.set('refresh', new ProviderError('invalid-grant', 'The grant was revoked.'));
    await clock.advance(3_600_000);
    await accounts.getCredentials(caller, accountId);
    const { data } = await audit.list({ action: 'account.expired' });
    expect(data).toMatchObject([{ target: accountId, actor: { type: 'system', id: null, address: null } }]);
  });

  it('has no entry of a change that was refused', async () => {
    const { engine, applicationId } = await openComposedEngine();
    const { applications, oauthClients, apiKeys, audit } = engine.services;
    const before = await audit.list();
    const refused = [
      applications.create({ name: '' }),
      applications.update('app_none', { name: 'x' }),
      applications.update(applicationId, {}),
      applications.addRedirectUrl(applicationId, { url: 'ftp://example.com' }),
      applications.removeRedirectUrl(applicationId, { url: 'https://never.example/' }),
      oauthClients.remove(applicationId, 'OTHER'),
      apiKeys.create(applicationId, { name: 'x', expiresAt: '2020-01-01' }),
      apiKeys.revoke(applicationId, 'key_none'),
    ];
    expect((await Promise.all(refused.map(failureOf))).map(({ code }) => code)).toEqual([
      'InvalidRequest',
      'NotFound',
      'InvalidRequest',
      'InvalidRequest',
      'NotFound',
      'NotFound',
      'InvalidRequest',
      'NotFound',
    ]);
    expect(await audit.list()).toEqual(before);
  });

  it('is read in pages that keep their filters', async () => {
    const { engine, applicationId } = await openComposedEngine();
    const { applications, audit } = engine.services;
    for (let index = 0; index < 5; index += 1) await applications.update(applicationId, { name: `Name ${index}` });
    const filter = { target: applicationId, action: 'application.updated' };
    const first = await audit.list({ ...filter, limit: '3' });
    const rest = await audit.list({ pageToken: first.nextPageToken ?? '' });
    expect(first.data).toHaveLength(3);
    expect(rest).toMatchObject({ nextPageToken: null, data: [filter, filter] });
    expect(await failureOf(audit.list({ from: 'yesterday' }))).toMatchObject({ details: [{ path: 'from' }] });
    expect(await failureOf(audit.list({ pageToken: first.nextPageToken ?? '', target: 'x' }))).toMatchObject({
      code: 'InvalidPageToken',
    });
  });
});
