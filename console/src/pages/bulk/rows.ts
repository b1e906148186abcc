/** Turns the records of a file into items of a batch, and says what is wrong with the others. */
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { toSegments } from '../../ui/segments.ts'
import type { CsvRecord } from './csv.ts'
import { type Form, type Mapping, metadataKey, type Target } from './mapping.ts'

const T = BULK_TEXTS.rowProblems

/** What every message has: the sender where a row has none, and one tag more. */
export type Common = Readonly<{ sender: string; tag: string }>

export type Item = Readonly<Record<string, unknown>>

export type Row = Readonly<{
  line: number
  /** As it will be sent, or as it is in the file. */
  to: string
  /** Undefined if the row cannot be sent. */
  item: Item | undefined
  problems: readonly string[]
  /** Undefined where only the gateway knows: it renders the template. */
  parts: number | undefined
  sender: string
  duplicateOf: number | undefined
}>

export type Plan = Readonly<{ header: readonly string[]; mapping: Mapping; form: Form; common: Common }>

const E164 = /^\+[1-9]\d{1,14}$/
const EMAIL = /^[^@\s<>]+@[^@\s<>]+$/
const MOST_CHARACTERS = 1600

/** Reads records one after another, because a duplicate is one of an earlier row. */
export class RowReader {
  readonly #plan: Plan
  readonly #seen = new Map<string, number>()

  constructor(plan: Plan) {
    this.#plan = plan
  }

  read(record: CsvRecord): Row {
    const { line, cells } = record
    const cellsBy = this.#cellsBy(cells)
    const recipient = this.#recipient(cellsBy)
    const content = this.#content(cellsBy)
    const problems = [
      ...(cells.length > this.#plan.header.length ? [T.cells(cells.length, this.#plan.header.length)] : []),
      ...recipient.problems,
      ...content.problems,
    ]
    const sender = cellsBy('sender')[0]?.trim() || this.#plan.common.sender.trim()
    const key = Object.entries(recipient.fields).join()
    const duplicateOf = problems.length > 0 ? undefined : this.#seen.get(key.toLowerCase())
    if (problems.length === 0 && duplicateOf === undefined) this.#seen.set(key.toLowerCase(), line)
    const item = { ...recipient.fields, ...content.fields, ...this.#others(cells, cellsBy, sender) }
    return {
      ...{ line, to: recipient.to, problems, sender, duplicateOf },
      item: problems.length > 0 ? undefined : item,
      parts: content.parts,
    }
  }

  #cellsBy(cells: readonly string[]): CellsBy {
    return (target) => this.#plan.mapping.flatMap((one, at) => (one === target ? [cells[at] ?? ''] : []))
  }

  #recipient(cellsBy: CellsBy): Readonly<{ to: string; fields: Item; problems: readonly string[] }> {
    const [id = ''] = cellsBy('recipient_id').map((cell) => cell.trim())
    const [externalId = ''] = cellsBy('recipient_external_id').map((cell) => cell.trim())
    const [written = ''] = cellsBy('to').map((cell) => cell.trim())
    if (written !== '') {
      const isSms = this.#plan.form.channel === 'sms'
      const to = isSms ? written.replaceAll(/[\s().-]/g, '') : written
      return { to, fields: { to }, problems: addressProblems(to, isSms) }
    }
    if (id !== '') return { to: id, fields: { recipient_id: id }, problems: [] }
    if (externalId !== '') return { to: externalId, fields: { recipient_external_id: externalId }, problems: [] }
    return { to: '', fields: {}, problems: [T.noRecipient] }
  }

  #content(cellsBy: CellsBy): Content {
    const { channel, template } = this.#plan.form
    if (template !== undefined) return templateContent(template, cellsBy)
    if (channel === 'sms') return smsContent(cellsBy('message')[0] ?? '')
    const texts = (['subject', 'html'] as const).map((name) => [name, cellsBy(name)[0] ?? ''] as const)
    const empty = texts.filter(([, text]) => text.trim() === '')
    return {
      fields: Object.fromEntries(texts),
      problems: empty.map(([name]) => T.empty(BULK_TEXTS.targets[name])),
      parts: undefined,
    }
  }

  #others(cells: readonly string[], cellsBy: CellsBy, sender: string): Item {
    const { header, mapping, form, common } = this.#plan
    const tags = [...cellsBy('tag'), common.tag].map((tag) => tag.trim()).filter((tag) => tag !== '')
    const metadata = mapping.flatMap((target, at) => {
      const value = cells[at] ?? ''
      return target === 'metadata' && value !== '' ? [[metadataKey(header[at] ?? ''), value] as const] : []
    })
    return {
      ...(form.channel === 'email' ? { channel: 'email' } : {}),
      ...(sender === '' ? {} : { [form.channel === 'email' ? 'from' : 'sender_id']: sender }),
      ...(tags.length === 0 ? {} : { tags: [...new Set(tags)] }),
      ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
      lane: 'bulk',
    }
  }
}

type CellsBy = (target: Target) => readonly string[]
type Content = Readonly<{ fields: Item; problems: readonly string[]; parts: number | undefined }>

function addressProblems(to: string, isSms: boolean): readonly string[] {
  if (!isSms) return EMAIL.test(to) ? [] : [T.badEmail]
  if (E164.test(to)) return []
  return [/^\d{7,15}$/.test(to) ? T.noPlus : T.badPhone]
}

function smsContent(message: string): Content {
  const text = message.trim()
  const problems =
    text === '' ? [T.empty(BULK_TEXTS.targets.message)] : text.length > MOST_CHARACTERS ? [T.tooLong(text.length)] : []
  return { fields: { message }, problems, parts: problems.length > 0 ? 0 : toSegments(text).parts.length }
}

function templateContent({ name, locale, fields }: NonNullable<Form['template']>, cellsBy: CellsBy): Content {
  const problems: string[] = []
  const data: Record<string, unknown> = {}
  for (const field of fields) {
    const [cell = ''] = cellsBy(`data:${field.name}`)
    if (cell.trim() === '') problems.push(T.missing(field.name))
    else if (!field.isJson) data[field.name] = cell
    else {
      try {
        data[field.name] = JSON.parse(cell)
      } catch {
        problems.push(T.json(field.name))
      }
    }
  }
  const hasData = Object.keys(data).length > 0
  return { fields: { template: { name, locale, ...(hasData ? { data } : {}) } }, problems, parts: undefined }
}

const MOST_KEY = 100

/**
 * The same file sent again under the same name has the same keys, so a row that was accepted is not sent twice. A key
 * is at most 255 characters of ASCII.
 */
export const toKey = (name: string, fileHash: string, line: number): string =>
  `bulk-${encodeURIComponent(name.trim()).slice(0, MOST_KEY)}-${fileHash.slice(0, 32)}-${line}`

/** A batch id has at most 64 characters. */
const MOST_SLUG = 24

/** The same file under the same name is the same batch. */
export function toBatchId(name: string, fileHash: string): string {
  const slug = name
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, MOST_SLUG)
  return ['bulk', slug, fileHash.slice(0, 32)].filter((part) => part !== '').join('-')
}
