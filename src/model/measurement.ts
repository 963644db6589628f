import { z } from 'zod';
import { dateTimeText, queryInteger } from './primitives.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Steps of a list at most: a day by the minute. */
export const MEASUREMENT_STEPS = 1_440;

const sums = {
  count: z.number().describe('Number of measurements.'),
  sum: z.number().describe('Sum of their values.'),
  max: z.number().describe('Greatest value.'),
};

/** Sums of a series over one step. */
export const measurementPoint = z
  .object({ at: dateTimeText.describe('Begin of the step.'), ...sums })
  .meta({ id: 'MeasurementPoint', description: 'Sums of a series over one step.' });

/** One series of measurements: its sums over the whole time, and over each step that has any. */
export const measurementSeries = z
  .object({
    name: z.string().meta({ description: 'Name of the series, such as `providerCalls`.' }),
    provider: z.string().nullable().describe('Key of the provider; null where the series has none.'),
    result: z.string().nullable().describe('Result of what was measured; null where the series has none.'),
    ...sums,
    points: z.array(measurementPoint).describe('Ascending by time. Steps without measurements are left out.'),
  })
  .meta({ id: 'MeasurementSeries', description: 'One series of measurements of all processes.' });

/** Measurements of all processes. */
export const measurementList = z
  .object({
    since: dateTimeText.describe('Begin of the first step.'),
    until: dateTimeText.describe('End of the last step.'),
    stepMs: z.number().describe('Length of a step in milliseconds. Steps count from 1970, in UTC.'),
    data: z.array(measurementSeries).describe('The series that have measurements.'),
  })
  .meta({ id: 'MeasurementList', description: 'Measurements of all processes.' });

const time = z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' }).optional();

/** Query of GET /admin/v1/measurements. */
export const measurementQuery = z
  .strictObject({
    since: time.meta({
      description: 'Begin. By default an hour before the end. The step that it falls into is whole.',
    }),
    until: time.meta({ description: 'End. By default the present.' }),
    stepMs: queryInteger(MINUTE_MS, DAY_MS)
      .optional()
      .meta({ description: `Length of a step in milliseconds: whole minutes, ${MINUTE_MS} by default.` }),
    names: z
      .string()
      .max(1024)
      .optional()
      .meta({ description: 'Names of the series, separated by commas. By default all.' }),
  })
  .describe('Query of the measurements.');
