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
        'y_YSHC_0FIPXTqX6LBYOnVdinvnD8JaT9xMRX6co2POZ7IHe9E4eRI_WHyhgB_UdkocexQIvkDXIbu1uhBrz1ccrER9txUD7J6IfR638ehaaKY3yJmF44lidfbUa8B1QVTFzxcqDJjfb5P6UpwU6u83B4KfCfhL2OdvXIYVuMf4seodlS-9chTE7RxQY5OU_7gSZQM4H1ObP7VW0L15RhSiRcBIIw9qlILY9ACQBkxtN8s8id5DyZ5Ctc60N8nA0GiGdWmjmrSDeCDY_wh0aqG1c_9-w79ap8noEG00BxOVcaIbl7P5F-QEf',
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
      id: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
      name: 'Rehearsals',
      hexColor: '#ffad46',
      readOnly: false,
      isPrimary: false,
      isShared: false,
      timeZone: 'Europe/London',
      inviteEmail: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
      allowedOnlineMeetingProviders: ['hangoutsMeet'],
      defaultOnlineMeetingProvider: 'hangoutsMeet',
    },
  },
  updateCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
    },
    body: {
      name: 'Choir',
    },
    status: 200,
    response: {
      id: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
      name: 'Choir',
      hexColor: '#ffad46',
      readOnly: false,
      isPrimary: false,
      isShared: false,
      timeZone: 'Europe/London',
      inviteEmail: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
      allowedOnlineMeetingProviders: ['hangoutsMeet'],
      defaultOnlineMeetingProvider: 'hangoutsMeet',
    },
  },
  exportCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
    },
    status: 200,
    response:
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//kalends//kalends//EN\r\nCALSCALE:GREGORIAN\r\nNAME:Choir\r\nX-WR-CALNAME:Choir\r\nX-WR-TIMEZONE:Europe/London\r\nBEGIN:VEVENT\r\nUID:kal7c792f1c2ae0bf4ecc93366d5b298974@google.com\r\nDTSTAMP:20270301T090000Z\r\nDTSTART;TZID=Europe/London:20270303T180000\r\nDTEND;TZID=Europe/London:20270303T190000\r\nCREATED:20270301T090000Z\r\nLAST-MODIFIED:20270301T090000Z\r\nSUMMARY:Rehearsal\r\nRRULE:FREQ=WEEKLY;COUNT=4\r\nX-KALENDS-GUESTS-CAN-MODIFY:FALSE\r\nX-KALENDS-GUESTS-CAN-INVITE:TRUE\r\nX-KALENDS-REMINDERS:DEFAULT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  },
  importCalendar: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
    },
    query: {
      dryRun: 'true',
    },
    body: 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:concert@example.com\r\nDTSTART:20270310T190000Z\r\nDTEND:20270310T210000Z\r\nSUMMARY:Concert\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    status: 202,
    response: {
      id: 'imp_LnKCudsw3k3Fr0bsY7PwMJ',
      calendarId: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
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
      calendarId: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
      importId: 'imp_LnKCudsw3k3Fr0bsY7PwMJ',
    },
    status: 200,
    response: {
      id: 'imp_LnKCudsw3k3Fr0bsY7PwMJ',
      calendarId: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
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
      calendarId: 'c_xm2gr8xy6aj9t5hdp9xehytb4odahp5b4nb05mbx@group.calendar.google.com',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
