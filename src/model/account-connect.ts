import { z } from 'zod';
import { accountUpsert } from './account.ts';
import { passwordSignIn } from './sign-in.ts';

const { username, password } = passwordSignIn.shape;

/** Body of POST /admin/v1/applications/{applicationId}/accounts. The rules of its values are those of `SignIn`. */
export const accountConnect = z
  .strictObject({
    providerType: z
      .string()
      .min(1, 'must not be empty')
      .meta({ description: 'A provider without OAuth, such as `CALDAV`, `ICLOUD` or `ICS`.' }),
    serverUrl: z
      .string()
      .optional()
      .meta({ description: 'URL of the server, or of the feed. Absent for a provider that has one server.' }),
    username: z.string().optional().meta({ description: username.description }),
    password: z.string().optional().meta({ format: 'password', description: password.description }),
    email: accountUpsert.shape.email.meta({
      description: 'E-mail address of the mailbox, for a server that vouches for none.',
    }),
    externalId: accountUpsert.shape.externalId,
  })
  .meta({
    id: 'AccountConnect',
    description:
      'An account at a provider without OAuth: with a user name and an app password, or with the URL of a feed.',
  });
