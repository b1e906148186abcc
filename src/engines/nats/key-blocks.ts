/**
 * Keys stored together: the messages accepted in one turn of the event loop share one entry on the broker, because an
 * entry costs far more than its bytes. A key is destroyed by storing its block again without it, and then overwriting
 * the earlier versions on disk.
 */
import { randomBytes } from 'node:crypto'
import type { MessageId } from '../../domain/ids.ts'
import { ifLast, type JetStream, type Stored } from './jetstream.ts'
import { type Names, SHREDDED } from './subjects.ts'
import { type BlockMember, blockLine, decodeBlock, encodeBlock, linesOf, type StoredKey, toMember } from './wire.ts'

/** A message whose key is in a block. */
export type Member = BlockMember & Readonly<{ kid: string }>

/** Where the key of a message is. */
export type Place = Readonly<{ kid: string; block: Block }>

type Block = {
  readonly name: string
  readonly lines: string[]
  readonly written: PromiseWithResolvers<void>
  rewritten?: Promise<void>
  /** Members whose event the log refused, to be removed together. */
  refused: string[]
  removed?: Promise<void>
}

/** How earlier versions are removed: overwritten on disk, or only deleted, which is a hundred times faster. */
type Removal = 'destroy' | 'purge'

const NAME_BYTES = 9
/** Bounds what reading one key costs. */
const MOST_KEYS = 32
/** Between the name of a block and the position in it. Occurs in neither, and subjects may contain it. */
const SEPARATOR = '~'
/** A write that took longer may have been overtaken by an erasure that did not find the block. */
const PROMPT_MS = 1_000

export class KeyBlocks {
  readonly #js: JetStream
  readonly #names: Names
  /** Random, so that no two processes use the same name. */
  readonly #prefix = randomBytes(NAME_BYTES).toString('base64url')
  readonly #reading = new Map<string, Promise<readonly string[]>>()
  #blocks = 0
  #open: Block | undefined

  constructor(js: JetStream, names: Names) {
    this.#js = js
    this.#names = names
  }

  /** Adds a key to the block that is written at the end of this turn. */
  add(id: MessageId, key: StoredKey): Place {
    const block = this.#open ?? this.#begin()
    const kid = toKid(block.name, block.lines.length)
    if (block.lines.push(blockLine(id, key)) === MOST_KEYS) this.#open = undefined
    return { kid, block }
  }

  written({ block }: Place): Promise<void> {
    return block.written.promise
  }

