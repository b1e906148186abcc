/** Generates sample data for a template from the names of its variables. */
import { TEMPLATES_TEXTS } from '../../texts/templates.ts'

export type Data = Readonly<Record<string, unknown>>

const SAMPLES = TEMPLATES_TEXTS.samples
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/e-?mail/i, SAMPLES.email],
  [/phone|mobile/i, SAMPLES.phone],
  [/name$|user|customer/i, SAMPLES.name],
  [/url|link|href/i, SAMPLES.url],
  [/code|pin$|otp/i, SAMPLES.code],
  [/date|day/i, SAMPLES.date],
  [/time|hour/i, SAMPLES.time],
  [/amount|price|total|sum/i, SAMPLES.amount],
  [/number|order|id$/i, SAMPLES.number],
]
const OF_LISTS = new Set(['size', 'first', 'last'])
const DEEPEST = 5

const NAMES = /\{\{-?\s*([A-Za-z_][\w-]*)|\b(?:in|if|unless|elsif|case|and|or)\s+([A-Za-z_][\w-]*)/g
const OWN = /\b(?:for|assign|capture)\s+([A-Za-z_][\w-]*)/g
const WORDS = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank', 'forloop'])

/** Guesses the variables from the source; the API reports those that are still missing. */
export function guessData(source: string): Data {
  const tags = (source.match(/\{\{.*?\}\}|\{%.*?%\}/gs) ?? []).join('\n')
  const own = new Set(Array.from(tags.matchAll(OWN), ([, name = '']) => name))
  const names = Array.from(tags.matchAll(NAMES), ([, shown, used]) => shown ?? used ?? '')
  const needed = new Set(names.filter((name) => !own.has(name) && !WORDS.has(name)))
  return withSamples(
    {},
    [...needed].map((name) => `/data/${name}`),
    tags,
  )
}

/** Adds a sample value at each of these JSON pointers below `/data`. */
export const withSamples = (data: Data, places: readonly string[], source: string): Data =>
  places.reduce<Data>((filled, place) => put(filled, place.split('/').slice(2), [], source), data)

function put(value: unknown, rest: readonly string[], path: readonly string[], source: string): Data {
  const [key = '', ...deeper] = rest
  const known = isObject(value) ? value : {}
  const below = [...path, key]
  const found = known[key]
  const next =
    deeper.length > 0 && isObject(found) ? put(found, deeper, below, source) : sampleOf(below.join('.'), source)
  return { ...known, [key]: next }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A list if the template iterates over it, an object if it reads fields, otherwise a string. */
function sampleOf(path: string, source: string, depth = 0): unknown {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const escaped = path.replaceAll(/\W/g, '\\$&')
  const [, item] = new RegExp(`for\\s+([\\w-]+)\\s+in\\s+${escaped}(?![\\w.-])`).exec(source) ?? []
  if (item !== undefined && depth < DEEPEST) return Array.from({ length: 2 }, () => sampleOf(item, source, depth + 1))
  const fields = [...source.matchAll(new RegExp(`(?<![\\w.-])${escaped}\\.([\\w-]+)`, 'g'))]
    .map(([, field = '']) => field)
    .filter((field) => !OF_LISTS.has(field))
  if (fields.length === 0 || depth >= DEEPEST) return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? name
  return Object.fromEntries(
    [...new Set(fields)].map((field) => [field, sampleOf(`${path}.${field}`, source, depth + 1)]),
  )
}

export type ParsedData = Readonly<{ data?: Data; problem?: string }>

export function parseData(text: string): ParsedData {
  try {
    const data: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return isObject(data) ? { data } : { problem: TEMPLATES_TEXTS.dataObject }
  } catch (error) {
    return { problem: `${TEMPLATES_TEXTS.dataBad} ${error instanceof Error ? error.message : ''}` }
  }
}
