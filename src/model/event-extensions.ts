import { z } from 'zod';

/*
 * Fields of an event beyond spec §2.4; docs/decisions/0015-fields-beyond-the-specification.md has each one at both providers.
 */

export const eventStatus = z.enum(['confirmed', 'tentative']).describe('Whether an event is certain.');
export const showAs = z
  .enum(['free', 'tentative', 'busy', 'oof', 'workingElsewhere'])
  .describe('State of the person during an event; `oof` is out of office.');
export const attendeeKind = z
  .enum(['required', 'optional', 'resource'])
  .describe('Part of an attendee in an event; a resource is a room or a thing.');

const text = (maximum: number) =>
  z.string().min(1, 'must not be empty').max(maximum, `must be at most ${maximum} characters`);

function isFilled(value: object): boolean {
  return Object.values(value).some((part) => part !== undefined);
}

const degrees = (limit: number) =>
  z.number().min(-limit, `must be at least -${limit}`).max(limit, `must be at most ${limit}`);

/** Details of the place that `location` names; replaced as a whole. */
export const locationDetails = z
  .strictObject({
    address: z
      .strictObject({
        street: text(255).optional().describe('Street and number.'),
        city: text(255).optional().describe('City.'),
        state: text(255).optional().describe('State or region.'),
        postalCode: text(255).optional().describe('Postal code.'),
        countryOrRegion: text(255).optional().describe('Country or region.'),
      })
      .refine(isFilled, 'must not be empty')
      .optional()
      .describe('Postal address; one part at least.'),
    coordinates: z
      .strictObject({
        latitude: degrees(90).describe('Degrees, north is positive.'),
        longitude: degrees(180).describe('Degrees, east is positive.'),
      })
      .optional()
      .describe('Position of the place.'),
    uri: text(2048).optional().describe('Address of the place on the web, or its id in a directory.'),
  })
  .refine(isFilled, 'must not be empty')
  .meta({
    id: 'LocationDetails',
    description: 'Extension: details of the place that `location` names; replaced as a whole.',
  });

const extension = (description: string) => ({ description: `Extension: ${description}` });

/** Extensions of an event as it is shown. */
export const shownExtensions = {
  status: eventStatus.meta(extension('whether the event is certain; isCancelled tells of cancelled ones.')),
  showAs: showAs.meta(extension('transparency, status and eventType as one state, as Outlook shows it.')),
  categories: z.array(z.string()).meta(extension('categories of the account’s own copy (Microsoft).')),
  locationDetails: locationDetails.optional().meta(extension('details of the place that `location` names.')),
  guestsCanModify: z.boolean().optional().meta(extension('absent where the provider has no such permission.')),
  guestsCanInviteOthers: z.boolean().optional().meta(extension('absent where the provider has no such permission.')),
  guestsCanSeeOtherGuests: z.boolean().meta(extension('whether attendees see each other.')),
  allowNewTimeProposals: z.boolean().optional().meta(extension('absent where the provider has no such permission.')),
  hasAttachments: z
    .boolean()
    .meta(extension('whether the event has attachments; GET …/attachments lists them. Read-only.')),
  providerEventType: z.string().optional().meta(extension('the provider’s own name of the kind of event. Read-only.')),
};

/** Extensions of an event in a body; null restores the default. */
export const writableExtensions = {
  status: eventStatus.nullable().optional(),
  showAs: showAs.nullable().optional(),
  categories: z
    .array(text(255))
    .max(50, 'must have at most 50 categories')
    .refine((names) => new Set(names).size === names.length, 'must not name a category twice')
    .nullable()
    .optional(),
  locationDetails: locationDetails.nullable().optional(),
  guestsCanModify: z.boolean().nullable().optional(),
  guestsCanInviteOthers: z.boolean().nullable().optional(),
  guestsCanSeeOtherGuests: z.boolean().nullable().optional(),
  allowNewTimeProposals: z.boolean().nullable().optional(),
};

/** Names of the extensions that a body may write. */
export const EXTENSION_FIELDS = Object.keys(writableExtensions) as readonly (keyof typeof writableExtensions)[];
export type ExtensionField = keyof typeof writableExtensions;
