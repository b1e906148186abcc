/** The fields of a template: one for each variable, with the sample value that its name suggests. */
import { SEND_TEXTS } from '../../texts/send.ts'
import { guessData } from '../templates/sample-data.ts'

export type Values = Readonly<Record<string, string>>

/** `isJson`: the template reads fields of it, or repeats a part for each of its items. */
export type TemplateField = Readonly<{ name: string; isJson: boolean; sample: string }>

export const fieldsOf = (source: string): readonly TemplateField[] =>
  Object.entries(guessData(source)).map(([name, sample]) =>
    typeof sample === 'string'
      ? { name, isJson: false, sample }
      : { name, isJson: true, sample: JSON.stringify(sample, null, 2) },
  )

export const samplesOf = (source: string): Values =>
  Object.fromEntries(fieldsOf(source).map(({ name, sample }) => [name, sample]))

type ReadData = Readonly<{
  data: Readonly<Record<string, unknown>>
  flaws: readonly Readonly<{ path: string; message: string }>[]
}>

/** The data of the template. Empty fields are left out, so that the API says which are missing. */
export function toData(source: string, values: Values): ReadData {
  const data: Record<string, unknown> = {}
  const flaws = []
  for (const { name, isJson } of fieldsOf(source)) {
    const value = values[name] ?? ''
    if (value.trim() === '') continue
    const parsed = isJson ? parseJson(value) : { json: value }
    if (parsed === undefined) flaws.push({ path: `/template/data/${name}`, message: SEND_TEXTS.jsonBad })
    else data[name] = parsed.json
  }
  return { data, flaws }
}

function parseJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}
