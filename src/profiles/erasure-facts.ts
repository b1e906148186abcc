/** The part of an erasure receipt that depends on the profile: what was erased in each store, and what remains where. */
import type { Config } from '../config/config.ts'
import { retentionPolicyOf } from '../config/retention.ts'
import type { CleanedStore, ErasureFacts, Remainder } from '../domain/message/erasure-receipt.ts'
import { longestRetention, type RetentionPolicy } from '../domain/message/retention.ts'

const DAY_MS = 24 * 60 * 60 * 1000

type Settings = Pick<Config, 'profile' | 'logDays' | 'retentionDays' | 'retentionRules'>

export const erasureFactsOf = (config: Settings): ErasureFacts =>
  config.profile === 'embedded'
    ? { cleaned: EMBEDDED, remains: [...EVERYWHERE, statesOf(config), FILE_BACKUPS] }
    : { cleaned: CLUSTER, remains: [...EVERYWHERE, statesOf(config), ...CLUSTER_REMAINS] }

const INDEX =
  'Deleted the masked recipient, the keyed hashes of the recipient and of copies, subject, tags, metadata and text.'
const ATTEMPTS: CleanedStore = {
  store: 'webhook attempts',
  action: 'Deleted what was posted about the messages, and what receivers answered.',
}
const NO_PERSONAL_DATA: readonly CleanedStore[] = [
  { store: 'webhook deliveries', action: 'Nothing to erase: ids and HTTP statuses, never payloads.' },
  { store: 'carrier references', action: 'Nothing to erase: ids of carriers and messages, kept for 7 days.' },
  { store: 'jobs and integration events', action: 'Nothing to erase: ids and statuses.' },
]

const EMBEDDED: readonly CleanedStore[] = [
  {
    store: 'message keys',
    action: 'Deleted and overwrote the sealed contents and their secrets.',
  },
  { store: 'journal', action: 'Deleted the frames that held the content, and overwrote their secret.' },
  { store: 'index', action: INDEX },
  { store: 'write-ahead logs of the database and the journal', action: 'Truncated.' },
  ATTEMPTS,
  ...NO_PERSONAL_DATA,
]

const CLUSTER: readonly CleanedStore[] = [
  { store: 'message keys', action: 'Overwritten: the sealed contents in the log can no longer be decrypted.' },
  { store: 'contents', action: 'Purged large sealed contents.' },
  { store: 'index', action: INDEX },
  { store: 'timeline', action: 'Recorded the erasure. The timeline has states and times, and no personal data.' },
  ATTEMPTS,
  ...NO_PERSONAL_DATA,
]

const EVERYWHERE: readonly Remainder[] = [
  {
    where: 'this erasure and its receipt',
    what: 'The keyed hash of the address, which proves whose messages were erased.',
    until: 'As long as the gateway is operated.',
  },
  {
    where: 'recipient directory',
    what: 'An entry that you created for this person, with name, phone number and email address.',
    until: 'Until you delete it with DELETE /v1/recipients/{id}.',
  },
  {
    where: 'rate limits',
    what: 'The keyed hash of the address in counters; rules that you created for the address, with the address masked.',
    until: 'Counters until their window ends; rules until you delete them.',
  },
  {
    where: 'logs of the gateway',
    what: 'Message ids; never full recipients or texts.',
    until: 'As long as you keep them.',
  },
  {
    where: 'providers, carriers, webhook receivers, brokers of sinks and the recipient',
    what: 'What they received before the erasure.',
    until: 'Out of reach of this gateway.',
  },
  {
    where: 'messages accepted after the request',
    what: 'Everything sent to the address after requested_at.',
    until: 'Until you request another erasure.',
  },
]

function statesOf(config: Settings): Remainder {
  const { profile, logDays } = config
  const what = 'Ids, states, times, segments, provider ids and error codes of the messages; no personal data.'
  const until = deletionOf(retentionPolicyOf(config))
  if (profile === 'embedded') return { where: 'log and index', what, until }
  const inLog = logDays === 0 ? '' : ` In the log for at most ${logDays} days.`
  return { where: 'log, index and timeline', what, until: until + inLog }
}

/** A receipt is for one tenant, so it does not tell the rules for others. */
function deletionOf(policy: RetentionPolicy): string {
  const longest = longestRetention(policy)
  return longest === undefined
    ? 'Until the messages are deleted, if a retention is set for this tenant or channel; otherwise as long as the gateway is operated.'
    : `Until the messages are deleted: at the latest ${longest / DAY_MS} days after they were created, or once they have ended.`
}

const FILE_BACKUPS: Remainder = {
  where: 'backups of the database file',
  what: 'Backups made before the erasure contain the keys and can be read with the master key.',
  until: 'Until you delete them.',
}

const CLUSTER_REMAINS: readonly Remainder[] = [
  {
    where: 'PostgreSQL',
    what: 'Dead row versions, and their changes in the write-ahead log and on replicas.',
    until: 'Until vacuum has run and the write-ahead log is recycled, usually within hours.',
  },
  {
    where: 'NATS',
    what: 'With replicated streams, the keys in the Raft log of each server.',
    until: 'Until each server has compacted its Raft log, usually within hours.',
  },
  {
    where: 'backups of PostgreSQL and of the NATS streams',
    what: 'Backups made before the erasure contain index rows and keys.',
    until: 'Until you delete them.',
  },
]
