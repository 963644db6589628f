import { Button } from '../../parts/button.tsx';
import { availabilityTexts as texts } from '../../texts/en/availability.ts';
import { HowFields } from './how-fields.tsx';
import { PeopleFields } from './people-fields.tsx';
import type { QuestionFieldsProps } from './question-fields.ts';
import type { KnownAccount } from './use-people.ts';
import { WhenFields } from './when-fields.tsx';

interface QuestionFormProps extends QuestionFieldsProps {
  readonly known: ReadonlyMap<string, KnownAccount>;
  readonly isBusy: boolean;
  /** Goes to the answer, once there is one. */
  readonly onShow: (() => void) | undefined;
  onSubmit(): void;
}

/** Who is to meet, when and how. */
export function QuestionForm({ known, isBusy, onShow, onSubmit, ...fields }: QuestionFormProps) {
  return (
    <form
      class="card question"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <h2 class="hidden">{texts.question}</h2>
      <PeopleFields {...fields} known={known} />
      <WhenFields {...fields} />
      <HowFields {...fields} />
      <div class="question-foot">
        <Button
          type="submit"
          kind="primary"
          icon="search"
          isBusy={isBusy}
          isDisabled={fields.question.people.length === 0}
        >
          {texts.submit}
        </Button>
        {onShow === undefined ? null : (
          <span class="to-answer">
            <Button icon="down" label={texts.show} onClick={onShow} />
          </span>
        )}
      </div>
    </form>
  );
}
