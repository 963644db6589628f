# Expands iCalendar objects with libraries of other authors: one JSON in, one out.
import datetime
import json
import sys

import icalendar
import recurring_ical_events


def instant(value, zone):
    """Returns a date as it stands, and a time in UTC; a floating time is of the calendar's zone."""
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    if value.tzinfo is None:
        value = zone.localize(value)
    return value.astimezone(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def shown(event, zone):
    start = event['DTSTART'].dt
    end = event['DTEND'].dt if 'DTEND' in event else start + event['DURATION'].dt
    return {
        'uid': str(event['UID']),
        'title': str(event.get('SUMMARY', '')),
        'start': instant(start, zone),
        'end': instant(end, zone),
    }


def main():
    import pytz

    asked = json.load(sys.stdin)
    zone = pytz.timezone(asked['timeZone'])
    found = []
    for text in asked['texts']:
        calendar = icalendar.Calendar.from_ical(text)
        for event in recurring_ical_events.of(calendar).between(asked['from'], asked['to']):
            if event.name == 'VEVENT' and str(event.get('STATUS', '')).upper() != 'CANCELLED':
                found.append(shown(event, zone))
    json.dump(sorted(found, key=lambda event: (event['start'], event['title'])), sys.stdout)


main()
