import { KalendsError } from '../errors.ts';

/** Whether a write was refused for good: nothing was written, and a repetition is refused too. */
export function isRefusal(error: unknown): boolean {
  if (!KalendsError.isInstance(error)) return false;
  const { status } = error;
  if (isOfAccess(error)) return true;
  return status >= 400 && status < 500 && status !== 409 && status !== 429;
}

/** Whether a person has to connect the account again. */
export function isOfAccess(error: unknown): boolean {
  return (
    KalendsError.isInstance(error) && (error.code === 'InvalidRefreshToken' || error.code === 'InvalidCredentials')
  );
}

/** Resolves with null where there is no such event. */
export async function foundOrNull<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (KalendsError.isInstance(error) && error.code === 'NotFound') return null;
    throw error;
  }
}
