/**
 * The book of receipts on the broker: one subject a name, and in its one message whose it is and what was
 * reported under it. Every write names the sequence it has seen, so of a name and a report that come at once one
 * is refused and finds the other. What lies under several names is read when one's own is written: whoever
 * comes last sees all of it.
 */
import type { ProviderName } from '../../domain/ids.ts'
import {
  afterNaming,
  afterReport,
  BLANK,
  isOnlyPart,
  type ReceiptEntry,
} from '../../domain/message/carrier-reference.ts'
import type { CarrierReferences, Reports } from '../../ports/carrier-references.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { ifLast, type JetStream } from './jetstream.ts'
import { persist } from './pause.ts'
import type { Names } from './subjects.ts'

export type CarrierReferencesDeps = Readonly<{ js: Pick<JetStream, 'publish' | 'get'>; names: Names }>

type Seen = Readonly<{ seq: number; entry: ReceiptEntry }>
type Change = (entry: ReceiptEntry) => ReceiptEntry

const NOTHING: Seen = { seq: 0, entry: BLANK }
/** How long writes of others to the same name may be in the way. */
const IN_THE_WAY_MS = 5_000

export function natsCarrierReferences({ js, names }: CarrierReferencesDeps): CarrierReferences {
  /** Must not be older than what this process has written: of replicas only the leader may be asked. */
  async function look(subject: string): Promise<Seen> {
    const kept = await js.get(names.receipts, { last_by_subj: subject })
    return kept === undefined ? NOTHING : { seq: kept.seq, entry: decode(kept.data) }
  }

  async function changeOnce(subject: string, { seq, entry }: Seen, change: Change): Promise<ReceiptEntry | undefined> {
    const after = change(entry)
    if (after === entry) return entry
    const written = await js.publish(subject, encode(after), ifLast(seq))
    return written === undefined ? undefined : after
  }

  /** Begins with what is taken to be there, and looks where that is not so. */
  async function change(subject: string, guess: Seen, by: Change): Promise<ReceiptEntry> {
    const changed =
      (await changeOnce(subject, guess, by)) ??
      (await persist(async () => changeOnce(subject, await look(subject), by), IN_THE_WAY_MS))
    if (changed === undefined) throw new Unavailable('another write under this name is under way and does not end')
    return changed
  }

  const reportsOf = (provider: ProviderName, all: readonly string[]): Promise<Reports> =>
    Promise.all(all.map(async (name) => (await look(names.receipt(provider, name))).entry.report))

  return {
    async register(provider, all, ref) {
      const owner = { ref, names: all }
      const naming: Change = (entry) => afterNaming(entry, owner)
      const subjects = new Set(all.map((name) => names.receipt(provider, name)))
      const entries = await Promise.all([...subjects].map((subject) => change(subject, NOTHING, naming)))
      return isOnlyPart(owner) ? entries.map(({ report }) => report) : reportsOf(provider, all)
    },

    async report(provider, name, report, { onlyIfRegistered = false } = {}) {
      const subject = names.receipt(provider, name)
      const seen = await look(subject)
      if (seen.entry.owner === undefined && onlyIfRegistered) return undefined
      const reporting: Change = (entry) => afterReport(entry, report)
      // Of a message in one part the log keeps what is reported.
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
