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
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//kalends//kalends//EN\r\nCALSCALE:GREGORIAN\r\nNAME:Choir\r\nX-WR-CALNAME:Choir\r\nX-WR-TIMEZONE:Europe/London\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/London\r\nBEGIN:DAYLIGHT\r\nDTSTART:18471201T000000\r\nTZOFFSETFROM:-000115\r\nTZOFFSETTO:+0000\r\nEND:DAYLIGHT\r\nBEGIN:DAYLIGHT\r\nDTSTART:19160521T020000\r\nTZOFFSETFROM:+0000\r\nTZOFFSETTO:+0100\r\nRDATE:19170408T020000,19180324T020000,19190330T020000,19200328T020000,19210\r\n 403T020000,19220326T020000,19230422T020000,19240413T020000,19250419T020000\r\n ,19260418T020000,19270410T020000,19280422T020000,19290421T020000,19300413T\r\n 020000,19310419T020000,19320417T020000,19330409T020000,19340422T020000,193\r\n 50414T020000,19360419T020000,19370418T020000,19380410T020000,19390416T0200\r\n 00,19400225T020000,19460414T020000,19470316T020000,19480314T020000,1949040\r\n 3T020000,19500416T020000,19510415T020000,19520420T020000,19530419T020000,1\r\n 9540411T020000,19550417T020000,19560422T020000,19570414T020000,19580420T02\r\n 0000,19590419T020000,19600410T020000,19610326T020000,19620325T020000,19630\r\n 331T020000,19640322T020000,19650321T020000,19660320T020000,19670319T020000\r\n ,19680218T020000,19720319T020000,19730318T020000,19740317T020000,19750316T\r\n 020000,19760321T020000,19770320T020000,19780319T020000,19790318T020000,198\r\n 00316T020000\r\nEND:DAYLIGHT\r\nBEGIN:DAYLIGHT\r\nDTSTART:19810329T010000\r\nTZOFFSETFROM:+0000\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\nEND:DAYLIGHT\r\nBEGIN:STANDARD\r\nDTSTART:19161001T030000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0000\r\nRDATE:19170917T030000,19180930T030000,19190929T030000,19201025T030000,19211\r\n 003T030000,19221008T030000,19230916T030000,19240921T030000,19251004T030000\r\n ,19261003T030000,19271002T030000,19281007T030000,19291006T030000,19301005T\r\n 030000,19311004T030000,19321002T030000,19331008T030000,19341007T030000,193\r\n 51006T030000,19361004T030000,19371003T030000,19381002T030000,19391119T0300\r\n 00,19451007T030000,19461006T030000,19471102T030000,19481031T030000,1949103\r\n 0T030000,19501022T030000,19511021T030000,19521026T030000,19531004T030000,1\r\n 9541003T030000,19551002T030000,19561007T030000,19571006T030000,19581005T03\r\n 0000,19591004T030000,19601002T030000,19611029T030000,19621028T030000,19631\r\n 027T030000,19641025T030000,19651024T030000,19661023T030000,19671029T030000\r\n ,19711031T030000,19721029T030000,19731028T030000,19741027T030000,19751026T\r\n 030000,19761024T030000,19771023T030000,19781029T030000,19791028T030000,198\r\n 01026T030000,19811025T020000,19821024T020000,19831023T020000,19841028T0200\r\n 00,19851027T020000,19861026T020000,19871025T020000,19881023T020000,1989102\r\n 9T020000,19901028T020000,19911027T020000,19921025T020000,19931024T020000,1\r\n 9941023T020000,19951022T020000\r\nEND:STANDARD\r\nBEGIN:STANDARD\r\nDTSTART:19961027T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0000\r\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\nEND:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:19410504T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRDATE:19420405T020000,19430404T020000,19440402T020000,19450402T020000,19470\r\n 413T020000\r\nEND:DAYLIGHT\r\nBEGIN:STANDARD\r\nDTSTART:19410810T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRDATE:19420809T030000,19430815T030000,19440917T030000,19450715T030000,19470\r\n 810T030000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:kal7c792f1c2ae0bf4ecc93366d5b298974@google.com\r\nDTSTAMP:20270301T090000Z\r\nDTSTART;TZID=Europe/London:20270303T180000\r\nDTEND;TZID=Europe/London:20270303T190000\r\nCREATED:20270301T090000Z\r\nLAST-MODIFIED:20270301T090000Z\r\nSUMMARY:Rehearsal\r\nRRULE:FREQ=WEEKLY;COUNT=4\r\nX-KALENDS-GUESTS-CAN-MODIFY:FALSE\r\nX-KALENDS-GUESTS-CAN-INVITE:TRUE\r\nX-KALENDS-REMINDERS:DEFAULT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
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
