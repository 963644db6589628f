import { answerConformance } from './answers.ts';
import { attachmentConformance } from './attachments.ts';
import { calendarConformance } from './calendars.ts';
import { descriptionConformance } from './descriptions.ts';
import { extensionConformance } from './extensions.ts';
import { feedConformance } from './feed.ts';
import { fieldConformance } from './fields.ts';
import { generatedConformance } from './generated.ts';
import { meetingConformance } from './meetings.ts';
import { occurrenceConformance } from './occurrences.ts';
import { ruleConformance } from './rules.ts';
import { timeConformance } from './times.ts';
import { unreadableConformance } from './unreadable.ts';
import type { ProviderConformanceOptions } from './world.ts';
import { writeConformance } from './writes.ts';

/**
 * Declares the cases that every provider must pass: the contracts of `ProviderCalendars` and `ProviderEvents` within the
 * provider's capabilities. Runs against a stand-in for the provider or against a real account, with the `test` of any runner.
 */
export function providerConformance(options: ProviderConformanceOptions): void {
  calendarConformance(options);
  writeConformance(options);
  fieldConformance(options);
  extensionConformance(options);
  attachmentConformance(options);
  descriptionConformance(options);
  timeConformance(options);
  ruleConformance(options);
  meetingConformance(options);
  occurrenceConformance(options);
  answerConformance(options);
  feedConformance(options);
  unreadableConformance(options);
  generatedConformance(options);
}
