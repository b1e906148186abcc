/** What the receipt of an erasure says of the stores of a profile: what was done to each, and what is left where. */
import type { Config } from '../config/config.ts'
import type { CleanedStore, ErasureFacts, Remainder } from '../domain/message/erasure-receipt.ts'

export const erasureFactsOf = (config: Pick<Config, 'profile' | 'logDays'>): ErasureFacts =>
  config.profile === 'embedded'
    ? { cleaned: EMBEDDED, remains: [...EVERYWHERE, STATES_FOR_EVER, FILE_BACKUPS] }
    : { cleaned: CLUSTER, remains: [...EVERYWHERE, statesFor(config.logDays), ...CLUSTER_REMAINS] }

const INDEX = 'Deleted the masked recipient, its keyed hash, those of copies, subject, tags, metadata and text.'
const NOTHING_OF_A_PERSON: readonly CleanedStore[] = [
  { store: 'webhook deliveries', action: 'Nothing to erase: they hold ids and HTTP statuses, never a payload.' },
  { store: 'carrier references', action: 'Nothing to erase: they hold the ids of carriers and messages, for 7 days.' },
  { store: 'jobs and integration events', action: 'Nothing to erase: they hold ids and statuses.' },
]

const EMBEDDED: readonly CleanedStore[] = [
  { store: 'message keys', action: 'Deleted and overwritten: the sealed contents in the log can never be read again.' },
  { store: 'index', action: INDEX },
  { store: 'write-ahead log of the database', action: 'Emptied.' },
  ...NOTHING_OF_A_PERSON,
]

const CLUSTER: readonly CleanedStore[] = [
  { store: 'message keys', action: 'Overwritten: the sealed contents in the log can never be read again.' },
  { store: 'contents', action: 'Large sealed contents were purged.' },
  { store: 'index', action: INDEX },
  { store: 'timeline', action: 'The erasure was noted; it holds states and times, and nothing of a person.' },
  ...NOTHING_OF_A_PERSON,
]

const EVERYWHERE: readonly Remainder[] = [
  {
    where: 'this erasure and its receipt',
    what: 'The keyed hash of the address, as proof of whose messages were erased.',
    until: 'For as long as the gateway is kept.',
  },
  {
    where: 'recipient directory',
    what: 'An entry that you made for this person, with name, number and address.',
    until: 'Until you remove it with DELETE /v1/recipients/{id}.',
  },
  {
    where: 'rate limits',
    what: 'The keyed hash of the address in counters; a rule that you set for it, with the address masked.',
    until: 'Counters until their window ends; rules until you delete them.',
  },
  {
    where: 'logs of the gateway',
    what: 'Ids of messages; never a recipient in full and never a text.',
    until: 'As long as you keep them.',
  },
  {
    where: 'providers, carriers, webhook receivers and the recipient',
    what: 'What was handed to them before the erasure.',
    until: 'Not in the reach of this gateway.',
  },
  {
    where: 'messages accepted after the request',
    what: 'Anything that was sent to the address after requested_at.',
    until: 'Until you ask for another erasure.',
  },
]

const STATES =
  'Ids, states, times, segments, provider ids and error codes of the messages; nothing that names a person.'
const STATES_FOR_EVER: Remainder = {
  where: 'log and index',
  what: STATES,
  until: 'For as long as the gateway is kept.',
}

const statesFor = (logDays: number): Remainder =>
  logDays === 0
    ? STATES_FOR_EVER
    : {
        where: 'log, index and timeline',
        what: STATES,
        until: `In the log for ${logDays} days; in the index and the timeline for as long as they are kept.`,
      }

const FILE_BACKUPS: Remainder = {
  where: 'backups of the database file',
  what: 'Copies made before the erasure hold the keys and can be read with the master key.',
  until: 'Until you delete them.',
}

const CLUSTER_REMAINS: readonly Remainder[] = [
  {
    where: 'PostgreSQL',
    what: 'Dead versions of the erased rows, and their changes in the write-ahead log and on replicas.',
    until: 'Until vacuum has run and the write-ahead log is recycled, commonly within hours.',
  },
  {
    where: 'NATS',
    what: 'Where streams are replicated, the keys in the Raft log of each broker.',
    until: 'Until each broker has compacted its Raft log, commonly within hours.',
  },
  {
    where: 'backups of PostgreSQL and of the NATS streams',
    what: 'Copies made before the erasure hold index rows and keys.',
    until: 'Until you delete them.',
  },
]
