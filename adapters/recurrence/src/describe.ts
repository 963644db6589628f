export {
  describeRecurrence,
  english,
  type Language,
  type RecurrenceWords,
  type RuleFacts,
} from '../../../src/describe/index.ts';
