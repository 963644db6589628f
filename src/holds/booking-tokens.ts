import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey, type Secrets } from '../runtime/index.ts';

const PURPOSE = 'booking-tokens';
const FORM = /^(hld_[0-9A-Za-z]{22})\.([\w-]{43})$/;

/** Makes and reads the tokens of bookings. Nothing is stored: a token is the id of its hold, and a mark that only we can make. */
export interface BookingTokens {
  create(applicationId: string, holdId: string): string;
  /** Returns the id in a genuine token of the application. */
  read(applicationId: string, token: string): string | undefined;
}

export function createBookingTokens(secrets: Secrets): BookingTokens {
  const mark = (secret: (typeof secrets.all)[number], applicationId: string, holdId: string) =>
    createHmac('sha256', deriveKey(secret, PURPOSE)).update(`${applicationId} ${holdId}`).digest('base64url');
  return {
    create: (applicationId, holdId) => `${holdId}.${mark(secrets.current, applicationId, holdId)}`,
    read(applicationId, token) {
      const [, holdId, given] = FORM.exec(token) ?? [];
      if (holdId === undefined || given === undefined) return undefined;
      const marks = secrets.all.map((secret) => mark(secret, applicationId, holdId));
      return marks.some((each) => timingSafeEqual(Buffer.from(each), Buffer.from(given))) ? holdId : undefined;
    },
  };
}
