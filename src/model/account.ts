import { z } from 'zod';
import { dateTimeText, describedAs, timestamps } from './primitives.ts';

export const accountStatus = z
  .enum(['ACTIVE', 'EXPIRED'])
  .describe('EXPIRED: the provider refuses the refresh token, and the person has to connect the mailbox again.');

/** Spec §2.1. */
export const endUserAccount = z
  .object({
    id: z.string().describe('Id of the account, `acc_…`.'),
    ...timestamps,
    email: z.string().describe('E-mail address of the mailbox.'),
    externalId: z.string().nullable().describe("The application's own id of the person; null without one."),
    authorizedScopes: z.array(z.string()).describe('Scopes that the person has granted to the application.'),
    providerAccountId: z.string().nullable().describe("The provider's id of the account; null where it is unknown."),
    providerId: z.string().describe("Id of the application's OAuth client at the provider, `prv_…`."),
    applicationId: z.string().describe('Id of the application that the account belongs to, `app_…`.'),
    status: accountStatus,
    providerType: z.string().meta({ description: 'The key under which the provider is registered.' }),
  })
  .meta({ id: 'EndUserAccount', description: 'A mailbox that an end user has connected.' });

/** Spec §2.2. */
export const credentials = z
  .object({
    id: z.string().describe('Id of the credentials, `crd_…`.'),
    endUserAccountId: z.string().describe('Id of their account.'),
    accessToken: z.string().describe('Access token of the provider, valid for five more minutes at least.'),
    refreshToken: z.string().describe('Refresh token of the provider.'),
    expiresAt: dateTimeText.describe('Expiry of the access token.'),
    status: z
      .enum(['ACTIVE', 'EXPIRED', 'REVOKED'])
      .describe('EXPIRED: the provider refuses the refresh token. REVOKED: access was withdrawn.'),
    ...timestamps,
  })
  .meta({ id: 'EndUserAccountCredentials', description: 'Tokens of an account at its provider.' });

const email = z.email('must be an e-mail address').max(320, 'must be at most 320 characters');

/** Body of POST /v1/endUserAccounts. */
export const accountUpsert = z
  .strictObject(
    describedAs(endUserAccount.shape, {
      email,
      providerType: z.string().min(1),
      refreshToken: z
        .string()
        .min(1, 'must not be empty')
        .max(16_384, 'must be at most 16384 characters')
        .describe('Refresh token of the provider. It is used once, to prove it, before anything is changed.'),
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
  .meta({
    id: 'EndUserAccountUpsert',
    description: 'Creates an account, or replaces the credentials of the account of the same mailbox.',
  });
