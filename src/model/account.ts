import { z } from 'zod';
import { besideOthers, dateTimeText, describedAs, timestamps } from './primitives.ts';
import { bearerSignIn, passwordSignIn, signIn, urlSignIn } from './sign-in.ts';

export const accountStatus = z
  .enum(['ACTIVE', 'EXPIRED'])
  .describe('EXPIRED: the provider refuses the credentials, and the person has to connect the mailbox again.');

/** Spec §2.1. */
export const endUserAccount = z
  .object({
    id: z.string().describe('Id of the account, `acc_…`.'),
    ...timestamps,
    email: z.string().describe('E-mail address of the mailbox.'),
    externalId: z.string().nullable().describe("The application's own id of the person; null without one."),
    authorizedScopes: z.array(z.string()).describe('Scopes that the person has granted to the application.'),
    providerAccountId: z.string().nullable().describe("The provider's id of the account; null where it is unknown."),
    providerId: z
      .string()
      .nullable()
      .describe("Id of the application's OAuth client at the provider, `prv_…`; null for a provider without OAuth."),
    applicationId: z.string().describe('Id of the application that the account belongs to, `app_…`.'),
    status: accountStatus,
    providerType: z.string().meta({ description: 'The key under which the provider is registered.' }),
  })
  .meta({ id: 'EndUserAccount', description: 'A mailbox that an end user has connected.' });

const stored = {
  id: z.string().describe('Id of the credentials, `crd_…`.'),
  endUserAccountId: z.string().describe('Id of their account.'),
};

const state = {
  status: z
    .enum(['ACTIVE', 'EXPIRED', 'REVOKED'])
    .describe('EXPIRED: the provider refuses the credentials. REVOKED: access was withdrawn.'),
  ...timestamps,
};

/** Spec §2.2. */
export const tokenCredentials = z
  .object({
    ...stored,
    accessToken: z
      .string()
      .describe(
        'Access token of the provider. Of an ACTIVE account valid for five more minutes at least, while the provider can be reached; of an EXPIRED one the last token.',
      ),
    refreshToken: z.string().describe('Refresh token of the provider.'),
    expiresAt: dateTimeText.describe('Expiry of the access token.'),
    ...state,
  })
  .meta({ id: 'TokenCredentials', description: 'Tokens of an account at a provider with OAuth.' });

const serverUrl = z.string().describe("URL of the account's calendars, or of their server.");

/** Like spec §2.2, with the credentials in place of the tokens: an extension. */
export const passwordCredentials = z
  .object({
    ...stored,
    kind: passwordSignIn.shape.kind,
    serverUrl,
    username: z.string().describe('User name at the server.'),
    password: z.string().describe('App password.'),
    ...state,
  })
  .meta({ id: 'PasswordCredentials', description: 'App password of an account at a provider without OAuth.' });

export const bearerCredentials = z
  .object({ ...stored, kind: bearerSignIn.shape.kind, serverUrl, token: z.string().describe('The token.'), ...state })
  .meta({ id: 'BearerCredentials', description: 'Token of an account at a provider without OAuth.' });

export const urlCredentials = z
  .object({ ...stored, kind: urlSignIn.shape.kind, url: z.string().describe('URL of the feed.'), ...state })
  .meta({ id: 'UrlCredentials', description: 'Address of an account that is a feed.' });

export const credentials = z.union([tokenCredentials, passwordCredentials, bearerCredentials, urlCredentials]).meta({
  id: 'EndUserAccountCredentials',
  description: 'Credentials of an account at its provider: tokens, or, with `kind`, those of a provider without OAuth.',
});

const email = z.email('must be an e-mail address').max(320, 'must be at most 320 characters');

/** Body of POST /v1/endUserAccounts. */
export const accountUpsert = z
  .strictObject(
    describedAs(endUserAccount.shape, {
      email: email
        .optional()
        .describe(
          'E-mail address of the mailbox, which the provider has to confirm. It may be absent with `credentials`: then the provider names it.',
        ),
      providerType: z.string().min(1),
      refreshToken: z
        .string()
        .min(1, 'must not be empty')
        .max(16_384, 'must be at most 16384 characters')
        .optional()
        .describe(
          'Refresh token of a provider with OAuth. It is used once, to prove it, before anything is changed. Exactly one of `refreshToken` and `credentials` is given.',
        ),
      credentials: signIn
        .optional()
        .describe(
          'Credentials of a provider without OAuth. They are proved by a real request before anything is changed.',
        ),
      externalId: z
        .string()
        .max(255, 'must be at most 255 characters')
        .nullable()
        .optional()
        .describe("The application's own id of the person; null clears it, and without the field it stays."),
      authorizedScopes: z
        .array(z.string().max(512))
        .max(100)
        .optional()
        .describe('Scopes of the token, where the provider does not name them itself.'),
    }),
  )
  .superRefine(({ email: address, refreshToken, credentials: signsIn }, { addIssue }) => {
    if (refreshToken !== undefined && signsIn !== undefined) {
      const message = 'must not be given beside refreshToken';
      addIssue({ code: 'custom', path: ['credentials'], message });
    }
    if (refreshToken === undefined && signsIn === undefined) {
      addIssue({ code: 'custom', path: ['refreshToken'], message: 'is required, unless credentials are given' });
    }
    if (address === undefined && signsIn === undefined) {
      addIssue({ code: 'custom', path: ['email'], message: 'is required' });
    }
  }, besideOthers)
  .meta({
    id: 'EndUserAccountUpsert',
    description: 'Creates an account, or replaces the credentials of the account of the same mailbox.',
  });
