import type { Calendar, EndUserAccount, SubscriptionCreated } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { common } from '../../texts/en/frame.ts';
import { webhooksTexts } from '../../texts/en/webhooks.ts';
import type { Page } from './calls.ts';
import { UrlField } from './create-endpoint-dialog.tsx';

const texts = webhooksTexts.subscription;
/** In the place of a calendar: the list of calendars, and changes in any of them. */
const EVERYTHING = '';

interface CreateProps {
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
}

/** Asks for an account, what the subscription tells of, and its address. */
export function CreateSubscriptionDialog({ onClose, onCreated }: CreateProps) {
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState('');
  const [calendarId, setCalendarId] = useState(EVERYTHING);
  const [url, setUrl] = useState('');
  const accounts = useResource<Page<EndUserAccount>>({
    path: ofApplication('/accounts'),
    query: { search, limit: 50 },
  });
  const found = accounts.data?.data ?? [];
  const accountId = found.some(({ id }) => id === chosen) ? chosen : (found[0]?.id ?? '');
  const calendars = useResource<{ readonly data: readonly Calendar[] }>(
    accountId === '' ? undefined : { path: `/v1/calendars/${encodeURIComponent(accountId)}` },
  );
  const create = useAction(async () => {
    const covers = calendarId === EVERYTHING ? { subscriptionType: 'calendar' } : { calendarId };
    const path = `/v1/calendarSubscriptions/${encodeURIComponent(accountId)}`;
    const body = { ...covers, webhookUrl: url.trim() };
    onCreated((await request<SubscriptionCreated>({ method: 'POST', path, body })).endpointSecret);
  });
  const urlRule = create.error?.ruleOf('webhookUrl');
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <DialogBody>
          <TextField label={texts.accountSearch} value={search} onInput={setSearch} isOptional />
          <SelectField
            label={texts.account}
            hint={accounts.data !== undefined && found.length === 0 ? texts.noAccount : texts.accountHint}
            value={accountId}
            options={found.map(({ id, email }) => ({ value: id, label: email }))}
            onChange={(id) => {
              setChosen(id);
              setCalendarId(EVERYTHING);
            }}
          />
          <SelectField
            label={texts.covers}
            value={calendarId}
            options={[
              { value: EVERYTHING, label: texts.everything },
              ...(calendars.data?.data ?? []).map(({ id, name }) => ({ value: id, label: texts.calendar(name) })),
            ]}
            onChange={setCalendarId}
          />
          <UrlField value={url} onInput={setUrl} problem={urlRule} />
          {urlRule === undefined ? <ErrorNote error={create.error ?? accounts.error ?? calendars.error} /> : null}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind="primary" isDisabled={accountId === ''} isBusy={create.isRunning}>
            {texts.submit}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
