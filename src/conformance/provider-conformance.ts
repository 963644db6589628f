import { answerConformance } from './provider-answers.ts';
import { calendarConformance } from './provider-calendars.ts';
import { feedConformance } from './provider-feed.ts';
import { fieldConformance } from './provider-fields.ts';
import { generatedConformance } from './provider-generated.ts';
import { meetingConformance } from './provider-meetings.ts';
import { occurrenceConformance } from './provider-occurrences.ts';
import { ruleConformance } from './provider-rules.ts';
import { timeConformance } from './provider-times.ts';
import type { ProviderConformanceOptions } from './provider-world.ts';
import { writeConformance } from './provider-writes.ts';

/**
 * Declares the tests that every provider passes: the contracts of `ProviderCalendars` and `ProviderEvents`, within what the
 * provider says of itself by its capabilities. Runs against whatever the world stands for: a stand-in for the provider, or an
 * account there. Needs no test runner of its own: give it one's `test`.
 */
export function providerConformance(options: ProviderConformanceOptions): void {
  calendarConformance(options);
  writeConformance(options);
  fieldConformance(options);
  timeConformance(options);
  ruleConformance(options);
  meetingConformance(options);
  occurrenceConformance(options);
  answerConformance(options);
  feedConformance(options);
  generatedConformance(options);
}
