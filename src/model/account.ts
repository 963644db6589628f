import { z } from 'zod';
import { dateTimeText } from './primitives.ts';

export const accountStatus = z.enum(['ACTIVE', 'EXPIRED']);
export type AccountStatus = z.infer<typeof accountStatus>;

/** Spec §2.1. */
export const endUserAccount = z
  .object({
    id: z.string(),
    createdAt: dateTimeText,
    updatedAt: dateTimeText,
    email: z.string(),
    externalId: z.string().nullable(),
    authorizedScopes: z.array(z.string()),
    providerAccountId: z.string().nullable(),
    providerId: z.string(),
    applicationId: z.string(),
    status: accountStatus,
    providerType: z.string().meta({ description: 'The key under which the provider is registered.' }),
  })
  .meta({ id: 'EndUserAccount' });
export type EndUserAccount = z.infer<typeof endUserAccount>;

/** Spec §2.2. */
export const credentials = z
  .object({
    id: z.string(),
    endUserAccountId: z.string(),
    accessToken: z.string(),
    refreshToken: z.string(),
    expiresAt: dateTimeText,
    status: z.enum(['ACTIVE', 'EXPIRED', 'REVOKED']),
    createdAt: dateTimeText,
    updatedAt: dateTimeText,
  })
  .meta({ id: 'EndUserAccountCredentials' });
export type Credentials = z.infer<typeof credentials>;

const email = z.email('must be an e-mail address').max(320, 'must be at most 320 characters');

/** Body of POST /v1/endUserAccounts. */
export const accountUpsert = z
  .strictObject({
    email,
    providerType: z.string().min(1),
    refreshToken: z.string().min(1, 'must not be empty').max(16_384, 'must be at most 16384 characters'),
    externalId: z.string().max(255, 'must be at most 255 characters').nullable().optional(),
    authorizedScopes: z.array(z.string().max(512)).max(100).optional(),
  })
  .meta({ id: 'EndUserAccountUpsert' });
export type AccountUpsert = z.input<typeof accountUpsert>;
