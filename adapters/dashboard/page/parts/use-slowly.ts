import { useEffect, useState } from 'preact/hooks';

const QUICK_MS = 200;

/** Returns true once something has lasted longer than a person notices: what is quick shows no spinner. */
export function useSlowly(isBusy: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isBusy) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), QUICK_MS);
    return () => clearTimeout(timer);
  }, [isBusy]);
  return isSlow && isBusy;
}
