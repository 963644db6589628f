import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const CALENDAR_EVENTS: Readonly<Record<string, OperationExample>> = {
  listEvents: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
    },
    query: {
      startDateTime: '2027-03-01T00:00:00Z',
      endDateTime: '2027-03-08T00:00:00Z',
      expandRecurrences: 'true',
      orderBy: 'startDateTime',
      timeZone: 'Europe/London',
      limit: '50',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'hge8hedb0u8hu1kk1lr8oeflu0_20270301T091500Z',
          title: 'Stand-up',
          description: '',
          etag: '"bZ8qTYsP1_UrI63IkJ5IDv"',
          createdAt: '2027-03-01T09:00:00.000Z',
          updatedAt: '2027-03-01T09:00:00.000Z',
          start: {
            dateTime: '2027-03-01T09:15:00+00:00',
            timeZone: 'Europe/London',
          },
          end: {
            dateTime: '2027-03-01T09:30:00+00:00',
            timeZone: 'Europe/London',
          },
          isAllDay: false,
          publicExtendedProperties: {},
          privateExtendedProperties: {},
          isRecurring: false,
          isException: true,
          isCancelled: false,
          recurrence: null,
          originalStart: {
            dateTime: '2027-03-01T09:15:00+00:00',
            timeZone: 'Europe/London',
          },
          recurringEventId: 'hge8hedb0u8hu1kk1lr8oeflu0',
          myResponseStatus: 'accepted',
          attendees: [],
          visibility: 'default',
          location: '',
          webLink:
            'https://www.google.com/calendar/event?eid=aGdlOGhlZGIwdThodTFrazFscjhvZWZsdTAgYWRhQGdtYWlsLmV4YW1wbGU',
          iCalUid: 'work-ada@gmail.example-stand-up@demo.sandbox.invalid',
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
      ],
      nextSyncToken:
        'pc_DIhrjvqZur2GPtOXFENjTg-ehUk-KQRMZArPgM0OsFfDo_3e7GL-1D0IXIwHDG-YOK-LbXVgh9291OOj0-VS5_8ISUzYYWeQb_R8My41TGE1t1DRSC7On2vV46KZFRJB-aiWswkvyCl2qSRAvduROLYJI_V_3PfqVtVLtAua9mc-_6bORAQeKx7y02tat0bBBm-J-T4nHCIhkqXSIPQczMVsESB3vQfKdMzy8-6-Vsy7o0-z2j8GkVd6guk9xDOuqQbH408J9N9xPL2ada3pgC-OzpCxs7eYQ9xLuewz7p2nfVfYvgFylhwNZ_sFDy15mZsCJpONDVw1K5IVsjc2ryJLIovHhb5YFnc9uTAgqMOB8lcQp6UAlK5JyKXR35NAIX72YPKXo3loMRJfWZcB82s9K8XLMuT1P5KOrZ7zSlfyJACVvzNjaXr7LpcUHdXLi4Cb6OcDAtWJWFdVhADzVjkWGSQr9Le30RNRNHAbiMvhGN-9V3yyp6fz06kKph_VQ5KMEAlx50WsTy6RGajavJHhLpMJAWno9vgzhHJJs8rC85hDe2vaduqaEPg',
      revision: '1-fcf42eb9',
    },
  },
  createEvent: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
    },
    headers: {
      'Idempotency-Key': 'create-event-42',
    },
    body: {
      title: 'Planning',
      description: 'The next quarter',
      location: 'Room 3',
      start: {
        dateTime: '2027-03-02T09:00:00',
        timeZone: 'Europe/London',
      },
      end: {
        dateTime: '2027-03-02T10:00:00',
        timeZone: 'Europe/London',
      },
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10'],
      attendees: [
        {
          email: 'mary@example.org',
        },
      ],
    },
    status: 201,
    response: {
      id: 'kalf471d4c947c405e07007ac9288561ec9',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"xmwSDUPf_jIL1-xOzu3h8R"',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
      start: {
        dateTime: '2027-03-02T09:00:00+00:00',
        timeZone: 'Europe/London',
      },
      end: {
        dateTime: '2027-03-02T10:00:00+00:00',
        timeZone: 'Europe/London',
      },
      isAllDay: false,
      publicExtendedProperties: {},
      privateExtendedProperties: {},
      isRecurring: true,
      isException: false,
      isCancelled: false,
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10'],
      myResponseStatus: 'accepted',
      attendees: [
        {
          id: 'mary@example.org',
          name: '',
          email: 'mary@example.org',
          responseStatus: 'needsAction',
          kind: 'required',
        },
      ],
      visibility: 'default',
      location: 'Room 3',
      webLink:
        'https://www.google.com/calendar/event?eid=a2FsZjQ3MWQ0Yzk0N2M0MDVlMDcwMDdhYzkyODg1NjFlYzkgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kalf471d4c947c405e07007ac9288561ec9@google.com',
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
  getEvent: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kalf471d4c947c405e07007ac9288561ec9',
    },
    status: 200,
    response: {
      id: 'kalf471d4c947c405e07007ac9288561ec9',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"xmwSDUPf_jIL1-xOzu3h8R"',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
      start: {
        dateTime: '2027-03-02T09:00:00+00:00',
        timeZone: 'Europe/London',
      },
      end: {
        dateTime: '2027-03-02T10:00:00+00:00',
        timeZone: 'Europe/London',
      },
      isAllDay: false,
      publicExtendedProperties: {},
      privateExtendedProperties: {},
      isRecurring: true,
      isException: false,
      isCancelled: false,
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10'],
      myResponseStatus: 'accepted',
      attendees: [
        {
          id: 'mary@example.org',
          name: '',
          email: 'mary@example.org',
          responseStatus: 'needsAction',
          kind: 'required',
        },
      ],
      visibility: 'default',
      location: 'Room 3',
      webLink:
        'https://www.google.com/calendar/event?eid=a2FsZjQ3MWQ0Yzk0N2M0MDVlMDcwMDdhYzkyODg1NjFlYzkgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kalf471d4c947c405e07007ac9288561ec9@google.com',
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
  listOccurrences: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kalf471d4c947c405e07007ac9288561ec9',
    },
    query: {
      startDateTime: '2027-03-01T00:00:00Z',
      endDateTime: '2027-03-08T00:00:00Z',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'kalf471d4c947c405e07007ac9288561ec9_20270302T090000Z',
          title: 'Planning',
          description: 'The next quarter',
          etag: '"lHKfG3fsqpUDsLNyjHCA8p"',
          createdAt: '2027-03-01T09:00:00.000Z',
          updatedAt: '2027-03-01T09:00:00.000Z',
          start: {
            dateTime: '2027-03-02T09:00:00+00:00',
            timeZone: 'Europe/London',
          },
          end: {
            dateTime: '2027-03-02T10:00:00+00:00',
            timeZone: 'Europe/London',
          },
          isAllDay: false,
          publicExtendedProperties: {},
          privateExtendedProperties: {},
          isRecurring: false,
          isException: true,
          isCancelled: false,
          recurrence: null,
          originalStart: {
            dateTime: '2027-03-02T09:00:00+00:00',
            timeZone: 'Europe/London',
          },
          recurringEventId: 'kalf471d4c947c405e07007ac9288561ec9',
          myResponseStatus: 'accepted',
          attendees: [
            {
              id: 'mary@example.org',
              name: '',
              email: 'mary@example.org',
              responseStatus: 'needsAction',
              kind: 'required',
            },
          ],
          visibility: 'default',
          location: 'Room 3',
          webLink:
            'https://www.google.com/calendar/event?eid=a2FsZjQ3MWQ0Yzk0N2M0MDVlMDcwMDdhYzkyODg1NjFlYzkgYWRhQGdtYWlsLmV4YW1wbGU',
          iCalUid: 'kalf471d4c947c405e07007ac9288561ec9@google.com',
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
      ],
      nextSyncToken:
        'W68PZsFfkX9kU0adS-y3SCnqCYO2yzF5qoyRiU6aY2_CQVMbH-k8h5C2f0tmbLudgt0_dSKjF3F8ZPQjVea737GSzWSQcHZZJz3R6kA-Md_-YJYMSkCHw2dXq24JT2btP1ptOof4S_sJvSFhaKwdC9-IdLoVeI5Yy0AjgnFYncyezCeb4FV8tl4HaYN5NLBO4yNumV_PjsxHaTe0cUdBOsA5p3nwgLW-4-JUkAoX73sOBypFcMXsSXzeJTRV7mFG7lQIaGMSLQ1uoY8R-qzevmCaXLbSfT-AGb6Vldkdu8Xn00OULnj6vdEb69HKA9YU-5RfIqBOAPWh8w6lT1r2wAMaVKNcd1bx3SwFqZ9C3pXxYa4y7mVocVX-JrJmlmZHFQZyo_wqyKfimavUpPzu1xJrpO8TSksKj4A1LTZw_Cym5MNnP1riiXmzT-G-pRZ4QRO0R0fyAL_nyU8Z7dOkg0jpCRSwlV5O5qyZmcn83vxdMpH12nmmxSvmYk_u2muTMLDHPfelxKzNDYIn6RdLjbxEg-JDRe1AoyZpKP-dhq-gtHSjBUbjlblv5Fyoal_PdrxnENOmaLVULb2COWPnLQ',
      revision: '2-9f47d537',
    },
  },
  updateEvent: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kalf471d4c947c405e07007ac9288561ec9',
    },
    headers: {
      'If-Match': '*',
    },
    body: {
      location: 'Room 4',
    },
    status: 200,
    response: {
      id: 'kalf471d4c947c405e07007ac9288561ec9',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"nJgywlGiFX3vWfEXDsa7lm"',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
      start: {
        dateTime: '2027-03-02T09:00:00+00:00',
        timeZone: 'Europe/London',
      },
      end: {
        dateTime: '2027-03-02T10:00:00+00:00',
        timeZone: 'Europe/London',
      },
      isAllDay: false,
      publicExtendedProperties: {},
      privateExtendedProperties: {},
      isRecurring: true,
      isException: false,
      isCancelled: false,
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10'],
      myResponseStatus: 'accepted',
      attendees: [
        {
          id: 'mary@example.org',
          name: '',
          email: 'mary@example.org',
          responseStatus: 'needsAction',
          kind: 'required',
        },
      ],
      visibility: 'default',
      location: 'Room 4',
      webLink:
        'https://www.google.com/calendar/event?eid=a2FsZjQ3MWQ0Yzk0N2M0MDVlMDcwMDdhYzkyODg1NjFlYzkgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kalf471d4c947c405e07007ac9288561ec9@google.com',
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
  getDescription: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kalf471d4c947c405e07007ac9288561ec9',
    },
    query: {
      format: 'html',
    },
    status: 200,
    response: {
      format: 'html',
      content: 'The next quarter',
    },
  },
  listAttachments: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kalf471d4c947c405e07007ac9288561ec9',
    },
    status: 200,
    response: {
      data: [],
    },
  },
  respondToEvent: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'jmq47ndfiui4rsa1jge99brrhs',
    },
    body: {
      responseStatus: 'accepted',
    },
    status: 200,
    response: {
      success: true,
    },
  },
  deleteEvent: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kalf471d4c947c405e07007ac9288561ec9',
    },
    query: {
      scope: 'all',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
