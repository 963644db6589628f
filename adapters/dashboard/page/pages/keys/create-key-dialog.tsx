import type { ApiKeyCreated } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { common } from '../../texts/en/frame.ts';
import { keysTexts as texts } from '../../texts/en/keys.ts';

type Expiry = keyof typeof texts.expiries;
const EXPIRIES: readonly Expiry[] = ['30d', '90d', '365d', 'date', 'never'];
const FIELDS = ['name', 'expiresAt'];

interface CreateKeyDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (created: ApiKeyCreated) => void;
}

/** Asks for name, expiry and rights of a new key. */
export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps) {
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<Expiry>('90d');
  const [date, setDate] = useState('');
  const [isReadOnly, setReadOnly] = useState(false);
  const [readsCredentials, setReadsCredentials] = useState(false);
  const expiresAt = expiry === 'never' ? null : expiry === 'date' ? date : expiry;
  const action = useAction(async () => {
    const body = { name, expiresAt, readOnly: isReadOnly, canReadCredentials: readsCredentials };
    onCreated(await request<ApiKeyCreated>({ method: 'POST', path: ofApplication('/apiKeys'), body }));
  });
  const isOfField = FIELDS.some((field) => action.error?.ruleOf(field) !== undefined);
  return (
    <Dialog title={texts.create} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        <DialogBody>
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            value={name}
            onInput={setName}
            problem={action.error?.ruleOf('name')}
            isRequired
            hasFocus
          />
          <SelectField
            label={texts.expiry}
            value={expiry}
            options={EXPIRIES.map((value) => ({ value, label: texts.expiries[value] }))}
            onChange={setExpiry}
          />
          {expiry === 'date' ? (
            <TextField
              label={texts.date}
              hint={texts.dateHint}
              type="date"
              value={date}
              onInput={setDate}
              problem={action.error?.ruleOf('expiresAt')}
              isRequired
            />
          ) : null}
          <fieldset class="plain stack-small">
            <legend class="label">{texts.rights}</legend>
            <CheckField label={texts.readOnly} isChecked={isReadOnly} onChange={setReadOnly} />
            <CheckField label={texts.canReadCredentials} isChecked={readsCredentials} onChange={setReadsCredentials} />
          </fieldset>
          {isOfField ? null : <ErrorNote error={action.error} />}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={action.isRunning}>
            {texts.submit}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
