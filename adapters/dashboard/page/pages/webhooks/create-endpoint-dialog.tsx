import type { WebhookEndpointCreated } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { common } from '../../texts/en/frame.ts';
import { webhooksTexts } from '../../texts/en/webhooks.ts';

const texts = webhooksTexts.endpoint;

interface CreateProps {
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
}

/** Asks for the address of an endpoint and its rate. */
export function CreateEndpointDialog({ onClose, onCreated }: CreateProps) {
  const [url, setUrl] = useState('');
  const [rate, setRate] = useState('');
  const create = useAction(async () => {
    const body = { webhookUrl: url.trim(), rateLimit: rate === '' ? null : Number(rate) };
    const created = await request<WebhookEndpointCreated>({ method: 'POST', path: '/v1/webhookEndpoints', body });
    onCreated(created.endpointSecret);
  });
  const [urlRule, rateRule] = [create.error?.ruleOf('webhookUrl'), create.error?.ruleOf('rateLimit')];
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <DialogBody>
          <UrlField value={url} onInput={setUrl} problem={urlRule} />
          <TextField
            label={texts.rate}
            hint={texts.rateHint}
            type="number"
            value={rate}
            onInput={setRate}
            problem={rateRule}
            isOptional
          />
          {urlRule === undefined && rateRule === undefined ? <ErrorNote error={create.error} /> : null}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={create.isRunning}>
            {texts.submit}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

interface UrlFieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly problem: string | undefined;
}

export function UrlField(props: UrlFieldProps) {
  return (
    <TextField
      {...props}
      label={texts.url}
      hint={texts.urlHint}
      placeholder="https://app.example.com/webhooks"
      isRequired
      hasFocus
    />
  );
}
