import type { ProblemError } from '../../api/problem.ts';
import type { Question } from './question.ts';

/** Props of a part of the form. */
export interface QuestionFieldsProps {
  readonly question: Question;
  /** Refusal of the question that was asked last. */
  readonly error: ProblemError | undefined;
  onChange(question: Question): void;
}
