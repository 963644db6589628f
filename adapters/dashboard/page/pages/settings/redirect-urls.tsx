import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { announce } from '../../parts/toasts.tsx';
import { loadApplications } from '../../state/load-session.ts';
import { application } from '../../state/session.ts';
import { settingsTexts } from '../../texts/en/settings.ts';

const texts = settingsTexts.redirectUrls;

/** The redirect URLs, one added and removed at a time, and the rule that they obey. */
export function RedirectUrls() {
  const [url, setUrl] = useState('');
  const change = async (rest: string, of: string, said: string) => {
    await request({ method: 'POST', path: ofApplication(`/redirectUrls${rest}`), body: { url: of } });
    await loadApplications();
    announce(said);
  };
  const add = useAction(async () => {
    await change('', url.trim(), texts.added);
    setUrl('');
  });
  const remove = useAction((removed: string) => change('/remove', removed, texts.removed));
  const urls = application.value?.redirectUrls ?? [];
  const problem = add.error?.ruleOf('url');
  return (
    <section class="card" aria-labelledby="redirect-urls">
      <div class="card-head">
        <h2 id="redirect-urls">{texts.title}</h2>
      </div>
      <div class="card-body stack">
        <p class="muted">{texts.rule}</p>
        {urls.length === 0 ? <p>{texts.empty}</p> : null}
        <ul class="lines">
          {urls.map((each, index) => (
            <li key={each} class="row spread nowrap">
              <span class="row">
                <code class="breaking">{each}</code>
                <CopyButton text={each} what={each} />
                {index === 0 ? <StateLabel tone="neutral">{texts.first}</StateLabel> : null}
              </span>
              <Button kind="quiet" icon="close" label={texts.remove(each)} onClick={() => remove.run(each)} />
            </li>
          ))}
        </ul>
        <ErrorNote error={remove.error} />
        <form
          class="row input-row"
          onSubmit={(event) => {
            event.preventDefault();
            void add.run();
          }}
        >
          <TextField
            label={texts.label}
            placeholder={texts.placeholder}
            value={url}
            onInput={setUrl}
            problem={problem}
            isRequired
          />
          <Button type="submit" isBusy={add.isRunning}>
            {texts.add}
          </Button>
        </form>
        {problem === undefined ? <ErrorNote error={add.error} /> : null}
      </div>
    </section>
  );
}
