/**
 * Keys for contents that travel with jobs. They exist only in the memory of the process that made them and of the
 * workers that asked for them, and not for long: what the broker still has of an old job on its disk cannot be read,
 * also not with the master key. A worker that cannot get a key reads the message from the log instead.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Msg } from '@nats-io/transport-node'
import type { MessageId } from '../../domain/ids.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Connection } from './connection.ts'
import type { Names } from './subjects.ts'

export type TransitKeysOptions = Readonly<{
  connection: Connection
  names: Names
  /** How long a key is used for new jobs, and how long it is kept at all. */
  usedForMs?: number
  keptForMs?: number
}>

/** Content under a transit key, and the name of the key. */
export type InTransit = Readonly<{ keyName: string; bytes: Uint8Array }>

/** `key` is undefined if its process did not give it to us. */
type Kept = { readonly until: number; key: Soon<KeyObject | undefined> }
type Used = Readonly<{ keyName: string; key: KeyObject; until: number }>

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const TAG = { authTagLength: TAG_BYTES }
const USED_FOR_MS = 5 * 60_000
const KEPT_FOR_MS = 10 * 60_000
/** A process that is gone is not asked for the same key again within this time. */
const GONE_FOR_MS = 30_000
const ASK_WITHIN_MS = 1_000

export class TransitKeys implements Disposable {
  readonly #connection: Connection
  readonly #names: Names
  readonly #usedForMs: number
  readonly #keptForMs: number
  readonly #process = randomBytes(8).toString('hex')
  readonly #kept = new Map<string, Kept>()
  readonly #forgetting: NodeJS.Timeout
  #used: Used | undefined
  #made = 0
  #ivs = 0

  constructor({ connection, names, usedForMs = USED_FOR_MS, keptForMs = KEPT_FOR_MS }: TransitKeysOptions) {
    this.#connection = connection
    this.#names = names
    this.#usedForMs = usedForMs
    this.#keptForMs = keptForMs
    this.#forgetting = setInterval(() => this.#forget(), keptForMs / 10).unref()
    connection.subscribe(names.transitKey(this.#process), (request) => this.#answer(request))
  }

  seal(id: MessageId, plain: Uint8Array): InTransit {
    const { keyName, key } = this.#current()
    this.#ivs += 1
    // Counted, so that no two contents under one key have the same.
    const iv = Buffer.alloc(IV_BYTES)
    iv.writeUIntBE(this.#ivs, IV_BYTES - 6, 6)
    const cipher = createCipheriv(CIPHER, key, iv, TAG).setAAD(Buffer.from(id))
    return { keyName, bytes: Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]) }
  }

  /** At once if the key is known here. Undefined if there is no such key any more. */
  open(id: MessageId, { keyName, bytes }: InTransit): Soon<Uint8Array | undefined> {
    return whenReady(this.#find(keyName), (key) => key && decrypt(key, id, bytes))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#forgetting)
    this.#kept.clear()
    this.#used = undefined
  }

  #current(): Used {
    const now = performance.now()
    if (this.#used !== undefined && this.#used.until > now) return this.#used
    this.#made += 1
    this.#ivs = 0
    const key = createSecretKey(randomBytes(KEY_BYTES))
    this.#used = { keyName: `${this.#process}.${this.#made}`, key, until: now + this.#usedForMs }
    this.#kept.set(this.#used.keyName, { key, until: now + this.#keptForMs })
    return this.#used
  }

  #find(keyName: string): Soon<KeyObject | undefined> {
    const kept = this.#kept.get(keyName)
    if (kept !== undefined && kept.until > performance.now()) return kept.key
    const [process = ''] = keyName.split('.')
    return process === this.#process ? undefined : this.#ask(process, keyName)
  }

  /** Jobs under the same key share the request. */
  #ask(process: string, keyName: string): Promise<KeyObject | undefined> {
    const asking = this.#request(process, keyName).then((answer) => {
      const isKey = answer?.length === KEY_BYTES
      const key = isKey ? createSecretKey(answer) : undefined
      this.#kept.set(keyName, { key, until: performance.now() + (isKey ? this.#usedForMs : GONE_FOR_MS) })
      return key
    })
    this.#kept.set(keyName, { key: asking, until: performance.now() + GONE_FOR_MS })
    return asking
  }

  async #request(process: string, keyName: string): Promise<Uint8Array | undefined> {
    try {
      const subject = this.#names.transitKey(process)
      return (await this.#connection.request(subject, keyName, undefined, ASK_WITHIN_MS)).data
    } catch (error) {
      if (error instanceof Unavailable) return undefined
      throw error
    }
  }

  #answer(request: Msg): void {
    const kept = this.#kept.get(request.string())
    const key = kept === undefined || kept.key instanceof Promise ? undefined : kept.key
    if (request.reply !== undefined && this.#connection.isUp) this.#connection.send(request.reply, key?.export() ?? '')
  }

  #forget(): void {
    const now = performance.now()
    if (this.#used !== undefined && this.#used.until <= now) this.#used = undefined
    for (const [keyName, { until }] of this.#kept) if (until <= now) this.#kept.delete(keyName)
  }
}

/** Undefined if it was damaged. */
function decrypt(key: KeyObject, id: MessageId, bytes: Uint8Array): Uint8Array | undefined {
  const end = bytes.length - TAG_BYTES
  if (end < IV_BYTES) return undefined
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), TAG)
  decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(end))
  const plain = decipher.update(bytes.subarray(IV_BYTES, end))
  try {
    decipher.final()
    return plain
  } catch {
    return undefined
  }
}
