"""Working days of banks in England: weekends and bank holidays."""
from datetime import date, timedelta
from functools import lru_cache

ONE = timedelta(days=1)
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d, e = b // 4, b % 4
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = c // 4, c % 4
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    n = h + l - 7 * m + 114
    return date(year, n // 31, n % 31 + 1)


@lru_cache(None)
def holidays(year):
    def first_monday(month):
        d = date(year, month, 1)
        while d.weekday():
            d += ONE
        return d

    days = set()
    e = easter(year)
    days |= {e - 2 * ONE, e + ONE, first_monday(5)}
    last_may = date(year, 5, 31)
    while last_may.weekday():
        last_may -= ONE
    last_august = date(year, 8, 31)
    while last_august.weekday():
        last_august -= ONE
    days |= {last_may, last_august}
    for d in (date(year, 1, 1), date(year, 12, 25), date(year, 12, 26)):
        while d.weekday() > 4 or d in days:
            d += ONE
        days.add(d)
    return frozenset(days)


@lru_cache(None)
def working(d):
    return d.weekday() < 5 and d not in holidays(d.year)


def on_or_after(d):
    while not working(d):
        d += ONE
    return d


def on_or_before(d):
    while not working(d):
        d -= ONE
    return d


def later(d, n):
    """The n-th working day after d (n = 0: d itself or the next working day)."""
    d = on_or_after(d)
    for _ in range(n):
        d = on_or_after(d + ONE)
    return d


def days_in(year, month):
    return ((date(year + month // 12, month % 12 + 1, 1)) - date(year, month, 1)).days


def on_day(year, month, day):
    """That day of the month, or the month's last where there is none such."""
    return date(year, month, min(day, days_in(year, month)))


def months(start, end):
    y, m = start.year, start.month
    while date(y, m, 1) < end:
        yield y, m
        y, m = y + m // 12, m % 12 + 1
