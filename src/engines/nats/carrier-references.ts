/**
 * Carrier references on the broker: one subject per reference, holding one message with its owner and the reports
 * received under it. Every write names the sequence it has seen, so if a registration and a report race, one is
 * refused and finds the other. The reports of a multi-part message are read after our own is written: the last
 * writer sees all of them.
 */
import type { ProviderName } from '../../domain/ids.ts'
import {
  afterRegistration,
  afterReport,
  BLANK,
  isOnlyPart,
  type ReceiptEntry,
} from '../../domain/message/carrier-reference.ts'
import type { CarrierReferences, Reports } from '../../ports/carrier-references.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { retryUntilFound } from './deadlines.ts'
import { ifLast, type JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'

export type CarrierReferencesDeps = Readonly<{ js: Pick<JetStream, 'publish' | 'get'>; names: Names }>

type Seen = Readonly<{ seq: number; entry: ReceiptEntry }>
type Change = (entry: ReceiptEntry) => ReceiptEntry

const NOTHING: Seen = { seq: 0, entry: BLANK }
/** How long to retry against other writers of the same reference. */
const CONTENTION_MS = 5_000

export function natsCarrierReferences({ js, names }: CarrierReferencesDeps): CarrierReferences {
  /** Must not be older than what this process has written: with replicas only the leader is guaranteed to have it. */
  async function look(subject: string): Promise<Seen> {
    const stored = await js.get(names.receipts, { last_by_subj: subject })
    return stored === undefined ? NOTHING : { seq: stored.seq, entry: decode(stored.data) }
  }

  async function changeOnce(subject: string, { seq, entry }: Seen, change: Change): Promise<ReceiptEntry | undefined> {
    const after = change(entry)
    if (after === entry) return entry
    const written = await js.publish(subject, encode(after), ifLast(seq))
    return written === undefined ? undefined : after
  }

  /** Tries with the guessed entry first, and reads the stored one only if the guess was wrong. */
  async function change(subject: string, guess: Seen, by: Change): Promise<ReceiptEntry> {
    const changed =
      (await changeOnce(subject, guess, by)) ??
      (await retryUntilFound(async () => changeOnce(subject, await look(subject), by), CONTENTION_MS))
    if (changed === undefined) throw new Unavailable('another write to this carrier reference has not finished')
    return changed
  }

  const reportsOf = (provider: ProviderName, all: readonly string[]): Promise<Reports> =>
    Promise.all(all.map(async (name) => (await look(names.receipt(provider, name))).entry.report))

  return {
    async register(provider, all, ref) {
      const owner = { ref, names: all }
      const registering: Change = (entry) => afterRegistration(entry, owner)
      const subjects = new Set(all.map((name) => names.receipt(provider, name)))
      const entries = await Promise.all([...subjects].map((subject) => change(subject, NOTHING, registering)))
      return isOnlyPart(owner) ? entries.map(({ report }) => report) : reportsOf(provider, all)
    },

    async report(provider, name, report, { onlyIfRegistered = false } = {}) {
      const subject = names.receipt(provider, name)
      const seen = await look(subject)
      if (seen.entry.owner === undefined && onlyIfRegistered) return undefined
      const reporting: Change = (entry) => afterReport(entry, report)
      // The log records the reports of a single-part message.
      if (seen.entry.owner !== undefined && isOnlyPart(seen.entry.owner)) {
        return { ...seen.entry.owner, reports: [reporting(seen.entry).report] }
      }
      const { owner } = await change(subject, seen, reporting)
      return owner && { ...owner, reports: await reportsOf(provider, owner.names) }
    },
  }
}

const encode = (entry: ReceiptEntry): string => JSON.stringify(entry)
const decode = (data: Uint8Array): ReceiptEntry => JSON.parse(Buffer.from(data).toString()) as ReceiptEntry
