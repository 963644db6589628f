import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { BrandMark } from '../../frame/rail.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { signIn } from '../../state/load-session.ts';
import { linkError, session } from '../../state/session.ts';
import { common } from '../../texts/en/frame.ts';
import { signInTexts } from '../../texts/en/sign-in.ts';

/** Signs in with the admin token, or says where the host does it. */
export function SignInPage() {
  const [token, setToken] = useState('');
  const action = useAction(() => signIn(token.trim()));
  const { canSignIn, signInUrl } = session.value ?? {};
  useEffect(() => {
    document.title = `${signInTexts.title} · ${common.product}`;
  }, []);
  return (
    <main class="sign-in">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        <div class="brand">
          <BrandMark />
          {common.product}
        </div>
        <div class="stack-small">
          <h1>{signInTexts.title}</h1>
          <p class="muted">{canSignIn ? signInTexts.intro : signInTexts.byHost}</p>
        </div>
        {canSignIn ? (
          <>
            <TextField
              label={signInTexts.token}
              hint={signInTexts.hint}
              type="password"
              value={token}
              onInput={setToken}
              autoComplete="current-password"
              isRequired
              hasFocus
            />
            <ErrorNote error={action.error ?? linkError.value} />
            <Button type="submit" kind="primary" isBusy={action.isRunning}>
              {signInTexts.submit}
            </Button>
          </>
        ) : signInUrl ? (
          <a class="button primary" href={signInUrl}>
            {signInTexts.atHost}
          </a>
        ) : null}
      </form>
    </main>
  );
}
