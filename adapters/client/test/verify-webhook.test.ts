import { verifyWebhook, WebhookVerificationError } from '@kalends/client/webhooks';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../../src/webhooks/signature.ts';
import { sizeOf } from '../../../test/size-of.ts';
import { type HeadersLike, readHeaders } from '../src/webhooks/hook-headers.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const AT = Date.UTC(2026, 2, 2, 9);
const BODY = '{"eventType":"calendar.event.changed","timestamp":"2026-03-02T08:59:59.123Z"}';
const OPTIONS = { now: () => AT + 1_000 };

const signed = (secrets: readonly string[] = [SECRET], body = BODY) => signatureHeaders(secrets, 'msg_1', AT, body);
const only = (headers: Readonly<Record<string, string>>, prefix: string) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)));
const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.code : error;
  }
  return undefined;
};

describe('verifyWebhook', () => {
  it('verifies the published vector of Standard Webhooks', () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const verified = verifyWebhook('{"test": 2432232314}', headers, secret, { now: () => 1_614_265_330_000 });
    expect(verified).toEqual({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      sentAt: 1_614_265_330_000,
      message: { test: 2432232314 },
    });
  });

  const forms: readonly (readonly [string, (headers: Readonly<Record<string, string>>) => HeadersLike])[] = [
    ['hook-* alone', (headers) => only(headers, 'hook-')],
    ['webhook-* alone', (headers) => only(headers, 'webhook-')],
    ['both', (headers) => headers],
    ['Headers', (headers) => new Headers(headers)],
    ['a Map', (headers) => new Map(Object.entries(headers))],
    ['pairs', (headers) => Object.entries(headers)],
    ['rawHeaders', (headers) => Object.entries(headers).flatMap(([name, value]) => [name.toUpperCase(), value])],
    ['lists', (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
    ['other capitals', (headers) => ({ ...only(headers, 'x'), 'Hook-Id': 'msg_1', ...only(headers, 'hook-') })],
  ];
  it.each(forms)('takes %s', (_name, form) => {
    for (const body of [BODY, Buffer.from(BODY), new Uint8Array(Buffer.from(BODY))]) {
      const verified = verifyWebhook(body, form(signed()), SECRET, OPTIONS);
      expect(verified).toEqual({ id: 'msg_1', sentAt: AT, message: JSON.parse(BODY) });
    }
  });

  it('takes one right signature among several, and any of several secrets', () => {
    const both = signed([OTHER, SECRET]);
    expect(both['hook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    expect(verifyWebhook(BODY, both, SECRET, OPTIONS).id).toBe('msg_1');
    expect(verifyWebhook(BODY, both, OTHER, OPTIONS).id).toBe('msg_1');
    expect(verifyWebhook(BODY, signed([SECRET]), [OTHER, SECRET], OPTIONS).id).toBe('msg_1');
    const unknown = { ...signed(), 'hook-signature': `v1a,xxx ${signed()['hook-signature']}` };
    expect(verifyWebhook(BODY, unknown, SECRET, OPTIONS).id).toBe('msg_1');
  });

  it('says what is wrong', () => {
    const verify = (
      headers: HeadersLike,
      options = OPTIONS,
      secret: string | string[] = SECRET,
      body: unknown = BODY,
    ) => codeOf(() => verifyWebhook(body as string, headers, secret, options));
    const headers = only(signed(), 'hook-');
    expect(verify(headers)).toBeUndefined();
    for (const name of Object.keys(headers)) {
      const { [name]: _left, ...rest } = headers;
      expect(verify(rest)).toBe('MissingHeader');
    }
    expect(verify({})).toBe('MissingHeader');
    expect(verify({ ...headers, 'hook-timestamp': '1772442000abc' })).toBe('InvalidHeader');
    expect(verify({ ...headers, 'hook-id': ['msg_1', 'msg_2'] })).toBe('InvalidHeader');
    expect(verify(headers, { now: () => AT + 301_000 })).toBe('TimestampTooOld');
    expect(verify(headers, { now: () => AT - 301_000 })).toBe('TimestampTooNew');
    expect(verify(headers, { ...OPTIONS, toleranceMs: 500 } as never)).toBe('TimestampTooOld');
    expect(verify({ ...headers, 'hook-signature': '' })).toBe('MissingHeader');
    expect(verify({ ...headers, 'hook-signature': 'v1' })).toBe('InvalidSignature');
    expect(verify(headers, OPTIONS, OTHER)).toBe('InvalidSignature');
    expect(verify(headers, OPTIONS, [])).toBe('InvalidSecret');
    expect(verify(headers, OPTIONS, 'whsec_')).toBe('InvalidSecret');
    expect(verify(headers, OPTIONS, 'a secret')).toBe('InvalidSecret');
    expect(verify(headers, OPTIONS, SECRET, JSON.parse(BODY))).toBe('InvalidBody');
    expect(verify(headers, OPTIONS, SECRET, `\ufeff${BODY}`)).toBe('InvalidSignature');
    expect(verify(headers, OPTIONS, SECRET, Buffer.from([0xff, 0xfe]))).toBe('InvalidSignature');
    expect(verify(signed([SECRET], '"\ufffd"'), OPTIONS, SECRET, '"\ud800"')).toBe('InvalidSignature');
  });
});

it.each([Number.NaN, -1])('a tolerance of %d is refused', (toleranceMs) => {
  const headers = signatureHeaders([SECRET], 'msg_old', 1_000, '{}');
  const verify = () => verifyWebhook('{}', headers, SECRET, { toleranceMs });
  expect(verify).toThrow(new RangeError('toleranceMs: must be from 0 on'));
});

const RUNS = sizeOf('runs', { short: 1_000, long: 20_000 });

describe('interoperation', () => {
  const json = fc.json({ stringUnit: 'binary', maxDepth: 2 }).filter((text) => !/\p{Surrogate}/u.test(text));
  // standardwebhooks goes by the real clock.
  const now = () => Math.floor(Date.now() / 1000) * 1000;

  it(`standardwebhooks and verifyWebhook verify what is signed: ${RUNS} random bodies`, () => {
    fc.assert(
      fc.property(json, fc.uint8Array({ minLength: 32, maxLength: 32 }), (body, key) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const headers = signatureHeaders([secret], 'msg_r', now(), body);
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        expect(verifyWebhook(Buffer.from(body), headers, secret).message).toEqual(JSON.parse(body));
      }),
      { numRuns: RUNS },
    );
  }, 900_000);

  it(`neither accepts a change of one byte or header: ${RUNS} mutations`, () => {
    let accepted = 0;
    fc.assert(
      fc.property(json, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(3), (body, where, flip, part) => {
        const headers = { ...only(signatureHeaders([SECRET], 'msg_r', now(), body), 'webhook-') };
        const bytes = Buffer.from(body);
        const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
        const name = names[part];
        if (name === undefined) bytes[where % bytes.length]! ^= flip;
        else {
          const value = Buffer.from(headers[name]!);
          // The last characters of base64 and the version carry bits that say nothing, the rest must not change.
          const place = name === 'webhook-signature' ? 3 + (where % 42) : where % value.length;
          value[place] = 33 + ((value[place]! - 33 + 1 + (flip % 93)) % 94);
          headers[name] = value.toString('latin1');
        }
        const verifiers = [
          () => verifyWebhook(bytes, headers, SECRET),
          () => new Webhook(SECRET).verify(bytes.toString('utf8'), headers),
        ];
        // standardwebhooks reads "123x" as 123 and bytes that are no text as others: those are ours alone to refuse.
        const isFair = name === undefined ? Buffer.from(bytes.toString('utf8')).equals(bytes) : name !== names[1];
        for (const verify of isFair ? verifiers : verifiers.slice(0, 1)) {
          if (codeOf(verify) === undefined) accepted += 1;
        }
      }),
      { numRuns: RUNS },
    );
    expect(accepted).toBe(0);
  }, 900_000);
});

it('reads headers of every kind alike', () => {
  expect([...readHeaders({ A: ['1', '2'], b: undefined, c: '3' })]).toEqual([
    ['a', ['1', '2']],
    ['c', ['3']],
  ]);
});
