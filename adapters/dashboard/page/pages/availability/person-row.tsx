import { Button } from '../../parts/button.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { availabilityTexts } from '../../texts/en/availability.ts';
import { providerName } from '../../texts/en/providers.ts';
import { Problem } from './problem.tsx';
import type { Person, Role } from './question.ts';
import type { KnownAccount } from './use-people.ts';

const texts = availabilityTexts.people;

interface PersonRowProps {
  readonly person: Person;
  readonly known: KnownAccount | undefined;
  readonly isRoundRobin: boolean;
  /** Groups that have members. */
  readonly groups: readonly Role[];
  readonly problem: string | undefined;
  onChange(person: Person): void;
  onRemove(): void;
}

/** A person who is to meet: role, calendars, and as a host the share of the assignments. */
export function PersonRow(props: PersonRowProps) {
  const { person, known, isRoundRobin, problem, onChange, onRemove } = props;
  const { accountId, role, calendarIds } = person;
  const name = known?.account.email ?? accountId;
  const own = known?.calendars.find(({ isPrimary }) => isPrimary);
  const count = calendarIds === undefined ? texts.ownCalendars : texts.calendars(calendarIds.length);
  return (
    <li class="person">
      <div class="person-head">
        <span class="avatar" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <span class="person-name">
          <span>{name}</span>
          <span class="muted small">{known === undefined ? '' : providerName(known.account.providerType)}</span>
        </span>
        {known === undefined || known.account.status === 'ACTIVE' ? null : (
          <StateLabel tone="warning">{known.account.status}</StateLabel>
        )}
        <Button kind="quiet" icon="close" label={texts.remove(name)} onClick={onRemove} />
      </div>
      <div class="person-choices">
        <select
          class="input"
          aria-label={texts.role(name)}
          value={role}
          onChange={(event) => onChange({ ...person, role: event.currentTarget.value as Role })}
        >
          {rolesOf(props).map((each) => (
            <option key={each} value={each}>
              {roleName(each)}
            </option>
          ))}
        </select>
        <details>
          <summary>
            {count}
            <span class="hidden">{texts.of(name)}</span>
          </summary>
          <div class="stack-small details-body">
            <Calendars {...props} />
            {own === undefined ? null : <p class="muted small">{texts.zone(own.timeZone)}</p>}
            {isRoundRobin && role === 'host' ? <Share person={person} onChange={onChange} /> : null}
          </div>
        </details>
      </div>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
    </li>
  );
}

/** Returns the roles to choose from: with one group more than there are. */
function rolesOf({ person, isRoundRobin, groups }: PersonRowProps): readonly Role[] {
  const first = Array.from({ length: groups.length + 1 }, (_, index): Role => `group-${index + 1}`);
  const all: readonly Role[] = [...(isRoundRobin ? (['host'] as const) : []), 'required', 'optional', ...first];
  return [...new Set([...all, ...groups, person.role])];
}

function roleName(role: Role): string {
  const { roles, group } = texts;
  return role === 'required' || role === 'optional' || role === 'host'
    ? roles[role]
    : group(role.slice('group-'.length));
}

function Calendars({ person, known, onChange }: PersonRowProps) {
  const { calendarIds } = person;
  const { calendars = [] } = known ?? {};
  const chosen = calendarIds ?? calendars.filter(({ isShared }) => !isShared).map(({ id }) => id);
  const toggled = (id: string) => (chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <>
      {calendars.map(({ id, name }) => (
        <CheckField
          key={id}
          label={name}
          isChecked={chosen.includes(id)}
          onChange={() => onChange({ ...person, calendarIds: toggled(id) })}
        />
      ))}
      <p class="muted small">{texts.ownHint}</p>
    </>
  );
}

function Share({ person, onChange }: Pick<PersonRowProps, 'person' | 'onChange'>) {
  return (
    <div class="question-pair">
      <TextField
        label={texts.weight}
        type="number"
        placeholder="1"
        value={person.weight ?? ''}
        onInput={(weight) => onChange({ ...person, weight })}
      />
      <TextField
        label={texts.assignments}
        type="number"
        placeholder="0"
        value={person.assignments ?? ''}
        onInput={(assignments) => onChange({ ...person, assignments })}
      />
    </div>
  );
}

/** Returns two letters that stand for an address. */
function initialsOf(name: string): string {
  const [user = ''] = name.split('@');
  const [first = '', second = ''] = user.split(/[._-]+/);
  return (second === '' ? first.slice(0, 2) : `${first[0]}${second[0]}`).toUpperCase();
}
