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
        'z28UiPLhdDp_bL1Nc3xjsl7F75LDoOyFwSvko3ptuL1G4udM5q08oz-KwQzDG2fhYGmhg7fhRgVg4Lcb4R0KfJA2jGlk4614GNiJBliYvE4vrgS58JrXCzxsqkh4jyeUck9FrfhuKi10tihjGfG3Al_NTOKOaatLxB9YSWMzSsort8_v6ooSP8oDOiecc-YQ-QUxXA4AwvzslOBY43OptiAzPYYDwKNpdPrJPRt8-pY3lAYsXZWIR9ITXeNef4nbUFC2cWHL7WFtnyoBYWJguGgW2waXi00VvtxnSLj-mxVMLKgOdU90rFGSbiACoRxo76YnJtnpcCM0d0sg-CkqaH87uG5zGJ_5yn7o3AmRO4keevVpZPwJxmofpHCBJ426-_XNMnyN80Nmk74-86B3MM_BblKXKgvQ2F28L6AXN05JLfyqjyqlvX131HqlZ_FygDNkkCe67Vig49EqlqwClewsS8-LwwVBZ-gRbxQgUtCu1jaGkEN6OVmLCMkN-z1mIdOfamzbewq979DAC8BKhO4iUch3jIodiIpztY_y2gurA_Na2fdgkvEIt0KmtA',
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
      id: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"dOxULeEoYknBykA9TKjqYF"',
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
        'https://www.google.com/calendar/event?eid=a2FsZjgyMmMxOTViNmZmZDA4ZjVhZWQ1MjU3YzRmZmJhZGMgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kalf822c195b6ffd08f5aed5257c4ffbadc@google.com',
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
      eventId: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
    },
    status: 200,
    response: {
      id: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"dOxULeEoYknBykA9TKjqYF"',
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
        'https://www.google.com/calendar/event?eid=a2FsZjgyMmMxOTViNmZmZDA4ZjVhZWQ1MjU3YzRmZmJhZGMgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kalf822c195b6ffd08f5aed5257c4ffbadc@google.com',
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
      eventId: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
    },
    query: {
      startDateTime: '2027-03-01T00:00:00Z',
      endDateTime: '2027-03-08T00:00:00Z',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'kalf822c195b6ffd08f5aed5257c4ffbadc_20270302T090000Z',
          title: 'Planning',
          description: 'The next quarter',
          etag: '"elfLS_Tbbbn6mZQ0lWjSgJ"',
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
          recurringEventId: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
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
            'https://www.google.com/calendar/event?eid=a2FsZjgyMmMxOTViNmZmZDA4ZjVhZWQ1MjU3YzRmZmJhZGMgYWRhQGdtYWlsLmV4YW1wbGU',
          iCalUid: 'kalf822c195b6ffd08f5aed5257c4ffbadc@google.com',
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
        'PTys-o55OhFTqBnDsR7DMnelwhlXl3Nin2lSkHnbXkAqVmVJp872wU45dDGnFbIWavVm4NTCIqe2kclw1Y-h7GWgt-EmAgBh3ElvDHx-6DvlSWGoIE3eihsbySX13GhKcrofGoX4UlVVXAGSksHwNVs4CXIIxhEUjTyaG04Dsh3yswzwkcM8H1aES1grrNZ5VUs1vbsyNrVFgvlSS4XQBVLPuyPQciLMooilqoTtWtF4TC0F_aCEQbn51JaFU-9EnK7lP4FpdFzg4-XRwMkgfKslwpKxu-NQOHjKNn0Sa7qmRXPNAJ2uDrA_WVsjjfP7e6EQjQLB1Ir3xI0X3qM8DtLePMf0ltJVZ6uI5_s-VWIMbX2o1b07vBh-dg20Wfu48MLu8WIjor7m_S7P_8KsbtvWMqlcLBdI0dQgo0NuDMwYJlvBsRYzgJVFOeGcIa0vPnfHO5vWQWgTcEDTpe6cnNgv6IRo2C6aGrFD5Ai8Kd2Nm99omg5Gt_tUxHjJ2v0oRVsshAiysPnkHn0heH6_HdOvbNH8Y5hk1p-bVMWNRmDzULm5fptyQbdCCQs2aq3ka1OvgcrEwDdyMqAtwwKS0w',
    },
  },
  updateEvent: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      eventId: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
    },
    headers: {
      'If-Match': '*',
    },
    body: {
      location: 'Room 4',
    },
    status: 200,
    response: {
      id: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
      title: 'Planning',
      description: 'The next quarter',
      etag: '"fKdctAGH89zMqFeapelJEN"',
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
        'https://www.google.com/calendar/event?eid=a2FsZjgyMmMxOTViNmZmZDA4ZjVhZWQ1MjU3YzRmZmJhZGMgYWRhQGdtYWlsLmV4YW1wbGU',
      iCalUid: 'kalf822c195b6ffd08f5aed5257c4ffbadc@google.com',
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
      eventId: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
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
      eventId: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
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
      eventId: 'kalf822c195b6ffd08f5aed5257c4ffbadc',
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
