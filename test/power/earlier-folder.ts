/** A data folder as the release before this one has left it, with messages in every state, and what is promised of them. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { EmailAddress } from '../../src/domain/email/address.ts'
import type { Fact, MessageEvent } from '../../src/domain/message/events.ts'
import type { Content, Message } from '../../src/domain/message/message.ts'
import { openSealer } from '../../src/engines/crypto/sealer.ts'
import { type Earlier, type Written, writeEarlier } from '../../src/engines/sqlite/messages/earlier-database.fixture.ts'
import { instant, later, seconds } from '../../src/lib/time.ts'
import type { Revision } from '../../src/ports/event-log.ts'
import { contentOf, messageOf, type SampleMessage } from '../../src/ports/index-samples.contract.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  DEAD,
  delivered,
  NOON,
  nextEntry,
  phone,
  retryAt,
  someEmail,
  unknownUntil,
  withHashedId,
} from '../../src/ports/samples.contract.ts'
import { type Random, randomInteger, seededRandom } from '../support/random.ts'
import { pick } from './choose.ts'
import type { Files } from './disk.ts'
import { MASTER_KEY } from './engine.ts'
import { readFiles } from './folder-files.ts'
import { digestOf, type MessagePromise, NOTHING, type Promised } from './promises.ts'

export type EarlierFolder = Readonly<{ files: Files; promised: Promised }>

/** More than two transactions of a take-over move. */
const EVENTS = 2_200
const QUEUED_THROUGH = 1_200
/** A message that was tried was often tried before. */
const MOST_RETRIES = 6
const RECIPIENTS = 40

const RETRIED = retryAt(later(NOON, seconds(9)))
const BOUNCED: Fact = { kind: 'ProviderBounced', reportId: 'b1', code: 'BLOCKED', detail: 'blocked by the carrier' }
const RESENT: Fact = { kind: 'ResendRequested', by: 'resend' }
const HANDED_OFF = [ATTEMPTED, ACCEPTED]
const COPY = { address: 'eva@example.com' as EmailAddress }

type Story = Pick<SampleMessage, 'facts' | 'mail'> & Readonly<Pick<Earlier, 'shredded'>> & Traits
/** `staysNew`: it is not over, or its events do not say so (see promises.ts), so it must not be pruned. */
type Traits = Readonly<{ isHashed?: true; staysNew?: true }>

const STORIES: readonly Story[] = [
  {},
  { facts: [ATTEMPTED] },
  { facts: HANDED_OFF },
  { facts: [...HANDED_OFF, delivered()] },
  { facts: [...HANDED_OFF, delivered()], isHashed: true, staysNew: true },
  { facts: [ATTEMPTED, RETRIED] },
  { facts: [ATTEMPTED, RETRIED, ATTEMPTED, DEAD] },
  { facts: [ATTEMPTED, unknownUntil(later(NOON, seconds(60)))] },
  { facts: [...HANDED_OFF, BOUNCED, RESENT, ...HANDED_OFF] },
  { facts: [...HANDED_OFF, BOUNCED, RESENT], staysNew: true },
  { facts: [...HANDED_OFF, { kind: 'MessageErased' }], shredded: 'all' },
  { facts: [...HANDED_OFF, { kind: 'MessageErased', kept: 'recipient' }], shredded: 'content' },
  { facts: HANDED_OFF, mail: { cc: [COPY], subject: 'Uma fatura' } },
  { mail: someEmail(10_000) },
]

/** The folder must be empty. Every third one is that of a gateway that was killed. */
export function writeEarlierFolder(folder: string, seed: number): EarlierFolder {
  const random = seededRandom(seed)
  const path = join(folder, 'pombo.db')
  const messages: Earlier[] = []
  for (let left = EVENTS; left > 0; left -= messages.at(-1)?.events.length ?? 0) messages.push(toEarlier(random))
  using other = new DatabaseSync(path)
  other.exec('pragma journal_mode = wal')
  const written = writeEarlier(path, messages, openSealer(MASTER_KEY), QUEUED_THROUGH)
  // The last connection that is closed moves the write-ahead log into the file.
  if (seed % 3 !== 0) other.close()
  const promises = written.map((one, nth) => toPromise(one, messages[nth]?.content))
  return { files: readFiles(folder), promised: { ...NOTHING, messages: new Map(promises) } }
}

function toEarlier(random: Random): Earlier {
  const story = pick(random, STORIES)
  const { facts = [], isHashed, staysNew, shredded } = story
  const retries = Array.from({ length: facts.length && randomInteger(random, 0, MOST_RETRIES) }, () => [
    ATTEMPTED,
    RETRIED,
  ])
  const createdAt = staysNew === undefined && random() < 0.3 ? NOON : instant(Date.now())
  const message: Partial<Message> = { createdAt, ...(random() < 0.2 ? { callback: true } : {}) }
  const to = phone(`+55119876543${randomInteger(random, 10, 10 + RECIPIENTS)}`)
  const content = contentOf({ ...story, content: { to } })
  const { event: first } = createdEntry(messageOf({ ...story, message }), content)
  const next: MessageEvent[] = []
  for (const fact of [...retries.flat(), ...facts])
    next.push(nextEntry({ revision: 1 as Revision, event: next.at(-1) ?? first }, fact).event)
  if (isHashed) return { events: [withHashedId(first), ...next.map(withHashedId)], content, shredded }
  return { events: [first, ...next], content, shredded }
}

function toPromise(written: Written, content: Content | undefined): readonly [id: string, MessagePromise] {
  const asked = written.events.map(([, event]) => event.id)
  const { id = '', createdAt } = written.events[0]?.[1].state ?? {}
  return [
    id,
    {
      content: digestOf(content),
      asked,
      answered: asked.length,
      erasure: written.content === undefined ? 'answered' : 'none',
      isOld: createdAt === NOON,
      earlier: { ...written, queuedThrough: QUEUED_THROUGH },
    },
  ]
}
