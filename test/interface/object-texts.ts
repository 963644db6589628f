/** Returns another text for the object of a path, as `/caldav/calendars/ada/personal/a.ics`; the same text leaves it as it is. */
export type TextOf = (path: string, text: string) => string;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};
const PLAIN = new Map(Object.entries(ESCAPES).map(([sign, written]) => [written, sign]));

const escaped = (text: string): string => text.replaceAll(/[&<>"\r]/g, (sign) => ESCAPES[sign] ?? sign);
const unescaped = (xml: string): string => xml.replaceAll(/&[#\w]+;/g, (written) => PLAIN.get(written) ?? written);

/** Returns the path of an address, decoded. */
export const pathOfUrl = (url: string): string => decodeURIComponent(new URL(url, 'http://sandbox.test').pathname);

/** Changes the texts of CalDAV objects in the answer to a multiget or GET. */
export async function withObjectTexts(
  method: string,
  url: string,
  response: Response,
  textOf: TextOf,
): Promise<Response> {
  const isList = response.status === 207;
  const isObject = method === 'GET' && response.status === 200 && isCalendar(response.headers);
  if (!isList && !isObject) return response;
  const body = await response.text();
  const changed = isObject ? textOf(pathOfUrl(url), body) : inMultistatus(body, textOf);
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(changed, { status: response.status, headers });
}

const isCalendar = (headers: Headers): boolean => headers.get('content-type')?.startsWith('text/calendar') === true;

function inMultistatus(body: string, textOf: TextOf): string {
  return body.replaceAll(/<D:response>.*?<\/D:response>/gs, (response) => {
    const [, href = ''] = /<D:href>(.*?)<\/D:href>/.exec(response) ?? [];
    return response.replace(
      /(<C:calendar-data[^>]*>)(.*?)(<\/C:calendar-data>)/s,
      (_all, open: string, data: string, close: string) =>
        `${open}${escaped(textOf(pathOfUrl(unescaped(href)), unescaped(data)))}${close}`,
    );
  });
}
