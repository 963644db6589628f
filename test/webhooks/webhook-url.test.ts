import { manualClock } from '@kalends/conformance';
import { describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../src/network/address-guard.ts';
import { BLOCKED_PORTS } from '../../src/network/blocked-ports.ts';
import { createWebhookUrlCheck } from '../../src/webhooks/webhook-url.ts';
import { failureOf } from '../accounts/composed-engine.ts';

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'hooks.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'inside.example': ['10.1.2.3'],
  'mixed.example': ['93.184.216.34', '192.168.1.1'],
  localhost: ['127.0.0.1', '::1'],
};

function checkWith(allowedNetworks: readonly string[] = []) {
  const clock = manualClock();
  return createWebhookUrlCheck({
    guard: createAddressGuard(allowedNetworks),
    clock,
    resolveHost: async (host) => {
      const addresses = HOSTS[host];
      if (addresses === undefined) throw new Error('ENOTFOUND');
      return addresses;
    },
  });
}

describe('a webhook URL', () => {
  it.each([
    'https://hooks.example/a?b=c',
    'https://hooks.example:8443/',
    'https://93.184.216.34/',
    'https://[2606:2800:220:1::1]/',
    'https://not-yet-resolving.example/',
  ])('%s is accepted', async (url) => {
    await checkWith().check(url);
  });

  it.each([
    ['plain http', 'http://hooks.example/', 'must be a valid HTTPS URL'],
    ['another scheme', 'ftp://hooks.example/', 'must be a valid HTTPS URL'],
    ['no URL', 'hooks.example', 'must be a valid HTTPS URL'],
    ['white space', 'https://hooks.example/ a', 'must be a valid HTTPS URL'],
    ['a backslash', 'https://hooks.example\\@evil/', 'must be a valid HTTPS URL'],
    ['user-info', 'https://user:pw@hooks.example/', 'must not contain user-info'],
    ['a user alone', 'https://user@hooks.example/', 'must not contain user-info'],
    ['a blocked port', 'https://hooks.example:25/', 'must not use port 25'],
    ['length', `https://hooks.example/${'x'.repeat(2048)}`, 'must be at most 2048 characters'],
    ['localhost', 'https://localhost/', 'must not address a private or reserved network'],
    ['a private name', 'https://inside.example/', 'must not address a private or reserved network'],
    ['one private address', 'https://mixed.example/', 'must not address a private or reserved network'],
  ])('is refused for %s', async (_name, url, rule) => {
    expect(await failureOf(checkWith().check(url))).toMatchObject({
      code: 'InvalidRequest',
      status: 400,
      details: [{ path: 'webhookUrl', message: rule }],
    });
  });

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '[::1]',
    '[::]',
    '[::ffff:10.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::10.0.0.1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[2001:db8::1]',
  ])('is refused for the address %s', async (host) => {
    expect(await failureOf(checkWith().check(`https://${host}/`))).toMatchObject({
      details: [{ path: 'webhookUrl', message: 'must not address a private or reserved network' }],
    });
  });

  it('may address allowed networks, over http too, and no others', async () => {
    const opened = checkWith(['127.0.0.0/8', '::1/128']);
    await opened.check('http://127.0.0.1:9000/hook');
    await opened.check('https://[::1]/');
    await opened.check('http://localhost:9000/');
    await opened.check('https://hooks.example/');
    for (const url of ['https://10.0.0.1/', 'http://10.0.0.1/', 'http://inside.example/']) {
      expect(await failureOf(opened.check(url))).toMatchObject({
        details: [{ message: 'must not address a private or reserved network' }],
      });
    }
    expect(await failureOf(opened.check('http://hooks.example/'))).toMatchObject({
      details: [{ message: 'must use https' }],
    });
  });

  it('is compared with the networks by value, not by spelling', () => {
    expect(() => createAddressGuard(['10.0.0.0'])).toThrow(
      'webhooks.allowedNetworks.0: must be a network in CIDR form',
    );
    expect(createAddressGuard(['10.0.0.0/8']).allows('::ffff:10.1.1.1', 'http:')).toBe(true);
    expect(createAddressGuard(['0.0.0.0/0']).allows('not an address', 'http:')).toBe(false);
    expect(BLOCKED_PORTS.has(443)).toBe(false);
  });
});
