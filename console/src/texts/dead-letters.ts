/** Texts of the page: dead letters. */
import { plural } from './plural.ts'

export const DEAD_LETTERS_TEXTS = {
  about: 'Messages whose last attempt failed. Replaying a message starts a new cycle with the full number of attempts.',
  reasons: 'By reason',
  newest: 'last',
  noProvider: 'no provider',
  allReasons: (count: number) => `Show all ${count} reasons`,
  replayCount: (count: number) => `Replay ${count.toLocaleString()}`,
  ofReason: (code: string, provider: string | null) => `with ${code} from ${provider ?? 'no provider'}`,
  replayAll: (count: number) => `Replay all ${count.toLocaleString()}`,
  replaySelected: 'Replay selected',
  nothing: 'No dead letters',
  nothingHint:
    'Messages that fail after all attempts are listed here until you replay them. To see one, send an SMS to +15005550004.',
  toSend: 'Send a message',
  noMatch: 'No dead letters match these filters.',
  clearAll: 'Clear filters',
  list: 'Dead letters',
  anyReason: 'Remove the reason filter',
  selected: (count: number, total: number | undefined, shown: number) => {
    if (count > 0) return `${count.toLocaleString()} selected`
    return total === undefined ? `More than ${plural(shown, 'dead letter')}` : plural(total, 'dead letter')
  },
  selectedAll: (total: number | undefined) =>
    total === undefined ? 'All matching selected' : `All ${total.toLocaleString()} matching selected`,
  takeAll: 'Select all matching',
  takeAllOf: (total: string) => `Select all ${total} matching`,
  clearSelection: 'Clear selection',
  selectShown: 'Select all shown',
  selectOne: (name: string) => `Select the message to ${name}`,
  failed: 'dead for',
  attempts: (attempts: number, cycle: number) => (cycle > 1 ? `${attempts} in ${cycle} cycles` : String(attempts)),
  columns: {
    recipient: 'Recipient',
    via: 'Channel and provider',
    reason: 'Reason',
    attempts: 'Attempts',
    tags: 'Tags',
    failed: 'Dead for',
    created: 'Age',
  },
  filters: { label: 'Filters', qHint: 'Search tags, subject, error' },
  keys: [
    ['j', 'next'],
    ['k', 'previous'],
    ['Space', 'select'],
    ['Enter', 'open'],
    ['r', 'replay selected'],
    ['u', 'undo'],
  ],
  run: {
    title: 'Replay',
    waiting: (total: number | undefined, seconds: number) =>
      `Replaying ${total === undefined ? 'all matching messages' : plural(total, 'message')} in ${seconds} s`,
    undo: 'Undo',
    running: 'Replaying',
    progress: (done: string, total: string | undefined) =>
      total === undefined ? `${done} so far` : `${done} of ${total}`,
    stop: 'Stop',
    stopping: 'Stopping…',
    ends: { done: 'Replay finished.', stopped: 'Replay stopped.', failed: 'Replay failed.' },
    replayed: (count: number) => `${plural(count, 'message')} replayed.`,
    skipped: (count: number) => `${count.toLocaleString()} skipped.`,
    skippedWhy: 'Messages are skipped if they were erased, have expired, or were already replayed.',
    limited: 'rate limit reached; replay these messages later',
    after: 'Replayed messages are queued again. Those that fail return to this list.',
    left: 'Replay canceled: you left the page before it started.',
  },
} as const
