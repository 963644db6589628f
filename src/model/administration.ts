import { z } from 'zod';
import { dateTimeText, PAGE_SIZE, pageParameters, timestamps } from './primitives.ts';

const name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(255, 'must be at most 255 characters')
  .describe('Display name.');

/** Compared character by character later on, so it is kept exactly as given. */
const redirectUrl = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .refine(isRedirectUrl, 'must be an absolute http or https URL in ASCII, without user-info and fragment')
  .describe('Absolute http or https URL.');

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
    id: z.string().describe('Id of the application, `app_…`.'),
    name: z.string().describe('Display name.'),
    redirectUrls: z.array(z.string()).meta({ description: 'Compared exactly; the first is the default.' }),
    status: z.enum(['ACTIVE', 'DELETING']).describe('DELETING: its accounts are being deleted, then it is gone.'),
    accountsLeft: z.number().optional().meta({
      description: 'Accounts that are still to be deleted, in the answer to GET while the status is DELETING.',
    }),
    ...timestamps,
  })
  .meta({ id: 'Application', description: 'An application: the tenant.' });

/** Body of POST /admin/v1/applications. */
export const applicationCreate = z
  .strictObject({ name, redirectUrls: redirectUrls.default([]) })
  .meta({ id: 'ApplicationCreate', description: 'An application to create.' });

/** Body of PUT /admin/v1/applications/{applicationId}. */
export const applicationUpdate = z
  .strictObject({ name: name.optional(), redirectUrls: redirectUrls.optional() })
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), 'must have name or redirectUrls')
  .meta({ id: 'ApplicationUpdate', description: 'Changes of an application: absent fields stay.', minProperties: 1 });

/** Body of a request that adds a redirect URL. */
export const redirectUrlAdd = z
  .strictObject({ url: redirectUrl })
  .meta({ id: 'RedirectUrlAdd', description: 'A redirect URL to add.' });

/** Body of a request that removes one: any text, since older ones may break today's rules. */
export const redirectUrlRemove = z
  .strictObject({ url: z.string().max(2048).describe('The URL, as it was added.') })
  .meta({ id: 'RedirectUrlRemove', description: 'A redirect URL to remove.' });

/** Query of GET /admin/v1/applications. */
export const applicationListQuery = z
  .strictObject(pageParameters(PAGE_SIZE.applications.maximum))
  .describe('Query of the list of applications.');

/** An application's OAuth client at one provider. Its secret is never shown. */
export const oauthClient = z
  .object({
    providerId: z.string().meta({ description: 'The `providerId` of accounts that are connected under it.' }),
    providerType: z.string().describe('The key under which the provider is registered.'),
    clientId: z.string().describe("The provider's id of the client."),
    settings: z.record(z.string(), z.string()).describe('Settings of the provider, such as `tenant` of Microsoft.'),
    scopes: z.array(z.string()).nullable().meta({ description: "Scopes to ask for; null for the provider's own." }),
    secretExpiresAt: dateTimeText
      .nullable()
      .describe('When the secret ends at the provider; null where it is unknown.'),
    redirectUri: z
      .string()
      .nullable()
      .meta({ description: 'To be registered at the provider; null while the service has no public URL.' }),
    ...timestamps,
  })
  .meta({
    id: 'OAuthClient',
    description: "An application's OAuth client at one provider. Its secret is never shown.",
  });

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
  .meta({ id: 'OAuthClientSet', description: 'An OAuth client to store, in place of the one before.' });

/** Outcome of a test of an OAuth client at the provider's token endpoint. */
export const oauthClientTest = z
  .object({
    outcome: z
      .enum(['accepted', 'refused', 'unavailable'])
      .describe('Whether the provider accepts the client; `unavailable`: it gave no answer.'),
    message: z.string().meta({ description: "The provider's objection, and how to mend it." }),
  })
  .meta({
    id: 'OAuthClientTest',
    description: "Outcome of a test of an OAuth client at the provider's token endpoint.",
  });

