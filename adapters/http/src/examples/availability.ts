import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const AVAILABILITY: Readonly<Record<string, OperationExample>> = {
  queryAvailability: {
    body: {
      startDateTime: '2027-03-02T00:00:00Z',
      endDateTime: '2027-03-03T00:00:00Z',
      timeZone: 'Europe/London',
      durationMinutes: 60,
      stepMinutes: 60,
      participants: [
        {
          id: 'ada',
          accounts: [
            {
              endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
              calendarIds: ['ada@gmail.example'],
            },
          ],
          openHours: [
            {
              days: ['MO', 'TU', 'WE', 'TH', 'FR'],
              start: '09:00',
              end: '17:00',
            },
          ],
          bufferAfterMinutes: 15,
        },
        {
          id: 'grace',
          role: 'optional',
          busy: [
            {
              startDateTime: '2027-03-02T12:00:00Z',
              endDateTime: '2027-03-02T13:00:00Z',
            },
          ],
        },
      ],
      orderBy: 'rank',
      limit: 3,
    },
    status: 200,
    response: {
      slots: [
        {
          start: {
            dateTime: '2027-03-02T10:00:00+00:00',
            timeZone: 'Europe/London',
          },
          end: {
            dateTime: '2027-03-02T11:00:00+00:00',
            timeZone: 'Europe/London',
          },
          participants: ['ada', 'grace'],
          absent: [],
          rank: 1,
          reason: 'all required participants are free; optional participants free: 1 of 1',
        },
        {
          start: {
            dateTime: '2027-03-02T11:00:00+00:00',
            timeZone: 'Europe/London',
          },
          end: {
            dateTime: '2027-03-02T12:00:00+00:00',
            timeZone: 'Europe/London',
          },
          participants: ['ada', 'grace'],
          absent: [],
          rank: 2,
          reason: 'all required participants are free; optional participants free: 1 of 1',
        },
        {
          start: {
            dateTime: '2027-03-02T15:00:00+00:00',
            timeZone: 'Europe/London',
          },
          end: {
            dateTime: '2027-03-02T16:00:00+00:00',
            timeZone: 'Europe/London',
          },
          participants: ['ada', 'grace'],
          absent: [],
          rank: 3,
          reason: 'all required participants are free; optional participants free: 1 of 1',
        },
      ],
      total: 5,
      line: [],
      nextPageToken:
        'f04Bc0OY96EaDYfI19xZ2o5jalVTp43G2o1BDrzR2FmalO0o6XMteWuf996Qtqxtb1jxbVWjLR6Al008e9HjQKzgrScWIRn32V1PF2Ai8u21j1M',
    },
  },
  explainAvailability: {
    body: {
      startDateTime: '2027-03-02T00:00:00Z',
      endDateTime: '2027-03-03T00:00:00Z',
      timeZone: 'Europe/London',
      durationMinutes: 60,
      stepMinutes: 60,
      participants: [
        {
          id: 'ada',
          accounts: [
            {
              endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
              calendarIds: ['ada@gmail.example'],
            },
          ],
          openHours: [
            {
              days: ['MO', 'TU', 'WE', 'TH', 'FR'],
              start: '09:00',
              end: '17:00',
            },
          ],
          bufferAfterMinutes: 15,
        },
        {
          id: 'grace',
          role: 'optional',
          busy: [
            {
              startDateTime: '2027-03-02T12:00:00Z',
              endDateTime: '2027-03-02T13:00:00Z',
            },
          ],
        },
      ],
      slotDateTime: '2027-03-02T14:00:00Z',
    },
    status: 200,
    response: {
      start: {
        dateTime: '2027-03-02T14:00:00+00:00',
        timeZone: 'Europe/London',
      },
      end: {
        dateTime: '2027-03-02T15:00:00+00:00',
        timeZone: 'Europe/London',
      },
      isOffered: false,
      obstacles: [
        {
          code: 'busy',
          text: 'ada is busy from 2027-03-02T14:00:00+00:00 to 2027-03-02T14:30:00+00:00',
          participantId: 'ada',
          start: {
            dateTime: '2027-03-02T14:00:00+00:00',
            timeZone: 'Europe/London',
          },
          end: {
            dateTime: '2027-03-02T14:30:00+00:00',
            timeZone: 'Europe/London',
          },
        },
        {
          code: 'busy',
          text: 'ada is busy from 2027-03-02T14:00:00+00:00 to 2027-03-02T14:45:00+00:00',
          participantId: 'ada',
          start: {
            dateTime: '2027-03-02T14:00:00+00:00',
            timeZone: 'Europe/London',
          },
          end: {
            dateTime: '2027-03-02T14:45:00+00:00',
            timeZone: 'Europe/London',
          },
        },
      ],
      participants: [
        {
          id: 'ada',
          isFree: false,
          obstacles: [
            {
              code: 'busy',
              text: 'ada is busy from 2027-03-02T14:00:00+00:00 to 2027-03-02T14:30:00+00:00',
              participantId: 'ada',
              start: {
                dateTime: '2027-03-02T14:00:00+00:00',
                timeZone: 'Europe/London',
              },
              end: {
                dateTime: '2027-03-02T14:30:00+00:00',
                timeZone: 'Europe/London',
              },
            },
            {
              code: 'busy',
              text: 'ada is busy from 2027-03-02T14:00:00+00:00 to 2027-03-02T14:45:00+00:00',
              participantId: 'ada',
              start: {
                dateTime: '2027-03-02T14:00:00+00:00',
                timeZone: 'Europe/London',
              },
              end: {
                dateTime: '2027-03-02T14:45:00+00:00',
                timeZone: 'Europe/London',
              },
            },
          ],
        },
        {
          id: 'grace',
          isFree: true,
          obstacles: [],
        },
      ],
    },
  },
};
