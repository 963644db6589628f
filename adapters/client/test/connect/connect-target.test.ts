import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConnectProviders } from '../../src/connect/connect-providers.ts';
import { connectUrl, parsePrompt } from '../../src/connect/connect-target.ts';
import { CONNECT_TEXTS, connectErrorMessage, connectTexts } from '../../src/connect/connect-texts.ts';

const BASE = 'https://app.example/settings/page.html?x=1';
const TARGET = { baseUrl: '/api/', applicationId: 'app_1', providerType: 'PROVIDER_A' };

describe('connectUrl', () => {
  it('resolves addresses against the page', () => {
    const url = connectUrl({ ...TARGET, redirectUrl: '../connected', state: 'abc' }, BASE);
    expect(url.split('?')[0]).toBe('https://app.example/api/v1/oauth/authorize/app_1/provider_a');
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      redirectUrl: 'https://app.example/connected',
      state: 'abc',
    });
  });

  it('keeps an absolute redirect URL as it is written: the service compares characters', () => {
    const redirectUrl = 'https://App.example';
    expect(new URL(connectUrl({ ...TARGET, redirectUrl }, BASE)).searchParams.get('redirectUrl')).toBe(redirectUrl);
  });

  it.each([
    [{ baseUrl: '' }, /"base-url" is required/],
    [{ applicationId: '' }, /"application-id" is required/],
    [{ baseUrl: 'javascript:alert(1)//' }, /"base-url" is not an http/],
    [{ baseUrl: 'data:text/html,x' }, /"base-url" is not an http/],
    [{ baseUrl: 'https://' }, /"base-url" is not an http/],
  ])('refuses %o', (wrong, message) => {
    expect(() => connectUrl({ ...TARGET, ...wrong }, BASE)).toThrow(message);
  });

  it('knows the prompts', () => {
    expect([parsePrompt(null), parsePrompt('none')]).toEqual([undefined, 'none']);
    expect(() => parsePrompt('always')).toThrow(/"prompt" is one of consent, select_account, none/);
  });
});

describe('parseConnectProviders', () => {
  it('reads types and labels', () => {
    expect(parseConnectProviders(' PROVIDER_A = Google , PROVIDER_B=Microsoft = 365,caldav,')).toEqual([
      { type: 'PROVIDER_A', label: 'Google' },
      { type: 'PROVIDER_B', label: 'Microsoft = 365' },
      { type: 'caldav', label: 'caldav' },
    ]);
  });

  it.each([
    ['', /no provider/],
    [' , ', /no provider/],
    ['=Google', /not a name/],
    ['A/../B=Google', /not a name/],
    ['GOOGLE=One,google=Two', /twice/],
  ])('refuses "%s"', (text, message) => {
    expect(() => parseConnectProviders(text)).toThrow(message);
  });
});

describe('texts', () => {
  it('have a sentence for each error that the interface documents', () => {
    const page = readFileSync(new URL('../../../../docs/interface.md', import.meta.url), 'utf8');
    const flow = /^## The browser flow$([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
    const codes = new Set([...flow.matchAll(/`(?:error=)?([a-z]+_[a-z_]+)`/g)].map(([, code = '']) => code));
    codes.delete('error_description');
    codes.delete('redirect_url');
    expect(codes.size).toBeGreaterThanOrEqual(9);
    for (const code of codes) expect(Object.keys(CONNECT_TEXTS.errors)).toContain(code);
  });

  it('are replaced one by one', () => {
    const texts = connectTexts({ connected: 'Verbunden.', errors: { access_denied: 'Abgelehnt.' } });
    expect(connectErrorMessage('access_denied', texts)).toBe('Abgelehnt.');
    expect(connectErrorMessage('server_error', texts)).toBe(CONNECT_TEXTS.errors['server_error']);
    expect(texts.button('Google')).toBe('Connect Google calendar');
  });

  it('name a code without a sentence, also one that objects have as a property', () => {
    for (const code of ['new_code', 'constructor', '__proto__'])
      expect(connectErrorMessage(code)).toContain(`(${code})`);
  });
});
