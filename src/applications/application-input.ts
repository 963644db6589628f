import { z } from 'zod';

const name = z.string().trim().min(1, 'must not be empty').max(255, 'must be at most 255 characters');

/** Compared character by character later on, so it is kept exactly as given. */
const redirectUrl = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .refine(isRedirectUrl, 'must be an absolute http or https URL without user-info and fragment');

const redirectUrls = z
  .array(redirectUrl)
  .max(100, 'must be at most 100 URLs')
  .refine((urls) => new Set(urls).size === urls.length, 'must not repeat a URL');

export const applicationCreate = z.strictObject({ name, redirectUrls: redirectUrls.default([]) });

export const applicationUpdate = z.strictObject({ name: name.optional(), redirectUrls: redirectUrls.optional() });

export const providerClientInput = z.strictObject({
  clientId: z.string().min(1, 'must not be empty').max(1024),
  clientSecret: z.string().min(1, 'must not be empty').max(4096),
  settings: z.record(z.string().max(64), z.string().max(1024)).default({}),
});

export const apiKeyCreate = z.strictObject({
  name,
  expiresAt: z.number().int('must be epoch milliseconds').nullable(),
  canReadCredentials: z.boolean().default(true),
});

function isRedirectUrl(text: string): boolean {
  // URL() repairs white space and backslashes silently; a URL that is compared exactly must not need repair.
  if (/[\s\\]/.test(text) || text.includes('#') || !URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && /^https?:\/\/[^/]/i.test(text) && url.username === '' && url.password === '';
}
