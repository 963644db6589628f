import { CALDAV, DAV } from '../../caldav/wire/names.ts';
import { childOf, readXml, type XmlElement } from '../../caldav/wire/read-xml.ts';

const inDav = (local: string) => ({ uri: DAV, local });
const inCalDav = (local: string) => ({ uri: CALDAV, local });

/** Returns the properties that are there, of each response, with the path. */
function responsesOf(body: string): readonly { readonly href: string; readonly prop: XmlElement }[] {
  return readXml(body)
    .children.filter(({ local }) => local === 'response')
    .flatMap((response) => {
      const href = childOf(response, inDav('href'))?.text ?? '';
      const stats = response.children.filter(({ local }) => local === 'propstat');
      const found = stats.find((stat) => childOf(stat, inDav('status'))?.text.includes(' 200 ') === true);
      const prop = childOf(found, inDav('prop'));
      return prop === undefined ? [] : [{ href, prop }];
    });
}

/** Reads the calendars of a home. `timeZone` is the TZID of the calendar's own zone. */
export function readDavCalendars(body: string) {
  return responsesOf(body)
    .filter(({ prop }) => childOf(childOf(prop, inDav('resourcetype')), inCalDav('calendar')) !== undefined)
    .map(({ href, prop }) => {
      const privileges = childOf(prop, inDav('current-user-privilege-set'))?.children ?? [];
      return {
        id: href,
        name: childOf(prop, inDav('displayname'))?.text ?? '',
        canEdit: privileges.some((privilege) => childOf(privilege, inDav('write-content')) !== undefined),
        timeZone: /^TZID:(\S+)/m.exec(childOf(prop, inCalDav('calendar-timezone'))?.text ?? '')?.[1],
      };
    });
}

/** Reads the bodies of a report, with the last segment of each path. */
export function readDavObjects(body: string): readonly { readonly name: string; readonly data: string }[] {
  return responsesOf(body).flatMap(({ href, prop }) => {
    const data = childOf(prop, inCalDav('calendar-data'))?.text;
    const name = decodeURIComponent(href.split('/').at(-1) ?? '');
    return data === undefined ? [] : [{ name, data }];
  });
}
