/** The timeline of a message as text: one line per step, with the time between steps. */
import { type Json, listIn, numberIn, textIn, toJson } from './json.ts'
import { paint, paintStatus, toClockTime, toDayTime, toPlain, toWait } from './render.ts'
import type { Output } from './world.ts'

export type Step = Readonly<{ type: string; at: string; notes: string }>

export const toSteps = (message: Json): readonly Step[] =>
  listIn(message, 'events').map((event) => ({
    type: toPlain(textIn(event, 'event_type') ?? 'unknown'),
    at: textIn(event, 'at') ?? '',
    notes: toNotes(toJson(event['payload'])),
  }))

/** Fields of interest only to machines, or shown elsewhere. */
const HIDDEN = new Set(['status', 'cycle', 'attempt_id', 'trace_id', 'report_id'])

/** The fields of a step: `attempt 2 · provider simulator`. Empty and false fields are left out. */
const toNotes = (payload: Json): string =>
  Object.entries(payload)
    .filter(([key, value]) => !HIDDEN.has(key) && Boolean(value) && (typeof value !== 'object' || isWords(value)))
    .map(([key, value]) => toPlain(`${key.replaceAll('_', ' ')}${toNote(value)}`))
    .join(' · ')

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')

/** A field that is true is shown by its name alone. */
function toNote(value: unknown): string {
  if (value === true) return ''
  return ` ${isWords(value) ? value.join(', ') : value}`
}

/** One step, with the time since the previous one. */
export function drawStep(out: Output, step: Step, before: Step | undefined): string {
  const wait = before === undefined ? '' : `+${toWait(before.at, step.at)}`
  return `${toClockTime(step.at)}  ${wait.padStart(12)}  ${paintType(out, step.type)}${notes(out, step)}\n`
}

export function drawMessage(out: Output, message: Json): string {
  const steps = toSteps(message)
  const lines = steps.flatMap((step, nth) => {
    const before = steps[nth - 1]
    const gap = before === undefined ? [] : [`${' '.repeat(GUTTER)}│ ${paint(out, 'gray', toWait(before.at, step.at))}`]
    return [...gap, `${toClockTime(step.at).padEnd(GUTTER)}● ${paintType(out, step.type)}${notes(out, step)}`]
  })
  return `${drawHead(out, message)}\n${lines.join('\n')}\n`
}

const GUTTER = 15

function drawHead(out: Output, message: Json): string {
  const text = (key: string): string | undefined => {
    const value = textIn(message, key)
    return value === undefined ? undefined : toPlain(value)
  }
  const count = (key: string, one: string): string | undefined => {
    const value = numberIn(message, key)
    return value === undefined ? undefined : `${value} ${one}${value === 1 ? '' : 's'}`
  }
  const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' · ')
  // An email always has one part.
  const isEmail = text('channel') === 'email'
  const created = text('created_at')
  const [subject, error] = [text('subject'), text('error_code')]
  const head = [
    `${paint(out, 'bold', text('id') ?? '')}  ${paintStatus(out, text('status') ?? 'unknown')}`,
    joined(`to ${text('to') ?? '(erased)'}`, created === undefined ? undefined : toDayTime(created)),
    subject === undefined ? '' : `subject ${subject}`,
    joined(
      text('provider'),
      isEmail ? 'email' : count('segments', 'part'),
      count('attempts', 'attempt'),
      count('cycle', 'cycle'),
    ),
    error === undefined ? '' : paint(out, 'red', `${error}: ${text('error_detail') ?? ''}`),
    ...explanationOf(message),
  ]
  return `${head.filter((line) => line !== '').join('\n')}\n`
}

/** What the error means and what to do; gateways of earlier versions do not say. */
function explanationOf(message: Json): readonly string[] {
  const error = toJson(message['error'])
  return ['meaning', 'advice'].map((key) => toPlain(textIn(error, key) ?? ''))
}

const BAD = /Failed|DeadLettered|Bounced|Dropped|Complaint|Expired/
const UNCERTAIN = /Unknown|Retry|TimedOut/

function paintType(out: Output, type: string): string {
  if (BAD.test(type)) return paint(out, 'red', type)
  if (UNCERTAIN.test(type)) return paint(out, 'yellow', type)
  return type === 'ProviderDelivered' ? paint(out, 'green', type) : type
}

const notes = (out: Output, step: Step): string => (step.notes === '' ? '' : `  ${paint(out, 'gray', step.notes)}`)
