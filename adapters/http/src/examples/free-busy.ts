import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const FREE_BUSY: Readonly<Record<string, OperationExample>> = {
  queryFreeBusy: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    body: {
      startDateTime: '2027-03-01T00:00:00Z',
      endDateTime: '2027-03-08T00:00:00Z',
      timeZone: 'Europe/London',
      calendarIds: ['ada@gmail.example'],
    },
    status: 200,
    response: [
      {
        calendarId: 'ada@gmail.example',
        busySlots: [
          {
            start: {
              dateTime: '2027-03-01T09:15:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-01T09:30:00+00:00',
              timeZone: 'Europe/London',
            },
          },
          {
            start: {
              dateTime: '2027-03-02T09:15:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-02T09:30:00+00:00',
              timeZone: 'Europe/London',
            },
          },
          {
            start: {
              dateTime: '2027-03-02T14:00:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-02T14:45:00+00:00',
              timeZone: 'Europe/London',
            },
          },
          {
            start: {
              dateTime: '2027-03-03T17:00:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-03T18:00:00+00:00',
              timeZone: 'Europe/London',
            },
          },
          {
            start: {
              dateTime: '2027-03-04T08:00:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-04T09:00:00+00:00',
              timeZone: 'Europe/London',
            },
          },
          {
            start: {
              dateTime: '2027-03-04T09:15:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-04T09:30:00+00:00',
              timeZone: 'Europe/London',
            },
          },
          {
            start: {
              dateTime: '2027-03-04T12:30:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-04T13:30:00+00:00',
              timeZone: 'Europe/London',
            },
          },
          {
            start: {
              dateTime: '2027-03-04T15:00:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-04T16:00:00+00:00',
              timeZone: 'Europe/London',
            },
          },
          {
            start: {
              dateTime: '2027-03-05T11:45:00+00:00',
              timeZone: 'Europe/London',
            },
            end: {
              dateTime: '2027-03-05T12:00:00+00:00',
              timeZone: 'Europe/London',
            },
          },
        ],
      },
    ],
  },
  queryFreeBusyOfAccounts: {
    body: {
      startDateTime: '2027-03-01T00:00:00Z',
      endDateTime: '2027-03-08T00:00:00Z',
      timeZone: 'Europe/London',
      accounts: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarIds: ['ada@gmail.example'],
        },
      ],
    },
    status: 200,
    response: [
      {
        endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
        calendars: [
          {
            calendarId: 'ada@gmail.example',
            busySlots: [
              {
                start: {
                  dateTime: '2027-03-01T09:15:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-01T09:30:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
              {
                start: {
                  dateTime: '2027-03-02T09:15:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-02T09:30:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
              {
                start: {
                  dateTime: '2027-03-02T14:00:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-02T14:45:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
              {
                start: {
                  dateTime: '2027-03-03T17:00:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-03T18:00:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
              {
                start: {
                  dateTime: '2027-03-04T08:00:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-04T09:00:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
              {
                start: {
                  dateTime: '2027-03-04T09:15:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-04T09:30:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
              {
                start: {
                  dateTime: '2027-03-04T12:30:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-04T13:30:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
              {
                start: {
                  dateTime: '2027-03-04T15:00:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-04T16:00:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
              {
                start: {
                  dateTime: '2027-03-05T11:45:00+00:00',
                  timeZone: 'Europe/London',
                },
                end: {
                  dateTime: '2027-03-05T12:00:00+00:00',
                  timeZone: 'Europe/London',
                },
              },
            ],
          },
        ],
      },
    ],
  },
};
