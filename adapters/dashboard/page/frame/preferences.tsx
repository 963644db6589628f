import { Icon } from '../parts/icon.tsx';
import { signOut } from '../state/load-session.ts';
import { type Theme, theme, type ZoneChoice, zoneChoice } from '../state/preferences.ts';
import { session } from '../state/session.ts';
import { common } from '../texts/en/frame.ts';

const ZONES: readonly ZoneChoice[] = ['mine', 'account', 'utc'];
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** Zone of the times, theme, API reference, and sign-out. */
export function Preferences() {
  const { docsUrl, canSignIn, administratorId } = session.value ?? {};
  return (
    <div class="foot">
      {docsUrl ? (
        <a class="nav-link" href={docsUrl} target="_blank" rel="noreferrer">
          <Icon name="docs" />
          {common.pages.docs}
        </a>
      ) : null}
      <label class="preference">
        <span>{common.zone.label}</span>
        <select
          class="input"
          value={zoneChoice.value}
          onChange={(event) => {
            zoneChoice.value = event.currentTarget.value as ZoneChoice;
          }}
        >
          {ZONES.map((zone) => (
            <option key={zone} value={zone}>
              {common.zone[zone]}
            </option>
          ))}
        </select>
      </label>
      <label class="preference">
        <span>{common.theme.label}</span>
        <select
          class="input"
          value={theme.value}
          onChange={(event) => {
            theme.value = event.currentTarget.value as Theme;
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {common.theme[name]}
            </option>
          ))}
        </select>
      </label>
      {canSignIn ? (
        <button type="button" class="nav-link" onClick={() => void signOut()}>
          <Icon name="sign-out" />
          {common.signOut}
        </button>
      ) : (
        <p class="muted small">{administratorId}</p>
      )}
    </div>
  );
}
