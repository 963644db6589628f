import { z } from 'zod';

const LONGEST_URL = 2_048;

function isUrlOf(protocols: readonly string[]) {
  return (text: string): boolean => {
    if (!URL.canParse(text)) return false;
    const { protocol, username, password, hash } = new URL(text);
    return protocols.includes(protocol) && username === '' && password === '' && hash === '';
  };
}

const serverUrl = z
  .string()
  .max(LONGEST_URL, `must be at most ${LONGEST_URL} characters`)
  .refine(isUrlOf(['http:', 'https:']), 'must be an absolute https URL without user-info and fragment')
  .optional()
  .describe('URL of the server, where its calendars are looked for. Absent for a provider that has one server.');

/** HTTP carries no control characters in credentials (RFC 7617 §2). Not `\P{Cc}`, which patterns of other languages do not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters to refuse
const WITHOUT_CONTROLS = /^[^\x00-\x1f\x7f-\x9f]*$/;

function secretText(longest: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(longest, `must be at most ${longest} characters`)
    .regex(WITHOUT_CONTROLS, 'must not contain control characters');
}

export const passwordSignIn = z
  .strictObject({
    kind: z.literal('password').describe('An app password.'),
    serverUrl,
    username: secretText(320)
      .refine((name) => !name.includes(':'), 'must not contain a colon')
      .describe('User name at the server, often the e-mail address.'),
    password: secretText(1_024).describe('App password: one that the person made for this application alone.'),
  })
  .meta({ id: 'PasswordSignIn', description: 'A user name and an app password, sent by HTTP Basic.' });

export const bearerSignIn = z
  .strictObject({
    kind: z.literal('bearer').describe('A token that the server gave out.'),
    serverUrl,
    token: secretText(16_384).describe('The token.'),
  })
  .meta({ id: 'BearerSignIn', description: 'A token without expiry, sent as HTTP bearer.' });

export const urlSignIn = z
  .strictObject({
    kind: z.literal('url').describe('An address, such as that of a feed.'),
    url: z
      .string()
      .max(LONGEST_URL, `must be at most ${LONGEST_URL} characters`)
      .refine(
        isUrlOf(['http:', 'https:', 'webcal:', 'webcals:']),
        'must be an absolute https or webcal URL without user-info and fragment',
      )
      .describe('URL of the feed, which may be a secret by itself.'),
  })
  .meta({ id: 'UrlSignIn', description: 'The address of a calendar that needs no other credentials.' });

/** Credentials of a person at a provider without OAuth. */
export const signIn = z
  .discriminatedUnion('kind', [passwordSignIn, bearerSignIn, urlSignIn], {
    error: 'must have a kind: password, bearer or url',
  })
  .meta({ id: 'SignIn', description: 'Credentials of a person at a provider without OAuth.' });
