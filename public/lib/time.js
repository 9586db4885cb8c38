// Times of day as people read them.
const clock = new Intl.DateTimeFormat(undefined,
  { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** With the date when it is another day's. */
export function formatTime(ms, now = Date.now()) {
  const time = clock.format(ms);
  return new Date(ms).toDateString() === new Date(now).toDateString() ? time : `${day.format(ms)}, ${time}`;
}
