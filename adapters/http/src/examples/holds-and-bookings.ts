import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const HOLDS_AND_BOOKINGS: Readonly<Record<string, OperationExample>> = {
  createHold: {
    body: {
      participants: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarIds: ['ada@gmail.example'],
        },
      ],
      startDateTime: '2027-03-04T18:00:00',
      endDateTime: '2027-03-04T18:30:00',
      timeZone: 'Europe/London',
      expiresInSeconds: 300,
    },
    status: 201,
    response: {
      id: 'hld_MWjVgbksswnj9O4GHqbYRY',
      status: 'held',
      startDateTime: '2027-03-04T18:00:00+00:00',
      endDateTime: '2027-03-04T18:30:00+00:00',
      timeZone: 'Europe/London',
      participants: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarIds: ['ada@gmail.example'],
        },
      ],
      expiresAt: '2027-03-01T09:05:00.000Z',
      createdAt: '2027-03-01T09:00:00.000Z',
    },
  },
  getHold: {
    params: {
      holdId: 'hld_MWjVgbksswnj9O4GHqbYRY',
    },
    status: 200,
    response: {
      id: 'hld_MWjVgbksswnj9O4GHqbYRY',
      status: 'held',
      startDateTime: '2027-03-04T18:00:00+00:00',
      endDateTime: '2027-03-04T18:30:00+00:00',
      timeZone: 'Europe/London',
      participants: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarIds: ['ada@gmail.example'],
        },
      ],
      expiresAt: '2027-03-01T09:05:00.000Z',
      createdAt: '2027-03-01T09:00:00.000Z',
    },
  },
  confirmHold: {
    params: {
      holdId: 'hld_MWjVgbksswnj9O4GHqbYRY',
    },
    body: {
      event: {
        title: 'Advice',
        attendees: [
          {
            email: 'mary@example.com',
            name: 'Mary',
          },
        ],
      },
    },
    status: 201,
    response: {
      token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
      holdId: 'hld_MWjVgbksswnj9O4GHqbYRY',
      startDateTime: '2027-03-04T18:00:00+00:00',
      endDateTime: '2027-03-04T18:30:00+00:00',
      timeZone: 'Europe/London',
      participants: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarIds: ['ada@gmail.example'],
        },
      ],
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      event: {
        id: 'kalfc55f3476a51255e3b3c72415dc99367',
        title: 'Advice',
        description: '',
        etag: '"7nAzVRJa1pNAa1bLIBTNcz"',
        createdAt: '2027-03-01T09:00:00.000Z',
        updatedAt: '2027-03-01T09:00:00.000Z',
        start: {
          dateTime: '2027-03-04T18:00:00+00:00',
          timeZone: 'Europe/London',
        },
        end: {
          dateTime: '2027-03-04T18:30:00+00:00',
          timeZone: 'Europe/London',
        },
        isAllDay: false,
        publicExtendedProperties: {},
        privateExtendedProperties: {},
        isRecurring: false,
        isException: false,
        isCancelled: false,
        recurrence: null,
        myResponseStatus: 'accepted',
        attendees: [
          {
            id: 'mary@example.com',
            name: 'Mary',
            email: 'mary@example.com',
            responseStatus: 'needsAction',
            kind: 'required',
          },
        ],
        visibility: 'default',
        location: '',
        webLink:
          'https://www.google.com/calendar/event?eid=a2FsZmM1NWYzNDc2YTUxMjU1ZTNiM2M3MjQxNWRjOTkzNjcgYWRhQGdtYWlsLmV4YW1wbGU',
        iCalUid: 'kalfc55f3476a51255e3b3c72415dc99367@google.com',
        transparency: 'opaque',
        eventType: 'default',
        organizer: {
          email: 'ada@gmail.example',
          isSelf: true,
        },
        creator: {
          email: 'ada@gmail.example',
        },
        reminders: {
          useDefault: true,
        },
        status: 'confirmed',
        showAs: 'busy',
        categories: [],
        guestsCanModify: false,
        guestsCanInviteOthers: true,
        guestsCanSeeOtherGuests: true,
        hasAttachments: false,
        providerEventType: 'default',
      },
    },
  },
  getBooking: {
    params: {
      token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
    },
    status: 200,
    response: {
      token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
      holdId: 'hld_MWjVgbksswnj9O4GHqbYRY',
      startDateTime: '2027-03-04T18:00:00+00:00',
      endDateTime: '2027-03-04T18:30:00+00:00',
      timeZone: 'Europe/London',
      participants: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarIds: ['ada@gmail.example'],
        },
      ],
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      event: {
        id: 'kalfc55f3476a51255e3b3c72415dc99367',
        title: 'Advice',
        description: '',
        etag: '"7nAzVRJa1pNAa1bLIBTNcz"',
        createdAt: '2027-03-01T09:00:00.000Z',
        updatedAt: '2027-03-01T09:00:00.000Z',
        start: {
          dateTime: '2027-03-04T18:00:00+00:00',
          timeZone: 'Europe/London',
        },
        end: {
          dateTime: '2027-03-04T18:30:00+00:00',
          timeZone: 'Europe/London',
        },
        isAllDay: false,
        publicExtendedProperties: {},
        privateExtendedProperties: {},
        isRecurring: false,
        isException: false,
        isCancelled: false,
        recurrence: null,
        myResponseStatus: 'accepted',
        attendees: [
          {
            id: 'mary@example.com',
            name: 'Mary',
            email: 'mary@example.com',
            responseStatus: 'needsAction',
            kind: 'required',
          },
        ],
        visibility: 'default',
        location: '',
        webLink:
          'https://www.google.com/calendar/event?eid=a2FsZmM1NWYzNDc2YTUxMjU1ZTNiM2M3MjQxNWRjOTkzNjcgYWRhQGdtYWlsLmV4YW1wbGU',
        iCalUid: 'kalfc55f3476a51255e3b3c72415dc99367@google.com',
        transparency: 'opaque',
        eventType: 'default',
        organizer: {
          email: 'ada@gmail.example',
          isSelf: true,
        },
        creator: {
          email: 'ada@gmail.example',
        },
        reminders: {
          useDefault: true,
        },
        status: 'confirmed',
        showAs: 'busy',
        categories: [],
        guestsCanModify: false,
        guestsCanInviteOthers: true,
        guestsCanSeeOtherGuests: true,
        hasAttachments: false,
        providerEventType: 'default',
      },
    },
  },
  moveBooking: {
    params: {
      token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
    },
    body: {
      startDateTime: '2027-03-04T19:00:00',
      endDateTime: '2027-03-04T19:30:00',
      timeZone: 'Europe/London',
    },
    status: 200,
    response: {
      token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
      holdId: 'hld_MWjVgbksswnj9O4GHqbYRY',
      startDateTime: '2027-03-04T19:00:00+00:00',
      endDateTime: '2027-03-04T19:30:00+00:00',
      timeZone: 'Europe/London',
      participants: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarIds: ['ada@gmail.example'],
        },
      ],
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      event: {
        id: 'kalfc55f3476a51255e3b3c72415dc99367',
        title: 'Advice',
        description: '',
        etag: '"xB81gN5_pJgrZbArvCXArV"',
        createdAt: '2027-03-01T09:00:00.000Z',
        updatedAt: '2027-03-01T09:00:00.000Z',
        start: {
          dateTime: '2027-03-04T19:00:00+00:00',
          timeZone: 'Europe/London',
        },
        end: {
          dateTime: '2027-03-04T19:30:00+00:00',
          timeZone: 'Europe/London',
        },
        isAllDay: false,
        publicExtendedProperties: {},
        privateExtendedProperties: {},
        isRecurring: false,
        isException: false,
        isCancelled: false,
        recurrence: null,
        myResponseStatus: 'accepted',
        attendees: [
          {
            id: 'mary@example.com',
            name: 'Mary',
            email: 'mary@example.com',
            responseStatus: 'needsAction',
            kind: 'required',
          },
        ],
        visibility: 'default',
        location: '',
        webLink:
          'https://www.google.com/calendar/event?eid=a2FsZmM1NWYzNDc2YTUxMjU1ZTNiM2M3MjQxNWRjOTkzNjcgYWRhQGdtYWlsLmV4YW1wbGU',
        iCalUid: 'kalfc55f3476a51255e3b3c72415dc99367@google.com',
        transparency: 'opaque',
        eventType: 'default',
        organizer: {
          email: 'ada@gmail.example',
          isSelf: true,
        },
        creator: {
          email: 'ada@gmail.example',
        },
        reminders: {
          useDefault: true,
        },
        status: 'confirmed',
        showAs: 'busy',
        categories: [],
        guestsCanModify: false,
        guestsCanInviteOthers: true,
        guestsCanSeeOtherGuests: true,
        hasAttachments: false,
        providerEventType: 'default',
      },
    },
  },
  cancelBooking: {
    params: {
      token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
    },
    status: 200,
    response: {
      success: true,
    },
  },
  deleteHold: {
    params: {
      holdId: 'hld_rAFArvJuKWbcgvngbtGEtz',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
