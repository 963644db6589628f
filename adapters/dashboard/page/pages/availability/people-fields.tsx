import { useState } from 'preact/hooks';
import { AccountPicker } from '../../parts/account-picker.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { availabilityTexts } from '../../texts/en/availability.ts';
import { ruleBelow } from './field-problems.ts';
import { PersonRow } from './person-row.tsx';
import { Problem } from './problem.tsx';
import { groupsOf, type Person } from './question.ts';
import type { QuestionFieldsProps } from './question-fields.ts';
import type { KnownAccount } from './use-people.ts';

const texts = availabilityTexts.people;
const MOST_PEOPLE = 50;

interface PeopleFieldsProps extends QuestionFieldsProps {
  readonly known: ReadonlyMap<string, KnownAccount>;
}

/** The people who are to meet, with their roles, and how many of each group. */
export function PeopleFields({ question, known, error, onChange }: PeopleFieldsProps) {
  const [isAdding, setAdding] = useState(false);
  const { people, mode, take } = question;
  const groups = groupsOf(question);
  const set = (changed: readonly Person[]) => onChange({ ...question, people: changed });
  const rule = error?.ruleOf('participants');
  return (
    <fieldset class="plain question-part">
      <div class="row spread">
        <legend>{texts.title}</legend>
        <Button icon="plus" isDisabled={people.length >= MOST_PEOPLE} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      </div>
      {people.length === 0 ? <p class="muted small">{texts.none}</p> : null}
      {people.length >= MOST_PEOPLE ? <p class="muted small">{texts.most}</p> : null}
      {rule === undefined ? null : <Problem>{rule}</Problem>}
      <ul class="people">
        {people.map((person, index) => (
          <PersonRow
            key={person.accountId}
            person={person}
            known={known.get(person.accountId)}
            isRoundRobin={mode !== 'collective'}
            groups={groups}
            problem={ruleBelow(error, `participants.${index}`)}
            onChange={(changed) => set(people.map((each) => (each === person ? changed : each)))}
            onRemove={() => set(people.filter((each) => each !== person))}
          />
        ))}
      </ul>
      {groups.map((role, index) => (
        <TextField
          key={role}
          type="number"
          label={texts.take(role.slice('group-'.length), people.filter((person) => person.role === role).length)}
          value={take[role] ?? '1'}
          problem={ruleBelow(error, `groups.${index}`)}
          onInput={(text) => onChange({ ...question, take: { ...take, [role]: text } })}
        />
      ))}
      {isAdding ? (
        <AccountPicker
          title={texts.add}
          hint={texts.addHint}
          without={people.map(({ accountId }) => accountId)}
          onClose={() => setAdding(false)}
          onChoose={({ id }) => {
            set([...people, { accountId: id, role: mode === 'collective' ? 'required' : 'host' }]);
            if (people.length + 1 >= MOST_PEOPLE) setAdding(false);
          }}
        />
      ) : null}
    </fieldset>
  );
}
