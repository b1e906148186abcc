/** Stream and subject names on the broker. All begin with the prefix, so several gateways can share a broker. */
import { createHash } from 'node:crypto'
import type { MessageId, ProviderName, TenantId } from '../../domain/ids.ts'
import type { Lane } from '../../domain/message/message.ts'
import type { Gate, Job } from '../../ports/queue.ts'

/** Identifies one tenant's queue in one lane. */
export type TenantLane = Readonly<{ lane: Lane; tenantId: TenantId }>

/** Key id of the mark that a destroyed key leaves. */
export const SHREDDED = 'shredded'
/** Key id under which the searchable fields of a message outlive its secret. */
export const KEPT_SEARCHABLE = 'kept'

/** Stands for the message id in the subject of a block of keys. */
const BLOCK = 'block'

/** In bytes; a longer name is hashed. */
const LONGEST_NAME = 75

export type Names = ReturnType<typeof namesFor>

/** Ids, tenants and providers contain no dots, spaces or wildcards, so they are valid subject tokens. */
export function namesFor(prefix: string, partitions: number) {
  const jobs = Array.from({ length: partitions }, (_, n) => `${prefix}_JOBS_${n}`)
  const partitionOf = (tenantId: TenantId): number => hash(tenantId) % partitions
  const queuePath = ({ lane, tenantId }: TenantLane): string => `${partitionOf(tenantId)}.${lane}.${tenantId}`

  const parkedIn = (partition: number, gate: Gate | '*'): string => `${prefix}.parked${partition}.${toGateToken(gate)}`

  return {
    ...logNames(prefix),
    ...requestsTo(prefix),
    ...roundsOf(prefix),
    ...partitionsOf(prefix),
    keys: `${prefix}_KEYS`,
    queues: `${prefix}_LINES`,
    breakers: `${prefix}_BREAKERS`,
    events: `${prefix}_EVENTS`,
    gates: `${prefix}_GATES`,
    receipts: `${prefix}_RECEIPTS`,
    contents: `${prefix}_CONTENTS`,
    rounds: `${prefix}_ROUNDS`,
    jobs,
    jobsOf: (tenantId: TenantId): string => `${prefix}_JOBS_${partitionOf(tenantId)}`,

    key: (id: MessageId, kid: string): string => `${prefix}.keys.${id}.${kid}`,
    keyBlock: (name: string): string => `${prefix}.keys.${BLOCK}.${name}`,
    queue: ({ lane, tenantId }: TenantLane): string => `${prefix}.line.${lane}.${tenantId}`,
    anyQueue: `${prefix}.line.>`,
    breaker: (provider: ProviderName | '*'): string => `${prefix}.breaker.${provider}`,
    receipt: (provider: ProviderName, name: string): string => `${prefix}.receipt.${provider}.${toToken(name)}`,
    anyReceipt: `${prefix}.receipt.*.*`,
    piece: (id: MessageId | '*', kid: string, index: number | '*'): string => `${prefix}.content.${id}.${kid}.${index}`,

    job: (job: Job): string => `${prefix}.job.${queuePath(job)}.${job.messageId}`,
    schedule: (job: Job): string => `${prefix}.sched.${queuePath(job)}.${job.messageId}`,
    /** As many tokens as a ready or scheduled job, so that `anyJob` matches all three. */
    parked: (job: Job, gate: Gate | '*'): string =>
      `${parkedIn(partitionOf(job.tenantId), gate)}.${job.lane}.${job.tenantId}.${job.messageId}`,
    parkedIn: (partition: number, gate: Gate | '*', lane: Lane | '*'): string =>
      `${parkedIn(partition, gate)}.${lane}.*.*`,
    parkedOf: (key: Readonly<{ lane: Lane | '*'; tenantId: TenantId }>): string =>
      `${parkedIn(partitionOf(key.tenantId), '*')}.${key.lane}.${key.tenantId}.*`,
    gate: (gate: Gate | '*'): string => `${prefix}.gate.${toGateToken(gate)}`,
    /** The job of a message: ready, scheduled or parked. */
    anyJob: ({ lane, tenantId, messageId }: Job): string => `${prefix}.*.*.${lane}.${tenantId}.${messageId}`,
    /** All jobs of a tenant. */
    anyJobOf: (tenantId: TenantId): string => `${prefix}.*.*.*.${tenantId}.*`,
    /** Where the broker republishes every job that becomes ready. */
    ready: ({ lane, tenantId }: TenantLane): string => `${prefix}.ready.${lane}.${tenantId}`,
    announcements: (partition: number) => ({
      src: `${prefix}.job.${partition}.*.*.*`,
      dest: `${prefix}.ready.{{wildcard(1)}}.{{wildcard(2)}}`,
      headers_only: true,
    }),
    jobsIn: (key: TenantLane): string => `${prefix}.job.${queuePath(key)}.*`,
    scheduledOf: (key: TenantLane): string => `${prefix}.sched.${queuePath(key)}.*`,
  }
}

