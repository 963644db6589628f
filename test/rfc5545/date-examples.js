// The examples of RFC 5545 §3.8.5.3 that list dates, in America/New_York and at 09:00. For the tests, and for the benchmark, which runs
// without a compiler.
/** @param {string} date */
const from = (date) => `${date}T09:00:00`;
const SEP_2 = from('1997-09-02');

/**
 * The RFC's words, the dtstart, the rule, and the dates; `…` means that the rule goes on.
 * @type {readonly (readonly [name: string, dtstart: string, rule: string, dates: string])[]}
 */
export const DATE_EXAMPLES = [
  ['daily for 10 occurrences', SEP_2, 'FREQ=DAILY;COUNT=10', '1997 Sep 2-11'],
  [
    'daily until December 24, 1997',
    SEP_2,
    'FREQ=DAILY;UNTIL=19971224T000000Z',
    '1997 Sep 2-30 Oct 1-31 Nov 1-30 Dec 1-23',
  ],
  [
    'every other day, forever',
    SEP_2,
    'FREQ=DAILY;INTERVAL=2',
    '1997 Sep 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 Oct 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 Nov 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29 Dec 1,3 …',
  ],
  ['every 10 days, 5 occurrences', SEP_2, 'FREQ=DAILY;INTERVAL=10;COUNT=5', '1997 Sep 2,12,22 Oct 2,12'],
  [
    'every day in January, for 3 years (YEARLY)',
    from('1998-01-01'),
    'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
    '1998 Jan 1-31 1999 Jan 1-31 2000 Jan 1-31',
  ],
  [
    'every day in January, for 3 years (DAILY)',
    from('1998-01-01'),
    'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1',
    '1998 Jan 1-31 1999 Jan 1-31 2000 Jan 1-31',
  ],
  ['weekly for 10 occurrences', SEP_2, 'FREQ=WEEKLY;COUNT=10', '1997 Sep 2,9,16,23,30 Oct 7,14,21,28 Nov 4'],
  [
    'weekly until December 24, 1997',
    SEP_2,
    'FREQ=WEEKLY;UNTIL=19971224T000000Z',
    '1997 Sep 2,9,16,23,30 Oct 7,14,21,28 Nov 4,11,18,25 Dec 2,9,16,23',
  ],
  [
    'every other week, forever',
    SEP_2,
    'FREQ=WEEKLY;INTERVAL=2;WKST=SU',
    '1997 Sep 2,16,30 Oct 14,28 Nov 11,25 Dec 9,23 1998 Jan 6,20 Feb 3,17 …',
  ],
  [
    'weekly on Tuesday and Thursday for five weeks (UNTIL)',
    SEP_2,
    'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
    '1997 Sep 2,4,9,11,16,18,23,25,30 Oct 2',
  ],
  [
    'weekly on Tuesday and Thursday for five weeks (COUNT)',
    SEP_2,
    'FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH',
    '1997 Sep 2,4,9,11,16,18,23,25,30 Oct 2',
  ],
  [
    'every other week on Monday, Wednesday and Friday until December 24, 1997',
    from('1997-09-01'),
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR',
    '1997 Sep 1,3,5,15,17,19,29 Oct 1,3,13,15,17,27,29,31 Nov 10,12,14,24,26,28 Dec 8,10,12,22',
  ],
  [
    'every other week on Tuesday and Thursday, for 8 occurrences',
    SEP_2,
    'FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH',
    '1997 Sep 2,4,16,18,30 Oct 2,14,16',
  ],
  [
    'monthly on the first Friday for 10 occurrences',
    from('1997-09-05'),
    'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
    '1997 Sep 5 Oct 3 Nov 7 Dec 5 1998 Jan 2 Feb 6 Mar 6 Apr 3 May 1 Jun 5',
  ],
  [
    'monthly on the first Friday until December 24, 1997',
    from('1997-09-05'),
    'FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR',
    '1997 Sep 5 Oct 3 Nov 7 Dec 5',
  ],
  [
    'every other month on the first and last Sunday for 10 occurrences',
    from('1997-09-07'),
    'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
    '1997 Sep 7,28 Nov 2,30 1998 Jan 4,25 Mar 1,29 May 3,31',
  ],
  [
    'monthly on the second-to-last Monday for 6 months',
    from('1997-09-22'),
    'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO',
    '1997 Sep 22 Oct 20 Nov 17 Dec 22 1998 Jan 19 Feb 16',
  ],
  [
    'monthly on the third-to-the-last day, forever',
    from('1997-09-28'),
    'FREQ=MONTHLY;BYMONTHDAY=-3',
    '1997 Sep 28 Oct 29 Nov 28 Dec 29 1998 Jan 29 Feb 26 …',
  ],
  [
    'monthly on the 2nd and 15th for 10 occurrences',
    SEP_2,
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15',
    '1997 Sep 2,15 Oct 2,15 Nov 2,15 Dec 2,15 1998 Jan 2,15',
  ],
  [
    'monthly on the first and last day for 10 occurrences',
    from('1997-09-30'),
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
    '1997 Sep 30 Oct 1,31 Nov 1,30 Dec 1,31 1998 Jan 1,31 Feb 1',
  ],
  [
    'every 18 months on the 10th thru 15th for 10 occurrences',
    from('1997-09-10'),
    'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
    '1997 Sep 10-15 1999 Mar 10-13',
  ],
  [
    'every Tuesday, every other month',
    SEP_2,
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    '1997 Sep 2,9,16,23,30 Nov 4,11,18,25 1998 Jan 6,13,20,27 Mar 3,10,17,24,31 …',
  ],
  [
    'yearly in June and July for 10 occurrences',
    from('1997-06-10'),
    'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
    '1997 Jun 10 Jul 10 1998 Jun 10 Jul 10 1999 Jun 10 Jul 10 2000 Jun 10 Jul 10 2001 Jun 10 Jul 10',
  ],
  [
    'every other year in January, February and March for 10 occurrences',
    from('1997-03-10'),
    'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
    '1997 Mar 10 1999 Jan 10 Feb 10 Mar 10 2001 Jan 10 Feb 10 Mar 10 2003 Jan 10 Feb 10 Mar 10',
  ],
  [
    'every third year on the 1st, 100th and 200th day for 10 occurrences',
    from('1997-01-01'),
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '1997 Jan 1 Apr 10 Jul 19 2000 Jan 1 Apr 9 Jul 18 2003 Jan 1 Apr 10 Jul 19 2006 Jan 1',
  ],
  [
    'every 20th Monday of the year, forever',
    from('1997-05-19'),
    'FREQ=YEARLY;BYDAY=20MO',
    '1997 May 19 1998 May 18 1999 May 17 …',
  ],
  [
    'Monday of week number 20, forever',
    from('1997-05-12'),
    'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
    '1997 May 12 1998 May 11 1999 May 17 …',
  ],
  [
    'every Thursday in March, forever',
    from('1997-03-13'),
    'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    '1997 Mar 13,20,27 1998 Mar 5,12,19,26 1999 Mar 4,11,18,25 …',
  ],
  [
    'every Thursday, but only during June, July, and August, forever',
    from('1997-06-05'),
    'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
    '1997 Jun 5,12,19,26 Jul 3,10,17,24,31 Aug 7,14,21,28 1998 Jun 4,11,18,25 Jul 2,9,16,23,30 Aug 6,13,20,27 1999 Jun 3,10,17,24 Jul 1,8,15,22,29 Aug 5,12,19,26 …',
  ],
  [
    'the first Saturday that follows the first Sunday of the month, forever',
    from('1997-09-13'),
    'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    '1997 Sep 13 Oct 11 Nov 8 Dec 13 1998 Jan 10 Feb 7 Mar 7 Apr 11 May 9 Jun 13 …',
  ],
  [
    'every 4 years, the first Tuesday after a Monday in November, forever',
    from('1996-11-05'),
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996 Nov 5 2000 Nov 7 2004 Nov 2 …',
  ],
  [
    'the third instance into the month of one of Tuesday, Wednesday, or Thursday, for the next 3 months',
    from('1997-09-04'),
    'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3',
    '1997 Sep 4 Oct 7 Nov 6',
  ],
  [
    'the second-to-last weekday of the month',
    from('1997-09-29'),
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '1997 Sep 29 Oct 30 Nov 27 Dec 30 1998 Jan 29 Feb 26 Mar 30 …',
  ],
  [
    'the days selected with WKST=MO',
    from('1997-08-05'),
    'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
    '1997 Aug 5,10,19,24',
  ],
  [
    'other days selected with WKST=SU',
    from('1997-08-05'),
    'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
    '1997 Aug 5,17,19,31',
  ],
  [
    'an invalid date (February 30) is ignored',
    from('2007-01-15'),
    'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5',
    '2007 Jan 15,30 Feb 15 Mar 15,30',
  ],
];
