import { z } from 'zod';
import { dateTimeText, PAGE_SIZE, pageParameters } from './primitives.ts';

const name = z.string().trim().min(1, 'must not be empty').max(255, 'must be at most 255 characters');

/** Compared character by character later on, so it is kept exactly as given. */
const redirectUrl = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .refine(isRedirectUrl, 'must be an absolute http or https URL in ASCII, without user-info and fragment');

/** Most redirect URLs of one application. */
export const MOST_REDIRECT_URLS = 100;

const redirectUrls = z
  .array(redirectUrl)
  .max(MOST_REDIRECT_URLS, `must be at most ${MOST_REDIRECT_URLS} URLs`)
  .refine((urls) => new Set(urls).size === urls.length, 'must not repeat a URL')
  .meta({ description: 'Where the browser may return after a sign-in. Replaces the list; the first is the default.' });

/** An application: the tenant. */
export const application = z
  .object({
    id: z.string(),
    name: z.string(),
    redirectUrls: z.array(z.string()).meta({ description: 'Compared exactly; the first is the default.' }),
    status: z.enum(['ACTIVE', 'DELETING']),
    accountsLeft: z.number().optional().meta({
      description: 'Accounts that are still to be deleted, in the answer to GET while the status is DELETING.',
    }),
    createdAt: dateTimeText,
    updatedAt: dateTimeText,
  })
  .meta({ id: 'Application' });
export type Application = z.infer<typeof application>;

/** Body of POST /admin/v1/applications. */
export const applicationCreate = z
  .strictObject({ name, redirectUrls: redirectUrls.default([]) })
  .meta({ id: 'ApplicationCreate' });

/** Body of PUT /admin/v1/applications/{applicationId}. */
export const applicationUpdate = z
  .strictObject({ name: name.optional(), redirectUrls: redirectUrls.optional() })
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), 'must have name or redirectUrls')
  .meta({ id: 'ApplicationUpdate' });

/** Body of a request that adds a redirect URL. */
export const redirectUrlAdd = z.strictObject({ url: redirectUrl }).meta({ id: 'RedirectUrlAdd' });

/** Body of a request that removes one: any text, since older ones may break today's rules. */
export const redirectUrlRemove = z.strictObject({ url: z.string().max(2048) }).meta({ id: 'RedirectUrlRemove' });

/** Query of GET /admin/v1/applications. */
export const applicationListQuery = z.strictObject(pageParameters(PAGE_SIZE.applications.maximum));
export type ApplicationListQuery = z.input<typeof applicationListQuery>;

/** An application's OAuth client at one provider. Its secret is never shown. */
export const oauthClient = z
  .object({
    providerId: z.string().meta({ description: 'The `providerId` of accounts that are connected under it.' }),
    providerType: z.string(),
    clientId: z.string(),
    settings: z.record(z.string(), z.string()),
    scopes: z.array(z.string()).nullable().meta({ description: "Scopes to ask for; null for the provider's own." }),
    secretExpiresAt: dateTimeText.nullable(),
    redirectUri: z
      .string()
      .nullable()
      .meta({ description: 'To be registered at the provider; null while the service has no public URL.' }),
    createdAt: dateTimeText,
    updatedAt: dateTimeText,
  })
  .meta({ id: 'OAuthClient' });
export type OAuthClient = z.infer<typeof oauthClient>;

/** Body of PUT /admin/v1/applications/{applicationId}/oauthClients/{provider}. */
export const oauthClientSet = z
  .strictObject({
    clientId: z
      .string()
      .min(1, 'must not be empty')
      .max(1024)
      .meta({ description: "The provider's id of the client." }),
    clientSecret: z
      .string()
      .min(1, 'must not be empty')
      .max(4096)
      .meta({ format: 'password', description: 'Sealed, and never shown again.' }),
    settings: z
      .record(z.string().max(64), z.string().max(1024))
      .default({})
      .meta({ description: 'Settings of the provider, such as `tenant` of Microsoft.' }),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,512}$/, 'must be a scope of RFC 6749'))
      .min(1)
      .max(100)
      .nullable()
      .default(null)
      .meta({ description: "Scopes that sign-ins ask for. By default the provider's own." }),
    secretExpiresAt: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' })
      .nullable()
      .default(null)
      .meta({ description: 'When the secret ends at the provider: a time.' }),
  })
  .meta({ id: 'OAuthClientSet' });

