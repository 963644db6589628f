import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const CALENDARS: Readonly<Record<string, OperationExample>> = {
  listCalendars: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    query: {
      limit: '50',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'ada@gmail.example',
          name: 'ada@gmail.example',
          hexColor: '#9fe1e7',
          readOnly: false,
          isPrimary: true,
          isShared: false,
          timeZone: 'Europe/London',
          inviteEmail: 'ada@gmail.example',
          allowedOnlineMeetingProviders: ['hangoutsMeet'],
          defaultOnlineMeetingProvider: 'hangoutsMeet',
        },
      ],
      nextSyncToken:
        'nSUiOc7Ov2RPIHUFzKrYyFnHprTR2l5IqjE1TQfR4BxQ36PgmfJkqMsOb8Pqs3guGnFXJOidW4oYBX0cIKrmaQMkXp4w_3gEhAPY6XvrvBqbUecYMhauoeW8ZZgfhCqEc6b7HAddu45nfdh9J70aU7TS3mEwvtC9cncAYa-Mt4s4p47lCELL-wmrTtT7AHG_-BpTr6k8wDNxPrvqMZsks92KJuGKzOqtQw0mSk2LzvekWxI-u5YRLqCZFjZeOvTwY4UXdGHDghVo71j6wNB8AyTlaUDdTYpecNwKQPQkX_hNQZqoLVQj213g',
    },
  },
  getCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
    },
    status: 200,
    response: {
      id: 'ada@gmail.example',
      name: 'ada@gmail.example',
      hexColor: '#9fe1e7',
      readOnly: false,
      isPrimary: true,
      isShared: false,
      timeZone: 'Europe/London',
      inviteEmail: 'ada@gmail.example',
      allowedOnlineMeetingProviders: ['hangoutsMeet'],
      defaultOnlineMeetingProvider: 'hangoutsMeet',
    },
  },
  createCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    headers: {
      'Idempotency-Key': 'create-calendar-42',
    },
    body: {
      name: 'Rehearsals',
      timeZone: 'Europe/London',
    },
    status: 201,
    response: {
      id: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
      name: 'Rehearsals',
      hexColor: '#ffad46',
      readOnly: false,
      isPrimary: false,
      isShared: false,
      timeZone: 'Europe/London',
      inviteEmail: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
      allowedOnlineMeetingProviders: ['hangoutsMeet'],
      defaultOnlineMeetingProvider: 'hangoutsMeet',
    },
  },
  updateCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
    },
    body: {
      name: 'Choir',
    },
    status: 200,
    response: {
      id: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
      name: 'Choir',
      hexColor: '#ffad46',
      readOnly: false,
      isPrimary: false,
      isShared: false,
      timeZone: 'Europe/London',
      inviteEmail: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
      allowedOnlineMeetingProviders: ['hangoutsMeet'],
      defaultOnlineMeetingProvider: 'hangoutsMeet',
    },
  },
  exportCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
    },
    status: 200,
    response:
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//kalends//kalends//EN\r\nCALSCALE:GREGORIAN\r\nNAME:Choir\r\nX-WR-CALNAME:Choir\r\nX-WR-TIMEZONE:Europe/London\r\nBEGIN:VEVENT\r\nUID:kalc1b1b4b426372f17269cc5fe45215f81@google.com\r\nDTSTAMP:20270301T090000Z\r\nDTSTART;TZID=Europe/London:20270303T180000\r\nDTEND;TZID=Europe/London:20270303T190000\r\nCREATED:20270301T090000Z\r\nLAST-MODIFIED:20270301T090000Z\r\nSUMMARY:Rehearsal\r\nRRULE:FREQ=WEEKLY;COUNT=4\r\nX-KALENDS-GUESTS-CAN-MODIFY:FALSE\r\nX-KALENDS-GUESTS-CAN-INVITE:TRUE\r\nX-KALENDS-REMINDERS:DEFAULT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  },
  importCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
    },
    query: {
      dryRun: 'true',
    },
    body: 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:concert@example.com\r\nDTSTART:20270310T190000Z\r\nDTEND:20270310T210000Z\r\nSUMMARY:Concert\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    status: 202,
    response: {
      id: 'imp_TyutlkDpk3D9iPzvvFoZBw',
      calendarId: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
      state: 'running',
      dryRun: true,
      error: null,
      counts: {
        waiting: 1,
        created: 0,
        updated: 0,
        unchanged: 0,
        refused: 0,
      },
      problems: [],
      nextPageToken: null,
      createdAt: '2027-03-01T09:00:00.000Z',
      finishedAt: null,
    },
  },
  getImport: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
      importId: 'imp_TyutlkDpk3D9iPzvvFoZBw',
    },
    status: 200,
    response: {
      id: 'imp_TyutlkDpk3D9iPzvvFoZBw',
      calendarId: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
      state: 'running',
      dryRun: true,
      error: null,
      counts: {
        waiting: 1,
        created: 0,
        updated: 0,
        unchanged: 0,
        refused: 0,
      },
      problems: [],
      nextPageToken: null,
      createdAt: '2027-03-01T09:00:00.000Z',
      finishedAt: null,
    },
  },
  deleteCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'c_p9xehytb4odahp5b4nb05mbx7u9bzsgicze9xybw@group.calendar.google.com',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
