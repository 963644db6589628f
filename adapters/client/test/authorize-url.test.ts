import { authorizeUrl } from '@kalends/client';
import { expect, it } from 'vitest';

it('builds the URL that connects a mailbox', () => {
  const target = { baseUrl: 'https://calendar.example/api/', applicationId: 'app_1', providerType: 'PROVIDER_A' };
  expect(authorizeUrl(target)).toBe('https://calendar.example/api/v1/oauth/authorize/app_1/provider_a');
  const url = new URL(
    authorizeUrl({
      ...target,
      prompt: 'consent',
      loginHint: 'ada+x@example.com',
      redirectUrl: 'https://app.example/back?a=b&c=d',
      state: 'c3RhdGU=',
      externalId: 'Ö 7',
    }),
  );
  expect(Object.fromEntries(url.searchParams)).toEqual({
    prompt: 'consent',
    loginHint: 'ada+x@example.com',
    redirectUrl: 'https://app.example/back?a=b&c=d',
    state: 'c3RhdGU=',
    externalId: 'Ö 7',
  });
});
