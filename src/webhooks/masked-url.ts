import { ON_MESSAGE_URL } from '../message-handler.ts';

const MASK = '***';

/**
 * Returns a receiver's URL for operators and logs: user-info, the value of each query parameter and the fragment are masked, since
 * receivers keep tokens there. Scheme, host, path and names of parameters stay.
 */
export function maskedUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  if (text === ON_MESSAGE_URL) return text;
  const { protocol, host, pathname, search, hash, username, password } = new URL(text);
  const userInfo = username === '' && password === '' ? '' : `${MASK}@`;
  return `${protocol}//${userInfo}${host}${pathname}${maskedQuery(search)}${hash === '' ? '' : `#${MASK}`}`;
}

function maskedQuery(search: string): string {
  if (search === '') return '';
  const parameters = search
    .slice(1)
    .split('&')
    .map((parameter) => {
      const end = parameter.indexOf('=');
      // A parameter without a name may be the token itself.
      return end < 0 ? MASK : `${parameter.slice(0, end)}=${MASK}`;
    });
  return `?${parameters.join('&')}`;
}
