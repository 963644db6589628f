import { expect, test } from 'vitest';
import { maskedUrl } from '../../src/webhooks/index.ts';

test.each([
  ['https://receiver.example/hook', 'https://receiver.example/hook'],
  ['https://receiver.example:8443/a/b?token=t1&tenant=7', 'https://receiver.example:8443/a/b?token=***&tenant=***'],
  ['https://receiver.example/?t0ken', 'https://receiver.example/?***'],
  ['https://receiver.example/?a=b=c&', 'https://receiver.example/?a=***&***'],
  ['https://user:pass@receiver.example/hook#f', 'https://***@receiver.example/hook#***'],
  ['https://:pass@receiver.example/', 'https://***@receiver.example/'],
  ['kalends:onMessage', 'kalends:onMessage'],
  ['no url', '***'],
])('%s is shown as %s', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown);
});