/** Outcome of a test of an OAuth client at the provider's token endpoint. */
export const oauthClientTest = z
  .object({
    outcome: z.enum(['accepted', 'refused', 'unavailable']),
    message: z.string().meta({ description: 'What the provider objected to, and how to mend it.' }),
  })
  .meta({ id: 'OAuthClientTest' });
export type OAuthClientTest = z.infer<typeof oauthClientTest>;

/** An API key, without the key itself. */
export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    readOnly: z.boolean(),
    canReadCredentials: z.boolean(),
    expiresAt: dateTimeText.nullable(),
    revokedAt: dateTimeText.nullable(),
    lastUsedAt: dateTimeText.nullable().meta({ description: 'To the minute.' }),
    createdAt: dateTimeText,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKey>;

const KEY_EXPIRY =
  'must be a date such as 2027-01-31, a time such as 2027-01-31T00:00:00Z, or a number of days such as 90d';

/** Body of POST /admin/v1/applications/{applicationId}/apiKeys. */
export const apiKeyCreate = z
  .strictObject({
    name,
    expiresAt: z
      .union([z.iso.date(), z.iso.datetime({ offset: true }), z.string().regex(/^[1-9]\d{0,4}d$/)], {
        error: KEY_EXPIRY,
      })
      .nullable()
      .meta({ description: 'A date (its beginning, UTC), a time, a number of days such as `90d`, or null for never.' }),
    readOnly: z.boolean().default(false).meta({ description: 'The key may only read.' }),
    canReadCredentials: z.boolean().default(true).meta({ description: 'The key may read credentials of accounts.' }),
  })
  .meta({ id: 'ApiKeyCreate' });

/** The only answer that shows a key. */
export const apiKeyCreated = z.object({ key: z.string(), apiKey }).meta({ id: 'ApiKeyCreated' });
export type ApiKeyCreated = z.infer<typeof apiKeyCreated>;

/** Kinds of actors, as `ActorType` of the storage port has them. */
export const actorType = z.enum(['key', 'admin', 'command', 'embedded', 'flow', 'system']);

/** One entry of the audit log. */
export const auditEntry = z
  .object({
    id: z.string(),
    at: dateTimeText,
    applicationId: z.string().nullable(),
    actor: z.object({ type: actorType, id: z.string().nullable(), address: z.string().nullable() }),
    action: z.string(),
    target: z.string(),
    changed: z.array(z.string()).meta({ description: 'Names of the fields that were given; never their values.' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;

const filterText = z.string().min(1, 'must not be empty').max(255);
const filterTime = z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' }).optional();

/** Query of GET /admin/v1/auditLog. */
export const auditListQuery = z.strictObject({
  ...pageParameters(PAGE_SIZE.auditEntries.maximum),
  applicationId: filterText.optional().meta({ description: 'Only entries of this application.' }),
  actorType: actorType.optional().meta({ description: 'Only acts of this kind of actor.' }),
  actorId: filterText.optional().meta({ description: 'Only acts of this actor: an id of a key, or a name.' }),
  action: filterText.optional().meta({ description: 'Only this action, such as `apiKey.revoked`.' }),
  target: filterText.optional().meta({ description: 'Only acts on the object of this id.' }),
  from: filterTime.meta({ description: 'Only entries since this time, itself included.' }),
  to: filterTime.meta({ description: 'Only entries before this time.' }),
});
export type AuditListQuery = z.input<typeof auditListQuery>;

function isRedirectUrl(text: string): boolean {
  // URL() repairs white space, backslashes and other characters silently. A URL that is compared exactly and sent as Location
  // must not need repair.
  if (/[^\x21-\x7e]|[\\#]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && /^https?:\/\/[^/]/i.test(text) && url.username === '' && url.password === '';
}

/** Outcome of one check of the running system. */
export const finding = z
  .object({
    check: z.string().meta({ description: 'Stable name of the check.' }),
    status: z.enum(['ok', 'warning', 'failed', 'skipped']),
    message: z.string(),
    remedy: z.string().nullable().meta({ description: 'How to mend it; null where there is nothing to mend.' }),
  })
  .meta({ id: 'Finding' });

/** State of the running system. */
export const diagnosis = z
  .object({
    status: z.enum(['ok', 'warning', 'failed']).meta({ description: 'The worst status of its findings.' }),
    findings: z.array(finding),
  })
  .meta({ id: 'Diagnosis' });
export interface Diagnosis {
  readonly status: 'ok' | 'warning' | 'failed';
  readonly findings: readonly z.infer<typeof finding>[];
}
