import { isLive } from '../state/activity.ts';
import { common } from '../texts/en/frame.ts';
import { StateLabel } from './state-label.tsx';

/** Says whether the page follows what happens. */
export function LiveLabel() {
  return (
    <StateLabel tone={isLive.value ? 'good' : 'neutral'}>{isLive.value ? common.live : common.notLive}</StateLabel>
  );
}
