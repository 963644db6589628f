import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_FEEDS: Readonly<Record<string, OperationExample>> = {
  publishFeed: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    body: {
      name: 'Office hours',
      calendars: ['acc_bYd3pG4wyVRZ8SGjgc8u5S/ada@gmail.example'],
      detail: 'busy',
    },
    status: 201,
    response: {
      feed: {
        id: 'fed_kMtpsmv3lSksdbSqcEduRz',
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
  listPublishedFeeds: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'fed_kMtpsmv3lSksdbSqcEduRz',
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
  revokeFeed: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      feed: 'fed_kMtpsmv3lSksdbSqcEduRz',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
