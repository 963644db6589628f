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
      tentativeEvent: {
        writeTo: 'organizer',
        title: 'Hold: Advice',
      },
      rules: {
        openHours: [
          {
            days: ['MO', 'TU', 'WE', 'TH', 'FR'],
            start: '09:00',
            end: '21:00',
          },
        ],
      },
    },
    status: 201,
    response: {
      id: 'hld_atPsAFOhD0n12B8ZYkVree',
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
      assignment: null,
      bookingToken: null,
    },
  },
  getHold: {
    params: {
      holdId: 'hld_atPsAFOhD0n12B8ZYkVree',
    },
    status: 200,
    response: {
      id: 'hld_atPsAFOhD0n12B8ZYkVree',
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
      assignment: null,
      bookingToken: null,
    },
  },
  confirmHold: {
    params: {
      holdId: 'hld_atPsAFOhD0n12B8ZYkVree',
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
      holdId: 'hld_atPsAFOhD0n12B8ZYkVree',
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
        id: 'kal6a60206614a8751b6a9644ff767b5f4a',
        title: 'Advice',
        description: '',
        etag: '"gx682ctVwozsuLBwR_URKH"',
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
          'https://www.google.com/calendar/event?eid=a2FsNmE2MDIwNjYxNGE4NzUxYjZhOTY0NGZmNzY3YjVmNGEgYWRhQGdtYWlsLmV4YW1wbGU',
        iCalUid: 'kal6a60206614a8751b6a9644ff767b5f4a@google.com',
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
      participantEvents: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarId: 'ada@gmail.example',
          eventId: 'kal6a60206614a8751b6a9644ff767b5f4a',
        },
      ],
    },
  },
  getBooking: {
    params: {
      token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
    },
    status: 200,
    response: {
      token: 'hld_0123456789ABCDEFGHIJKL.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
      holdId: 'hld_atPsAFOhD0n12B8ZYkVree',
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
        id: 'kal6a60206614a8751b6a9644ff767b5f4a',
        title: 'Advice',
        description: '',
        etag: '"gx682ctVwozsuLBwR_URKH"',
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
          'https://www.google.com/calendar/event?eid=a2FsNmE2MDIwNjYxNGE4NzUxYjZhOTY0NGZmNzY3YjVmNGEgYWRhQGdtYWlsLmV4YW1wbGU',
        iCalUid: 'kal6a60206614a8751b6a9644ff767b5f4a@google.com',
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
      participantEvents: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarId: 'ada@gmail.example',
          eventId: 'kal6a60206614a8751b6a9644ff767b5f4a',
        },
      ],
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
      holdId: 'hld_atPsAFOhD0n12B8ZYkVree',
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
        id: 'kal6a60206614a8751b6a9644ff767b5f4a',
        title: 'Advice',
        description: '',
        etag: '"EkaSq-s74I8uPKedZvJrKB"',
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
          'https://www.google.com/calendar/event?eid=a2FsNmE2MDIwNjYxNGE4NzUxYjZhOTY0NGZmNzY3YjVmNGEgYWRhQGdtYWlsLmV4YW1wbGU',
        iCalUid: 'kal6a60206614a8751b6a9644ff767b5f4a@google.com',
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
      participantEvents: [
        {
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          calendarId: 'ada@gmail.example',
          eventId: 'kal6a60206614a8751b6a9644ff767b5f4a',
        },
      ],
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
      holdId: 'hld_hs5vea5be35NkCPw3W6RQW',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
