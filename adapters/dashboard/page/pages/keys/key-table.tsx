import type { ApiKey } from 'kalends/model';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { CheckField } from '../../parts/field.tsx';
import { StateLabel, type Tone } from '../../parts/state-label.tsx';
import { Time, useNow } from '../../parts/time.tsx';
import { common } from '../../texts/en/frame.ts';
import { keysTexts as texts } from '../../texts/en/keys.ts';

const SOON_MS = 14 * 86_400_000;

type KeyState = keyof typeof texts.states;
const TONES: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  expiring: 'warning',
  expired: 'neutral',
  revoked: 'neutral',
};

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  return left < SOON_MS ? 'expiring' : 'active';
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

/** The keys that are valid, newest first; the ended ones on request. */
export function KeyTable({ keys, onRevoke }: KeyTableProps) {
  const now = useNow(60_000);
  const [isWhole, setWhole] = useState(false);
  const states = new Map(keys.map((key) => [key, stateOf(key, now)]));
  const isValid = (key: ApiKey) => states.get(key) === 'active' || states.get(key) === 'expiring';
  const shown = keys.filter((key) => isWhole || isValid(key)).toReversed();
  const { columns } = texts;
  return (
    <>
      {keys.every(isValid) ? null : (
        <div class="card-head">
          <CheckField label={texts.showEnded} isChecked={isWhole} onChange={setWhole} />
        </div>
      )}
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{columns.name}</th>
              <th scope="col">{columns.id}</th>
              <th scope="col">{columns.rights}</th>
              <th scope="col">{columns.lastUsed}</th>
              <th scope="col">{columns.expires}</th>
              <th scope="col">{columns.state}</th>
              <th scope="col">
                <span class="hidden">{texts.revoke}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((key) => {
              const state = states.get(key) ?? 'active';
              return (
                <tr key={key.id}>
                  <td data-label={columns.name}>{key.name}</td>
                  <td data-label={columns.id}>
                    <CopyId id={key.id} what={columns.id} />
                  </td>
                  <td data-label={columns.rights}>{rightsOf(key)}</td>
                  <td data-label={columns.lastUsed}>
                    <Time at={key.lastUsedAt} none={texts.neverUsed} />
                  </td>
                  <td data-label={columns.expires}>
                    <Time at={key.expiresAt} none={common.never} />
                  </td>
                  <td data-label={columns.state}>
                    <StateLabel tone={TONES[state]}>{texts.states[state]}</StateLabel>
                  </td>
                  <td class="end">
                    {isValid(key) ? (
                      <Button kind="danger" onClick={() => onRevoke(key)}>
                        {texts.revoke}
                      </Button>
                    ) : null}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

function rightsOf({ readOnly, canReadCredentials }: ApiKey): string {
  const rights = readOnly ? texts.readOnly : texts.all;
  return canReadCredentials ? rights : `${rights}, ${texts.noCredentials}`;
}
