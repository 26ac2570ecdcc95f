"""What happens next while moats grow: one heap of times for the whole graph, compiled.

Event number i < n is cluster i falling asleep, n + e a look at edge e; ties go to the lower number,
so the outcome does not depend on the shape of the heap. Nothing is ever moved or taken out of the
middle: a time in the heap is never later than the event, and whoever takes it out asks whether it
still holds. Entries of the same cluster or edge that a newer one has replaced are swept out when
the heap is full.
"""

from __future__ import annotations

from graphol.jit import kernel
from graphol.projections._workspace import EVENTS


@kernel
def _raise(events, i, time, what):  # type: ignore[no-untyped-def]
    """Put an event at i or above."""
    while i > 0:
        j = (i - 1) >> 2
        if events[j].time < time or (events[j].time == time and events[j].what < what):
            break
        events[i].time = events[j].time
        events[i].what = events[j].what
        i = j
    events[i].time = time
    events[i].what = what


@kernel
def _lower(events, i, count, time, what):  # type: ignore[no-untyped-def]
    """Put an event at i or below."""
    while True:
        first = 4 * i + 1
        if first >= count:
            break
        j, least, number = first, events[first].time, events[first].what
        for k in range(first + 1, min(first + 4, count)):
            if events[k].time < least or (events[k].time == least and events[k].what < number):
                j, least, number = k, events[k].time, events[k].what
        if time < least or (time == least and what < number):
            break
        events[i].time = least
        events[i].what = number
        i = j
    events[i].time = time
    events[i].what = what


@kernel
def append(events, counts, time, what):  # type: ignore[no-untyped-def]
    """Add an event to a heap that is not in order yet."""
    i = counts[EVENTS]
    events[i].time = time
    events[i].what = what
    counts[EVENTS] = i + 1


@kernel
def arrange(events, counts):  # type: ignore[no-untyped-def]
    """Bring the events into the order of a heap."""
    count = counts[EVENTS]
    for i in range((count - 2) >> 2, -1, -1):
        _lower(events, i, count, events[i].time, events[i].what)


@kernel
def push(events, counts, time, what):  # type: ignore[no-untyped-def]
    """Add an event."""
    i = counts[EVENTS]
    counts[EVENTS] = i + 1
    _raise(events, i, time, what)


@kernel
def pop(events, counts):  # type: ignore[no-untyped-def]
    """Take out the first event: its time and its number."""
    count = counts[EVENTS] - 1
    time, what = events[0].time, events[0].what
    counts[EVENTS] = count
    if count > 0:
        _lower(events, 0, count, events[count].time, events[count].what)
    return time, what


@kernel
def sweep(ws):  # type: ignore[no-untyped-def]
    """Drop what no longer holds: at most one event per cluster and edge stays."""
    n, events, counts = len(ws.node), ws.events, ws.counts
    old = counts[EVENTS]
    counts[EVENTS] = 0
    for i in range(old):
        time, what = events[i].time, events[i].what
        if what < n:
            holds = ws.node[what].parent == what and ws.node[what].active
        else:
            holds = ws.when[what - n] == time
        if holds:
            append(events, counts, time, what)
    arrange(events, counts)
