import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox } from '@kalends/sandbox';
import type { Actor } from 'kalends';
import { ProviderError } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { fakeProvider } from '../accounts/fake-provider.ts';

const OPERATOR: Actor = { type: 'admin', id: 'ada', address: '192.0.2.9' };
const CLIENT = { clientId: 'known', clientSecret: 'right' };

async function openProviders() {
  const sandbox = createSandbox({ seed: 3 });
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  for (const name of ['google', 'microsoft'] as const) sandbox[name].addClient({ ...CLIENT, redirectUris: [] });
  const composed = await openComposedEngine({
    providers: {
      GOOGLE: google(googleEndpoints(`${url}/google`)),
      MICROSOFT: microsoft(microsoftEndpoints(`${url}/microsoft`)),
      FAKE: fakeProvider(() => 0).provider,
    },
  });
  return { ...composed, sandbox };
}

describe('the test of an OAuth client', () => {
  it('tells an accepted client from a wrong id and a wrong secret, and how to mend it', async () => {
    const { engine, applicationId, sandbox } = await openProviders();
    const { oauthClients } = engine.services;
    const test = async (providerType: string, client: typeof CLIENT) => {
      await oauthClients.set(applicationId, providerType, client);
      const { outcome, message } = await oauthClients.test(applicationId, providerType);
      return [outcome, message];
    };
    const unknown = { ...CLIENT, clientId: 'unknown' };
    const wrong = { ...CLIENT, clientSecret: 'wrong' };

    expect(await test('GOOGLE', CLIENT)).toEqual(['accepted', expect.stringMatching(/accepts the client/)]);
    expect(await test('GOOGLE', unknown)).toEqual(['refused', expect.stringMatching(/client id is unknown: copy it/)]);
    expect(await test('GOOGLE', wrong)).toEqual(['refused', expect.stringMatching(/client secret is wrong: copy it/)]);

    expect(await test('MICROSOFT', CLIENT)).toEqual(['accepted', expect.stringMatching(/accepts the client/)]);
    expect(await test('MICROSOFT', unknown)).toEqual([
      'refused',
      expect.stringMatching(/client id is unknown .*AADSTS700016/),
    ]);
    expect(await test('MICROSOFT', wrong)).toEqual([
      'refused',
      expect.stringMatching(/copy the Value of the secret .*AADSTS7000215/),
    ]);
    sandbox.microsoft.controls['setSecretExpired']?.({ clientId: CLIENT.clientId });
    expect(await test('MICROSOFT', CLIENT)).toEqual([
      'refused',
      expect.stringMatching(/secret has expired: create a new one .*AADSTS7000222/),
    ]);
    sandbox.microsoft.controls['setSecretExpired']?.({ clientId: CLIENT.clientId, expired: false });
    expect(await test('MICROSOFT', CLIENT)).toEqual(['accepted', expect.any(String)]);
  });

  it.each([
    ['unavailable', 'the service is down'],
    ['timeout', 'no answer within 30 s'],
    ['rate-limited', 'too many requests'],
  ] as const)('is not decided by a provider that is %s', async (reason, message) => {
    const { engine, applicationId, fake } = await openComposedEngine();
    fake.failures.set('refresh', new ProviderError(reason, message));
    expect(await engine.services.oauthClients.test(applicationId, 'FAKE')).toEqual({
      outcome: 'unavailable',
      message: expect.stringContaining(message),
    });
  });

  it('is in the audit log with who asked', async () => {
    const { engine, applicationId } = await openComposedEngine();
    const { oauthClients, audit } = engine.services;
    await oauthClients.test(applicationId, 'FAKE', OPERATOR);
    const { providerId } = await oauthClients.get(applicationId, 'FAKE');
    const { data } = await audit.list({ action: 'oauthClient.tested' });
    expect(data).toMatchObject([{ applicationId, target: providerId, actor: OPERATOR, changed: [] }]);
  });

  it('is refused without a client, and for another application, without an entry', async () => {
    const { engine, applicationId, fake } = await openComposedEngine();
    const { oauthClients, applications, audit } = engine.services;
    const other = await applications.create({ name: 'Other' });
    expect(await failureOf(oauthClients.test(applicationId, 'OTHER'))).toMatchObject({ code: 'NotFound' });
    expect(await failureOf(oauthClients.test(other.id, 'FAKE'))).toMatchObject({ code: 'NotFound' });
    expect(fake.calls).not.toContain('refresh');
    expect((await audit.list({ action: 'oauthClient.tested' })).data).toEqual([]);
  });
});
