import { z } from 'zod';

/** A person who is not connected, and the account whose provider is asked. */
export const personAddress = z
  .strictObject({
    email: z
      .email('must be an e-mail address')
      .max(320, 'must be at most 320 characters')
      .describe('Address of a person, a room or a group, as the provider knows it.'),
    viaEndUserAccountId: z
      .string()
      .min(1, 'must not be empty')
      .max(255, 'must be at most 255 characters')
      .describe('Id of an account of the application: its provider is asked for the busy time.'),
  })
  .meta({ id: 'PersonAddress', description: 'A person whose calendar is not connected.' });

/** Why the busy time of an account or a person is not known. */
export const WHY_UNKNOWN = {
  code: z.string().describe('Name of the error, as of a request for this one alone.'),
  message: z.string().describe('The same in words.'),
  retryAfterSeconds: z.number().optional().describe('When to ask again, if that may help.'),
};

export const notConnectedPerson = z
  .object({
    participantId: z.string().describe('Id of the participant.'),
    email: z.string().describe('Address of the person.'),
    error: z
      .object(WHY_UNKNOWN)
      .optional()
      .describe(
        'Why the busy time is not known. Optional participants, hosts and members then count as busy; for a required participant the request fails.',
      ),
  })
  .meta({
    id: 'NotConnectedPerson',
    description: 'A person whose busy time comes from the provider, or is not known.',
  });