  /** After a write whose outcome is not known. All members share it. */
  writeAgain({ block }: Place): Promise<void> {
    block.rewritten ??= this.#store(block)
      .then(() => this.#removeShredded(block))
      .finally(() => {
        delete block.rewritten
      })
    return block.rewritten
  }

  /** Destroys the key of a message that the log refused. Those of one turn are destroyed together. */
  refuse({ kid, block }: Place): Promise<void> {
    block.refused.push(kid)
    block.removed ??= new Promise((resolve) => {
      setImmediate(() => {
        const kids = block.refused
        block.refused = []
        delete block.removed
        resolve(this.remove(kids, 'destroy'))
      })
    })
    return block.removed
  }

  /** The key of a message; undefined if it was destroyed, or its block is not stored. */
  async find(id: MessageId, kid: string): Promise<StoredKey | undefined> {
    const { name, at } = parseKid(kid)
    const member = toMember((await this.#read(name))[at])
    return member?.id === id ? member.key : undefined
  }

  /** The members of the version with this sequence that still have their keys; none if there is a newer version. */
  async members(seq: number): Promise<readonly Member[]> {
    const stored = await this.#js.get(this.#names.keys, { seq })
    return stored === undefined ? [] : membersOf(stored)
  }

  async remove(kids: readonly string[], how: Removal): Promise<void> {
    const byBlock = Map.groupBy(kids.map(parseKid), ({ name }) => name)
    await Promise.all(
      [...byBlock].map(([name, places]) => this.#remove(name, new Set(places.map(({ at }) => at)), how)),
    )
  }

  /**
   * Calls of one turn of the event loop share a read, as messages that were accepted together are often sent together.
   * No later ones do: they must not find a key that was destroyed meanwhile.
   */
  #read(name: string): Promise<readonly string[]> {
    const reading = this.#reading.get(name)
    if (reading !== undefined) return reading
    const stored = this.#js.get(this.#names.keys, { last_by_subj: this.#names.keyBlock(name) })
    const lines = stored.then((found) => (found === undefined ? [] : linesOf(found.data)))
    this.#reading.set(name, lines)
    setImmediate(() => this.#reading.delete(name))
    return lines
  }

  #begin(): Block {
    this.#blocks += 1
    const name = `${this.#prefix}${this.#blocks.toString(36)}`
    const block: Block = { name, lines: [], written: Promise.withResolvers(), refused: [] }
    // Each member reports a failure to its own caller.
    block.written.promise.catch(() => undefined)
    this.#open = block
    setImmediate(() => {
      if (this.#open === block) this.#open = undefined
      block.written.resolve(this.#write(block))
    })
    return block
  }

  async #write(block: Block): Promise<void> {
    const beganAt = performance.now()
    await this.#store(block)
    if (performance.now() - beganAt > PROMPT_MS) await this.#removeShredded(block)
  }

  async #store({ name, lines }: Block): Promise<void> {
    await this.#js.publish(this.#names.keyBlock(name), encodeBlock(lines))
  }

  /** An erasure marks the message before it looks for its block, so either it finds the block or we find the mark. */
  async #removeShredded({ name, lines }: Block): Promise<void> {
    const marks = await Promise.all(
      decodeBlock(encodeBlock(lines)).map(
        (member) => member && this.#js.get(this.#names.keys, { last_by_subj: this.#names.key(member.id, SHREDDED) }),
      ),
    )
    const shredded = marks.flatMap((mark, at) => (mark === undefined ? [] : toKid(name, at)))
    await this.remove(shredded, 'destroy')
  }

  /** Earlier versions go last: if we stop in between, the other keys are still stored, and a repeated call goes on. */
  async #remove(name: string, positions: ReadonlySet<number>, how: Removal): Promise<void> {
    for (;;) {
      const stored = await this.#js.get(this.#names.keys, { last_by_subj: this.#names.keyBlock(name) })
      if (stored === undefined) return
      const before = linesOf(stored.data)
      const after = before.map((line, at) => (positions.has(at) ? '' : line))
      const isChanged = after.some((line, at) => line !== before[at])
      const newest = isChanged ? await this.#replace(name, after, stored.seq) : stored.seq
      if (newest === undefined) continue
      const isEmpty = after.every((line) => line === '')
      return how === 'destroy' ? this.#eraseThrough(name, isEmpty ? newest : newest - 1) : this.#purge(name, isEmpty)
    }
  }

  /** Undefined when another version was stored meanwhile. */
  #replace(name: string, lines: readonly string[], seen: number): Promise<number | undefined> {
    return this.#js.publish(this.#names.keyBlock(name), encodeBlock(lines), ifLast(seen))
  }

  async #eraseThrough(name: string, last: number): Promise<void> {
    const subject = this.#names.keyBlock(name)
    for (let seq = 1; ; seq += 1) {
      const stored = await this.#js.get(this.#names.keys, { seq, next_by_subj: subject })
      if (stored === undefined || stored.seq > last) return
      seq = stored.seq
      await this.#js.erase(this.#names.keys, seq)
    }
  }

  async #purge(name: string, isEmpty: boolean): Promise<void> {
    const filter = { filter: this.#names.keyBlock(name) }
    await this.#js.api(`STREAM.PURGE.${this.#names.keys}`, isEmpty ? filter : { ...filter, keep: 1 })
  }
}

/** Whether this is the id of a key in a block. */
export const isInBlock = (kid: string): boolean => kid.includes(SEPARATOR)

function parseKid(kid: string): Readonly<{ name: string; at: number }> {
  const [name = '', at = ''] = kid.split(SEPARATOR)
  return { name, at: Number.parseInt(at, 36) }
}

const toKid = (name: string, at: number): string => `${name}${SEPARATOR}${at.toString(36)}`

/** The members of a stored block that still have their keys. */
export const membersOf = ({ subject, data }: Pick<Stored, 'subject' | 'data'>): readonly Member[] =>
  decodeBlock(data).flatMap((member, at) =>
    member === undefined ? [] : { ...member, kid: toKid(nameOf(subject), at) },
  )

/** The name of the block that a key is in. */
export const blockOf = (kid: string): string => parseKid(kid).name

const nameOf = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1)
