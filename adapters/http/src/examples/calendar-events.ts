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
        'pxVJ5lakK01XTgz72-e8gSivTPtKqMF-oCm0TLMpLqn919gc5a5c0q-os7AbogtY_1GM83amwW-99fZ4EWY90RYbwJ9nDP2JJLTo61j5q4Q6ULiB6Iu64ff0wge7bo0dkGyUzUcMk-CqwOR2t_zxQACkUpyibg4RXeGeoDXcogUe_NCgRyTLFJvgcINe6QI7GNhxOYWSNrRvEDunXbZYPo6BCRsakbzqOYXCjmepjjh_SOinc6HxtGQCG6n_Ta4daNeqwNOSspIlZsvhjEGywCov2q1ZJ4l5aAbx5l5zFj-qr1eIZbEV_QiK72zaxQaEnuHKBeaS569En2EEKNeS-iqIcdAuRMkY70qZRDGDG8JE0kxt_4G_kRisbBfoFfBWaFNZkHafoM1GnSzTkY_qDxxjcu8hqV3mFH8tjBQzJuneAdNBCKQ1pc5kKIU4GNh3ayRR4dArj941hps2GstqIT8i1fbT1N33BVTKMz2jhePBlX3VnHwD842836cyXmpHCQfedjQ3SciDgp3X2IxaAoTPcskwSrK0wzVtJj5zXR6tRGFwFaoGVPNRP-mKdw',
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
      id: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"ZrZ072XnNDg6A_KJPMoCGU"',
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
        'https://www.google.com/calendar/event?eid=a2FsMmY5ZmU0MTU4MGYxZGYxNWE1N2RjM2E2ZDkxZGEzZmQgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kal2f9fe41580f1df15a57dc3a6d91da3fd@google.com',
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
      eventId: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
    },
    status: 200,
    response: {
      id: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"ZrZ072XnNDg6A_KJPMoCGU"',
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
        'https://www.google.com/calendar/event?eid=a2FsMmY5ZmU0MTU4MGYxZGYxNWE1N2RjM2E2ZDkxZGEzZmQgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kal2f9fe41580f1df15a57dc3a6d91da3fd@google.com',
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
      eventId: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
    },
    query: {
      startDateTime: '2027-03-01T00:00:00Z',
      endDateTime: '2027-03-08T00:00:00Z',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'kal2f9fe41580f1df15a57dc3a6d91da3fd_20270302T090000Z',
          title: 'Planning',
          description: 'The next quarter',
          etag: '"YTWWz18RiYFo07XWRae0kk"',
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
          recurringEventId: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
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
            'https://www.google.com/calendar/event?eid=a2FsMmY5ZmU0MTU4MGYxZGYxNWE1N2RjM2E2ZDkxZGEzZmQgYWRhQGdtYWlsLmV4YW1wbGU',
          iCalUid: 'kal2f9fe41580f1df15a57dc3a6d91da3fd@google.com',
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
        '6615xUAAwimHh1AFK9X6s0Y2rhmi4nWWXPbiZIN4GpRPGHMt7lIjYe0j9VFYOfol8gZ6HBHIC2OuCheXj49miQzQmNRTwDD585VITQRFSkI1_ERL8n11m9rgfQENOW1SADZse9p8M2mC9pbiyqOTdDgoREi-mRFXcXcxWukcHWQnchFO7GsXeE5Uxt0yXNz9XFVpCzAC-U9JeGXkbTp0Kk7OIzOWgViSrs9cYXcWbCYDAyCmu4PEM5ALUiEfpZRXbNsCkXzQ41gnXy1P6jvnlBBbajPFlZT35HCH67Jg19qPm-8_2LTHA5BNKjHkYnX_O4KbxhBnDcKiqgHAoTbcJXfTSeeKNgzMDe-C-mMLZnavJ5Ae26PbTFwNYwHuLb4wCz1QRHciYQVN_oE2-NzZxTYztsdI1ScfMVk-AqG0lTZea5idjC5Dp-JTRKP6qkFKxJ_7pcm3zjWvu3tC-fbSlrjU_8GYB_y7jdoc4ad8ABUdLG_CTvSHquJwyRc3VHDp7vLG_FdUXwZJVXNpjJFU_FGd10Q-3phDBn7lJY1ZPsNjqTAWM9JuodGeTzog1BZdaw4EpW_VLFzv_pgfcvvRXg',
    },
  },
  updateEvent: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
    },
    headers: {
      'If-Match': '*',
    },
    body: {
      location: 'Room 4',
    },
    status: 200,
    response: {
      id: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"i73TVUGCuD9KXdLJCT4BVO"',
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
        'https://www.google.com/calendar/event?eid=a2FsMmY5ZmU0MTU4MGYxZGYxNWE1N2RjM2E2ZDkxZGEzZmQgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kal2f9fe41580f1df15a57dc3a6d91da3fd@google.com',
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
      eventId: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
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
      eventId: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
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
      eventId: 'kal2f9fe41580f1df15a57dc3a6d91da3fd',
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
