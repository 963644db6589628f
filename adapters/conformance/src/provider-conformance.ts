import { answerConformance } from './provider-answers.ts';
import { calendarConformance } from './provider-calendars.ts';
import { extensionConformance } from './provider-extensions.ts';
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
 * Declares the cases that every provider must pass: the contracts of `ProviderCalendars` and `ProviderEvents` within the
 * provider's capabilities. Runs against a stand-in for the provider or against a real account, with the `test` of any runner.
 */
export function providerConformance(options: ProviderConformanceOptions): void {
  calendarConformance(options);
  writeConformance(options);
  fieldConformance(options);
  extensionConformance(options);
  timeConformance(options);
  ruleConformance(options);
  meetingConformance(options);
  occurrenceConformance(options);
  answerConformance(options);
  feedConformance(options);
  generatedConformance(options);
}