/** Subjects of many jobs at once, by partition. */
const partitionsOf = (prefix: string) => ({
  readyIn: (partition: number, lane: Lane): string => `${prefix}.job.${partition}.${lane}.>`,
  scheduledIn: (partition: number, lane: Lane): string => `${prefix}.sched.${partition}.${lane}.>`,
  subjectsOf: (partition: number): string[] => [
    `${prefix}.job.${partition}.>`,
    `${prefix}.sched.${partition}.>`,
    `${prefix}.parked${partition}.>`,
  ],
})

const logNames = (prefix: string) => ({
  /** The whole log. */
  log: `${prefix}_LOG`,
  /** The stream that has the events of this message: so far there is one (ADR 38). */
  logOf: (_id: MessageId): string => `${prefix}_LOG`,
  event: (id: MessageId | '*'): string => `${prefix}.log.${id}`,
})

/** Requests to one process, which the broker does not store. */
const requestsTo = (prefix: string) => ({
  forwarded: (worker: string): string => `${prefix}.forwarded.${worker}`,
  handover: `${prefix}.handover`,
})

const roundsOf = (prefix: string) => ({
  round: (name: string): string => `${prefix}.round.${toToken(name)}`,
  anyRound: `${prefix}.round.*`,
  /** How far a sink has come, and which process publishes on it. */
  sinkPosition: (sink: string): string => `${prefix}.sink.${sink}`,
  /** How far the sweeper of a kind of orphans has come. */
  swept: (kind: string): string => `${prefix}.swept.${kind}`,
})

/** Provider names contain no plus sign. */
const toGateToken = (gate: Gate | '*'): string => (gate === '*' ? '*' : gate.join('+'))

export const parseGate = (subject: string): Gate =>
  subject.slice(subject.lastIndexOf('.') + 1).split('+') as readonly string[] as Gate

/** The name of a tenant queue's consumer. */
export const consumerOf = ({ lane, tenantId }: TenantLane): string => `${lane}_${tenantId}`
export const laneOf = (consumer: string): Lane => consumer.slice(0, consumer.indexOf('_')) as Lane

/** A job is fully described by its subject. */
export function parseJob(subject: string): Job {
  const [lane, tenantId, messageId] = subject.split('.').slice(-3)
  return { messageId: messageId as MessageId, tenantId: tenantId as TenantId, lane: lane as Lane }
}

/** The message and key id that a key or a piece of content belongs to. */
export function parseOwned(subject: string): Readonly<{ id: MessageId; kid: string }> {
  const [, , id = '', kid = ''] = subject.split('.')
  return { id: id as MessageId, kid }
}

/** Whether this is the subject of a block of keys. */
export const isKeyBlock = (subject: string): boolean => parseOwned(subject).id === (BLOCK as MessageId)

export function parseTenantLane(subject: string): TenantLane {
  const [lane, tenantId] = subject.split('.').slice(-2)
  return { tenantId: tenantId as TenantId, lane: lane as Lane }
}

export const parseBreaker = (subject: string): ProviderName =>
  subject.slice(subject.lastIndexOf('.') + 1) as ProviderName

/** Carriers choose references freely; one that is too long for a subject is hashed. */
function toToken(name: string): string {
  const bytes = Buffer.from(name)
  return bytes.length > LONGEST_NAME
    ? `h${createHash('sha256').update(bytes).digest('base64url')}`
    : `n${bytes.toString('base64url')}`
}

/** FNV-1a. It decides where a tenant's jobs are, so it must be the same in every process and release. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}
