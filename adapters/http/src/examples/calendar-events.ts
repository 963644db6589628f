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
        'bjwcVDh483u271N2sd8PcdBv-R4dLcc0K5Jn-YdAbmoEr8VzEBNSDVRuIcTFP5Nk2OIWvqQPlX1K5dqRc3F_SPdJ6VGOVu7tySLqXOWJAuFWJDBrgbRnPwrWg3oHYnIiECZEJOpT92zDD5ajMfPtMOuDdPuFous5SvKSPbBvWQoBIPh7AWzs3fth5Chb8ns6mVtQAmGPPp-RgEWEyJnULKxLkvMBp01p671SonptrUaKJKZAMl9--JtHwO_Y1Je0PLf42nEzx_5AySVYoZSrJLkcugSlP_-nG8ttfDPlDrDVBXX4cBF2qoTeYw-wVVlYgD28WIdgbfyfLVTc7mLs71cDyNlgdmozIDENqdzMrNsz49p77cxu-GvRws7zGc3qIjKBo_5cC8O-lIZkuJUv0YDAouQQCGJzWtiSCmkWEAtACBF1y09wl9jMSEF7HET_2ZoABbLxStWghQrX3y2J1A0sAPBFltosucJhDIstEmHnSIy0QrlvE-BG55iFLmBy412OaWiECQ-lQq7o8UbUPc8wTDQNnTvPw1mOMDZrx2NTvEPWyKy2tNuJSmA6lQ',
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
      id: 'kal289374288b481215e562c27f028c1b3e',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"UiOYpaNN0xnEwsiC6ywYE_"',
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
        'https://www.google.com/calendar/event?eid=a2FsMjg5Mzc0Mjg4YjQ4MTIxNWU1NjJjMjdmMDI4YzFiM2UgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kal289374288b481215e562c27f028c1b3e@google.com',
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
      eventId: 'kal289374288b481215e562c27f028c1b3e',
    },
    status: 200,
    response: {
      id: 'kal289374288b481215e562c27f028c1b3e',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"UiOYpaNN0xnEwsiC6ywYE_"',
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
        'https://www.google.com/calendar/event?eid=a2FsMjg5Mzc0Mjg4YjQ4MTIxNWU1NjJjMjdmMDI4YzFiM2UgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kal289374288b481215e562c27f028c1b3e@google.com',
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
      eventId: 'kal289374288b481215e562c27f028c1b3e',
    },
    query: {
      startDateTime: '2027-03-01T00:00:00Z',
      endDateTime: '2027-03-08T00:00:00Z',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'kal289374288b481215e562c27f028c1b3e_20270302T090000Z',
          title: 'Planning',
          description: 'The next quarter',
          etag: '"5K_wRYDEi1SGHkgC3m7ip6"',
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
          recurringEventId: 'kal289374288b481215e562c27f028c1b3e',
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
            'https://www.google.com/calendar/event?eid=a2FsMjg5Mzc0Mjg4YjQ4MTIxNWU1NjJjMjdmMDI4YzFiM2UgYWRhQGdtYWlsLmV4YW1wbGU',
          iCalUid: 'kal289374288b481215e562c27f028c1b3e@google.com',
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
        'TyB1Bcyq2Mjxgs7AdBjFV9P1JLka0CWUqgXQahXbzIa1flyPLOYUdPkeve5BBT1kRtz1cUMgg60EackqmJfYsW8HsBgtNCe-nfZd_bJbr9ifSWlZ8Zw-XPCrNFnB83aA_VyGXp6lYAvY8prJlNG9Tts1HeyEu4Pv1sKCzzKkC8k-PoChbbDTfji583Re_Jv4xld794Xo2pF9rOgwASIwO_y1_7R9ijHDJhuvR64l8tLqlDdXwqYoyXJV45qd-NwMKR4hi_QlqSzuQr9q7jlPTGmE256QwxpR9UuJY_eVPDzrCrhZ0feYC0xhZam-wy7JHBJG6zcxow1i-pb5sHguNxIxdNsDxa7tQJiDp_Y-VBXnLp9pAjMd7G6FxdKYSp0ARqx-3RPdVKCD_Lre-MestaeOoClh6zHvs1MkADPUsAmriMc7ho75e_-f5fcaYNXjtyoi5UhSLK6aVUVQSL1bchHsMayRERNee8yUFJhRgrFZ72p-ULZk331ZMhvalJkgarYhjEKL_VUGK4xjsLUPlHbV1pGvV9dYt7tqBlZ3Zqu7_Vlm-cVN8xGqAFo4OWvWmvPncSQ1-4AHld0cbIo-ZQ',
    },
  },
  updateEvent: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kal289374288b481215e562c27f028c1b3e',
    },
    headers: {
      'If-Match': '*',
    },
    body: {
      location: 'Room 4',
    },
    status: 200,
    response: {
      id: 'kal289374288b481215e562c27f028c1b3e',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"F0lo063Q4etVGoNrH5Gdsn"',
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
        'https://www.google.com/calendar/event?eid=a2FsMjg5Mzc0Mjg4YjQ4MTIxNWU1NjJjMjdmMDI4YzFiM2UgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kal289374288b481215e562c27f028c1b3e@google.com',
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
      eventId: 'kal289374288b481215e562c27f028c1b3e',
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
      eventId: 'kal289374288b481215e562c27f028c1b3e',
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
      eventId: 'kal289374288b481215e562c27f028c1b3e',
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
