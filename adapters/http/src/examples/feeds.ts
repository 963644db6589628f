import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const FEEDS: Readonly<Record<string, OperationExample>> = {
  createFeed: {
    body: {
      name: 'Office hours',
      calendars: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarId: 'ada@gmail.example',
        },
      ],
      detail: 'busy',
    },
    status: 201,
    response: {
      feed: {
        id: 'fed_wltzcF4O6RrdRgGS2qqWjn',
        name: 'Office hours',
        detail: 'busy',
        calendars: [
          {
            endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
            calendarId: 'ada@gmail.example',
          },
        ],
        createdAt: '2027-03-01T09:00:00.000Z',
      },
      url: 'http://kalends.test/api/v1/feeds/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg.ics',
    },
  },
  listFeeds: {
    query: {
      limit: '50',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'fed_wltzcF4O6RrdRgGS2qqWjn',
          name: 'Office hours',
          detail: 'busy',
          calendars: [
            {
              endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
              calendarId: 'ada@gmail.example',
            },
          ],
          createdAt: '2027-03-01T09:00:00.000Z',
        },
      ],
      nextPageToken: null,
    },
  },
  readFeed: {
    params: {
      secret: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
    },
    status: 200,
    response:
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//kalends//kalends//EN\r\nCALSCALE:GREGORIAN\r\nMETHOD:PUBLISH\r\nNAME:Office hours\r\nX-WR-CALNAME:Office hours\r\nX-WR-TIMEZONE:Europe/London\r\nREFRESH-INTERVAL;VALUE=DURATION:PT60M\r\nX-PUBLISHED-TTL:PT60M\r\nBEGIN:VEVENT\r\nUID:10325cd08ae7776610e070cf5ceb59ae@busy\r\nDTSTAMP:19700101T000000Z\r\nDTSTART;TZID=America/New_York:20270302T090000\r\nDTEND;TZID=America/New_York:20270302T093000\r\nCREATED:19700101T000000Z\r\nLAST-MODIFIED:19700101T000000Z\r\nSUMMARY:Busy\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  },
  deleteFeed: {
    params: {
      feedId: 'fed_wltzcF4O6RrdRgGS2qqWjn',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
