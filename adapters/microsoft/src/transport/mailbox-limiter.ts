import { type Clock, ProviderError } from 'kalends/ports';
import type { MicrosoftLimits, MicrosoftRetry } from '../options.ts';

interface Mailbox {
  active: number;
  readonly waiting: (() => void)[];
  /** Requests that may still be sent, as of `countedAt`; refills evenly over ten minutes. */
  allowance: number;
  countedAt: number;
  notBefore: number;
}

/** Paces the requests to each mailbox: so many at a time, so many in ten minutes, none before Graph wants one again. */
interface MailboxLimiter {
  /**
   * Resolves with the function that gives the place back.
   * @throws ProviderError rate-limited when the wait would be too long
   */
  enter(accountId: string, signal: AbortSignal | undefined): Promise<() => void>;
  /** Holds back every request to the mailbox for so long. */
  hold(accountId: string, forMs: number): void;
}

const TEN_MINUTES_MS = 600_000;

export function createMailboxLimiter(
  clock: Clock,
  limits: Pick<MicrosoftLimits, 'concurrency' | 'requestsPerTenMinutes'>,
  retry: Pick<MicrosoftRetry, 'maxWaitMs'>,
): MailboxLimiter {
  const mailboxes = new Map<string, Mailbox>();

  function mailboxOf(accountId: string): Mailbox {
    let mailbox = mailboxes.get(accountId);
    if (mailbox === undefined) {
      forgetIdle();
      const now = clock.now();
      mailbox = { active: 0, waiting: [], allowance: limits.requestsPerTenMinutes, countedAt: now, notBefore: 0 };
      mailboxes.set(accountId, mailbox);
    }
    return mailbox;
  }

  /** Mailboxes that stand as a new one would need no memory. */
  function forgetIdle(): void {
    if (mailboxes.size < 1000) return;
    const now = clock.now();
    for (const [accountId, mailbox] of mailboxes) {
      refill(mailbox);
      const isFresh = mailbox.allowance >= limits.requestsPerTenMinutes && mailbox.notBefore <= now;
      if (mailbox.active === 0 && mailbox.waiting.length === 0 && isFresh) mailboxes.delete(accountId);
    }
  }

  function refill(mailbox: Mailbox): void {
    const now = clock.now();
    const gained = ((now - mailbox.countedAt) / TEN_MINUTES_MS) * limits.requestsPerTenMinutes;
    mailbox.allowance = Math.min(limits.requestsPerTenMinutes, mailbox.allowance + Math.max(0, gained));
    mailbox.countedAt = now;
  }

  /** How long the next request has to wait for Graph's sake. */
  function waitOf(mailbox: Mailbox): number {
    refill(mailbox);
    const missing = Math.max(0, 1 - mailbox.allowance);
    const forAllowance = Math.ceil((missing / limits.requestsPerTenMinutes) * TEN_MINUTES_MS);
    return Math.max(forAllowance, mailbox.notBefore - clock.now(), 0);
  }

  function leave(mailbox: Mailbox): void {
    const next = mailbox.waiting.shift();
    if (next === undefined) mailbox.active -= 1;
    else next();
  }

  async function takePlace(mailbox: Mailbox, signal: AbortSignal | undefined): Promise<void> {
    if (mailbox.active < limits.concurrency) {
      mailbox.active += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        mailbox.waiting.splice(mailbox.waiting.indexOf(admit), 1);
        reject(signal?.reason);
      };
      mailbox.waiting.push(admit);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  return {
    async enter(accountId, signal) {
      const mailbox = mailboxOf(accountId);
      await takePlace(mailbox, signal);
      try {
        for (let wait = waitOf(mailbox); wait > 0; wait = waitOf(mailbox)) {
          if (wait > retry.maxWaitMs) {
            throw new ProviderError('rate-limited', 'the mailbox has used up its requests', { retryAfterMs: wait });
          }
          await clock.sleep(wait, signal);
        }
      } catch (error) {
        leave(mailbox);
        throw error;
      }
      mailbox.allowance -= 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        leave(mailbox);
      };
    },
    hold(accountId, forMs) {
      const mailbox = mailboxOf(accountId);
      mailbox.notBefore = Math.max(mailbox.notBefore, clock.now() + forMs);
    },
  };
}
