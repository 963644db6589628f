import type { Calendar, EndUserAccount } from 'kalends/model';
import { useState } from 'preact/hooks';
import { AccountPicker } from '../../parts/account-picker.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useSlowly } from '../../parts/use-slowly.ts';
import { clockChanges } from '../../parts/wall-time.ts';
import { type ZoneChoice, zoneChoice } from '../../state/preferences.ts';
import { calendarTexts as texts } from '../../texts/en/calendar.ts';
import { useCalendarAddress } from './calendar-address.ts';
import { type CalendarView, moved, type Period, periodTitle } from './period.ts';
import type { ComparedAccount } from './use-busy.ts';

const VIEWS: readonly CalendarView[] = ['week', 'month', 'agenda'];
const ZONES: readonly ZoneChoice[] = ['account', 'mine', 'utc'];
/** Lanes of busy times that can be told apart. */
const MOST_COMPARED = 4;

interface CalendarToolbarProps {
  readonly account: EndUserAccount | undefined;
  readonly calendars: readonly Calendar[];
  readonly chosen: readonly string[];
  readonly compared: readonly ComparedAccount[];
  readonly date: string;
  readonly today: string;
  readonly period: Period;
  readonly zone: string;
  readonly isLoading: boolean;
  colorOf(calendarId: string): string;
  onReload(): Promise<void>;
}

/** Chooses account, calendars, compared accounts, period, view and zone. */
export function CalendarToolbar(props: CalendarToolbarProps) {
  const { account, calendars, chosen, colorOf } = props;
  const { address, show } = useCalendarAddress();
  const [picking, setPicking] = useState<'account' | 'compared'>();
  const toggled = (id: string) => (chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <div class="calendar-tools">
      <div class="row">
        <button type="button" class="button account-button" onClick={() => setPicking('account')}>
          <span class="hidden">{texts.account}: </span>
          <span class="account-email">{account?.email ?? texts.chooseAccount}</span>
          <Icon name="down" />
        </button>
        <fieldset class="plain chips calendar-chips">
          <legend class="hidden">{texts.calendars}</legend>
          {calendars.map(({ id, name, readOnly }) => (
            <button
              type="button"
              key={id}
              class="chip"
              aria-pressed={chosen.includes(id)}
              onClick={() => show({ calendarIds: toggled(id) })}
            >
              <span class="swatch" style={{ '--event-color': colorOf(id) }} />
              {name}
              {readOnly ? <span class="muted"> ({texts.readOnly})</span> : null}
            </button>
          ))}
        </fieldset>
        <Compared compared={props.compared} onAdd={() => setPicking('compared')} />
      </div>
      <PeriodTools {...props} />
      <ClockNotes period={props.period} zone={props.zone} />
      {picking === undefined ? null : (
        <AccountPicker
          title={picking === 'account' ? texts.chooseAccount : texts.compare}
          hint={picking === 'account' ? undefined : texts.compareHint}
          without={picking === 'account' ? [] : [...address.compared, account?.id ?? '']}
          onClose={() => setPicking(undefined)}
          onChoose={({ id }) => {
            setPicking(undefined);
            if (picking === 'account') show({ accountId: id, calendarIds: undefined });
            else show({ compared: [...address.compared, id] });
          }}
        />
      )}
    </div>
  );
}

function Compared({ compared, onAdd }: { readonly compared: readonly ComparedAccount[]; readonly onAdd: () => void }) {
  const { address, show } = useCalendarAddress();
  return (
    <div class="chips">
      {compared.map(({ id, email }, lane) => (
        <button
          type="button"
          key={id}
          class="chip"
          aria-label={texts.compared(email)}
          onClick={() => show({ compared: address.compared.filter((each) => each !== id) })}
        >
          <span class={`swatch busy-${lane}`} />
          {email}
          <Icon name="close" />
        </button>
      ))}
      {compared.length >= MOST_COMPARED ? null : (
        <button type="button" class="chip" onClick={onAdd}>
          <Icon name="plus" />
          {texts.compare}
        </button>
      )}
    </div>
  );
}

function PeriodTools({ date, today, period, zone, isLoading, onReload }: CalendarToolbarProps) {
  const { address, show } = useCalendarAddress();
  const { view } = address;
  const isSlow = useSlowly(isLoading);
  return (
    <div class="row spread">
      <div class="row period-tools">
        <Button onClick={() => show({ date: undefined })} isDisabled={date === today}>
          {texts.today}
        </Button>
        <Button icon="left" label={texts.earlier} onClick={() => show({ date: moved(view, date, -1) })} />
        <Button icon="right" label={texts.later} onClick={() => show({ date: moved(view, date, 1) })} />
        <h2 class="period" aria-live="polite">
          {periodTitle(view, date, period)}
        </h2>
        <Button kind="quiet" icon="refresh" label={texts.reload} isBusy={isSlow} onClick={onReload} />
      </div>
      <div class="row">
        <Choice
          name={texts.zoneLabel}
          title={texts.shownIn(zone)}
          value={zoneChoice.value}
          options={ZONES.map((value) => ({ value, label: texts.zones[value] }))}
          onChoose={(value) => {
            zoneChoice.value = value;
          }}
        />
        <Choice
          name={texts.view}
          value={view}
          options={VIEWS.map((value) => ({ value, label: texts.views[value] }))}
          onChoose={(value) => show({ view: value, date: address.date })}
        />
      </div>
      <p class="muted small zone-note">{texts.shownIn(zone)}</p>
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly title?: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  onChoose(value: Value): void;
}

function Choice<Value extends string>({ name, title, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset class="plain choice" title={title}>
      <legend class="hidden">{name}</legend>
      {options.map((option) => (
        <button
          type="button"
          key={option.value}
          aria-pressed={option.value === value}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });

/** Says on which days of the period clocks change: such a day has 23 or 25 hours, and is drawn with 24. */
function ClockNotes({ period, zone }: { readonly period: Period; readonly zone: string }) {
  const changes = clockChanges(zone, period.start, period.end);
  return (
    <>
      {changes.map(({ date, from, to }) => (
        <p key={date} class="clock-note small">
          <Icon name="warning" />
          {texts.clock[to > from ? 'forward' : 'back'](DAY.format(Date.parse(date)), from, to)}
        </p>
      ))}
    </>
  );
}