/** An API key, without the key itself. */
export const apiKey = z
  .object({
    id: z.string().describe('Id of the key, `key_…`.'),
    name: z.string().describe('Display name.'),
    readOnly: z.boolean().describe('Whether the key may only read.'),
    canReadCredentials: z.boolean().describe('Whether the key may read credentials of accounts.'),
    expiresAt: dateTimeText.nullable().describe('Expiry; null for never.'),
    revokedAt: dateTimeText.nullable().describe('Time at which it was revoked; null while it is valid.'),
    lastUsedAt: dateTimeText.nullable().describe('Last use, to the minute; null before the first.'),
    createdAt: timestamps.createdAt,
  })
  .meta({ id: 'ApiKey', description: 'An API key, without the key itself.' });

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
  .meta({ id: 'ApiKeyCreate', description: 'An API key to create.' });

/** The only answer that shows a key. */
export const apiKeyCreated = z
  .object({ key: z.string().describe('The key. No later answer shows it.'), apiKey })
  .meta({ id: 'ApiKeyCreated', description: 'An API key that was created.' });

/** Kinds of actors, as `ActorType` of the storage port has them. */
export const actorType = z
  .enum(['key', 'admin', 'command', 'embedded', 'flow', 'system'])
  .describe(
    'Kind of an actor: an API key, an administrator, a command, an embedding program, a sign-in, or the service.',
  );

/** One entry of the audit log. */
export const auditEntry = z
  .object({
    id: z.string().describe('Id of the entry.'),
    at: dateTimeText.describe('Time of the act.'),
    applicationId: z.string().nullable().describe('Application that it concerns; null for the service as a whole.'),
    actor: z
      .object({
        type: actorType,
        id: z.string().nullable().describe('Id of the key, or name of the administrator; null without one.'),
        address: z.string().nullable().describe('Network address of the request; null without one.'),
      })
      .describe('By whom.'),
    action: z.string().describe('Name of the act, such as `apiKey.revoked`.'),
    target: z.string().describe('Id of the object.'),
    changed: z.array(z.string()).meta({ description: 'Names of the fields that were given; never their values.' }),
  })
  .meta({ id: 'AuditEntry', description: 'One entry of the audit log.' });

const filterText = z.string().min(1, 'must not be empty').max(255);
const filterTime = z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' }).optional();

/** Query of GET /admin/v1/auditLog. */
export const auditListQuery = z
  .strictObject({
    ...pageParameters(PAGE_SIZE.auditEntries.maximum),
    applicationId: filterText.optional().meta({ description: 'Only entries of this application.' }),
    actorType: actorType.optional().meta({ description: 'Only acts of this kind of actor.' }),
    actorId: filterText.optional().meta({ description: 'Only acts of this actor: an id of a key, or a name.' }),
    action: filterText.optional().meta({ description: 'Only this action, such as `apiKey.revoked`.' }),
    target: filterText.optional().meta({ description: 'Only acts on the object of this id.' }),
    from: filterTime.meta({ description: 'Only entries since this time, itself included.' }),
    to: filterTime.meta({ description: 'Only entries before this time.' }),
  })
  .describe('Query of the audit log.');

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
    status: z
      .enum(['ok', 'warning', 'failed', 'skipped'])
      .describe('Outcome; `skipped` where the check does not apply.'),
    message: z.string().describe('Result of the check, in words.'),
    remedy: z.string().nullable().meta({ description: 'How to mend it; null where there is nothing to mend.' }),
  })
  .meta({ id: 'Finding', description: 'Outcome of one check of the running system.' });

/** State of the running system. */
export const diagnosis = z
  .object({
    status: z.enum(['ok', 'warning', 'failed']).meta({ description: 'The worst status of its findings.' }),
    findings: z.array(finding).describe('One for each check, in the order of the checks.'),
  })
  .meta({ id: 'Diagnosis', description: 'State of the running system.' });
