/** What the columns of a file contain: guessed from the header, and changed by hand. */
import { BULK_TEXTS } from '../../texts/bulk.ts'

export type Channel = 'sms' | 'email'

/** `data:name` is a field of the template; `metadata` has the name of the column as its key. */
export type Target =
  | 'ignore'
  | 'to'
  | 'recipient_id'
  | 'recipient_external_id'
  | 'message'
  | 'subject'
  | 'html'
  | 'sender'
  | 'tag'
  | 'metadata'
  | `data:${string}`

/** The target of each column. */
export type Mapping = readonly Target[]

export type TemplateNeed = Readonly<{ name: string; isJson: boolean }>

/** What is sent: texts of the file, or a template with the fields that it needs. */
export type Form = Readonly<{
  channel: Channel
  template: Readonly<{ name: string; locale: string; fields: readonly TemplateNeed[] }> | undefined
}>

/** Several columns may be tags or metadata, or ignored. */
const isRepeatable = (target: Target): boolean => ['ignore', 'tag', 'metadata'].includes(target)

const TEXT_TARGETS = { sms: ['message'], email: ['subject', 'html'] } as const

/** What a column may contain, in the order of the list. */
export const targetsOf = ({ channel, template }: Form): readonly Target[] => [
  ...(['ignore', 'to', 'recipient_id', 'recipient_external_id'] as const),
  ...(template === undefined ? TEXT_TARGETS[channel] : template.fields.map(({ name }) => `data:${name}` as const)),
  ...(['sender', 'tag', 'metadata'] as const),
]

export const nameOf = (target: Target): string => {
  const T = BULK_TEXTS.targets
  return target.startsWith('data:') ? T.data(target.slice('data:'.length)) : T[target as keyof Omit<typeof T, 'data'>]
}

const WORDS: readonly (readonly [Target, RegExp])[] = [
  ['recipient_external_id', /^(external_?id|user_?id|customer_?id|recipient_?external_?id)$/],
  ['recipient_id', /^(recipient_?id|recipient)$/],
  [
    'to',
    /^(to|phone|phone_?number|mobile|mobile_?number|msisdn|number|telephone|tel|cell|email|e_?mail|email_?address|address)$/,
  ],
  ['message', /^(message|text|body|content|sms)$/],
  ['subject', /^(subject|title)$/],
  ['html', /^(html|body|content|message)$/],
  ['sender', /^(sender|sender_?id|from)$/],
  ['tag', /^(tags?|label|campaign)$/],
]

/** Each target is given to the first column that fits. Names of template fields come first. */
export function guessMapping(header: readonly string[], form: Form): Mapping {
  const possible = targetsOf(form)
  const taken = new Set<Target>()
  return header.map((name) => {
    const found = guess(name, possible).find((target) => isRepeatable(target) || !taken.has(target))
    if (found !== undefined) taken.add(found)
    return found ?? 'ignore'
  })
}

function guess(name: string, possible: readonly Target[]): readonly Target[] {
  const plain = toPlain(name)
  const fields = possible.filter((target) => target.startsWith('data:') && toPlain(target.slice(5)) === plain)
  const words = WORDS.filter(([, pattern]) => pattern.test(plain)).map(([target]) => target)
  const metadata = /^(metadata|meta)[_.]/.test(plain) ? (['metadata'] as const) : []
  return [...fields, ...words.filter((target) => possible.includes(target)), ...metadata]
}

const toPlain = (name: string): string =>
  name
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[\s.-]+/g, '_')

/** What is missing or doubled, before a row can be read. */
export function mappingProblems(mapping: Mapping, form: Form): readonly string[] {
  const T = BULK_TEXTS
  const has = (...targets: readonly Target[]): boolean => targets.some((target) => mapping.includes(target))
  const doubled = [...new Set(mapping)].filter(
    (target) => !isRepeatable(target) && mapping.filter((one) => one === target).length > 1,
  )
  const texts = form.template === undefined ? TEXT_TARGETS[form.channel].filter((target) => !has(target)) : []
  const fields = (form.template?.fields ?? []).filter(({ name }) => !has(`data:${name}`))
  return [
    ...doubled.map((target) => T.sameTarget(nameOf(target))),
    ...(has('to', 'recipient_id', 'recipient_external_id') ? [] : [T.needs.recipient]),
    ...texts.map((target) => T.needs[target]),
    ...fields.map(({ name }) => T.needs.data(name)),
  ]
}

/** The key of a column of metadata. */
export const metadataKey = (column: string): string => column.trim().replace(/^(metadata|meta)[_.]/i, '')
