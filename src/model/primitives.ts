import { z } from 'zod';

/** ISO 8601 UTC timestamp with milliseconds, `2026-03-01T09:00:00.000Z`. */
export const dateTimeText = z.string().meta({ format: 'date-time' });

/** Times of a record that the service keeps. */
export const timestamps = {
  createdAt: dateTimeText.describe('Time of creation, in UTC.'),
  updatedAt: dateTimeText.describe('Time of the last change, in UTC.'),
};

/** Adds to the fields of a body that have no description the one of the shown field of the same name. */
export function describedAs<Shape extends Readonly<Record<string, z.ZodType>>>(
  shown: Readonly<Record<string, z.ZodType>>,
  shape: Shape,
): Shape {
  const fields = Object.entries(shape).map(([name, field]) => {
    const description = field.description ?? shown[name]?.description;
    return [name, description === undefined ? field : field.describe(description)];
  });
  return Object.fromEntries(fields);
}

/** Lets a rule about several fields run on an object with broken ones, so that all broken rules are told at once. */
export const besideOthers = {
  when: ({ value }: { readonly value: unknown }) =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Boolean of a query, as text: exactly `true` or `false`. */
export const queryBoolean = z
  .union([z.boolean(), z.enum(['true', 'false'])], { error: 'must be true or false' })
  .transform((value) => value === true || value === 'true')
  .meta({ type: 'boolean', description: 'A boolean of a query; over HTTP it is a text.' });

/** Creates the schema of an integer in a query: decimal digits. */
export function queryInteger(minimum: number, maximum: number) {
  return z
    .union([z.number(), z.string().regex(/^-?\d{1,15}$/, 'must be a whole number')], {
      error: 'must be a whole number',
    })
    .transform(Number)
    .pipe(
      z
        .number()
        .int('must be a whole number')
        .min(minimum, `must be at least ${minimum}`)
        .max(maximum, `must be at most ${maximum}`),
    )
    .meta({ type: 'integer', minimum, maximum });
}

/** Page parameters of a list: `limit` and `pageSize` are the same parameter under two names. */
export function pageParameters(maximum: number) {
  return {
    pageToken: z
      .string()
      .min(1, 'must not be empty')
      .max(32_768)
      .optional()
      .meta({ description: '`nextPageToken` of the page before.' }),
    limit: queryInteger(1, maximum)
      .optional()
      .meta({ description: `Entries of a page, at most ${maximum}.` }),
    pageSize: queryInteger(1, maximum).optional().meta({ description: 'The same as `limit`.' }),
  };
}

/** Default and maximum page sizes. */
export const PAGE_SIZE = {
  applications: { default: 50, maximum: 250 },
  auditEntries: { default: 50, maximum: 250 },
  accounts: { default: 50, maximum: 250 },
  calendars: { default: 50, maximum: 250 },
  subscriptions: { default: 50, maximum: 250 },
  deliveries: { default: 50, maximum: 250 },
  events: { default: 250, maximum: 1000 },
  unreadableObjects: { default: 50, maximum: 250 },
} as const;
