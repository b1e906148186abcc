/**
 * Renders templates with LiquidJS, within bounds. Synchronous: a thread does nothing else. Parsed templates are cached by
 * name, so frequent ones cost little.
 */
import { type Context, LiquidError, type Template as Parsed, RenderError } from 'liquidjs'
import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { TemplateData } from '../../domain/directory/template-data.ts'
import { WeighedCache } from '../../lib/weighed-cache.ts'
import type { Checked, Flaw, Rendered, TemplatePart } from '../../ports/renderer.ts'
import { BoundedContext, type Budget, OverBudget, openBudget } from './budget.ts'
import { openLiquid } from './dialect.ts'

/** CPU time for all parts together. */
export const RENDER_MS = 50
/** In characters; list elements count more. An SMS needs little, an email more. */
const SMALL_MEMORY = 100_000
const LARGE_MEMORY = 1_000_000
/** The longest template, and the longest rendered text. */
const LONGEST = 600 * 1024

/** About as many bytes as the cached templates use. */
const CACHE_BYTES = 32 * 1024 * 1024
/** Of the parsed form; texts count besides it. */
const BYTES_PER_TAG = 1_024
const BYTES_PER_CHARACTER = 2

export type RenderOptions = Readonly<{
  /** Identifies a saved version. Drafts have none and are not cached. */
  key?: string | undefined
  /** The CPU time it may take. */
  millis?: number
}>

/** `isTime` is true for what may succeed with more time. */
export type Outcome = Readonly<{ result: Rendered; isTime: boolean }>

export type Rendering = Readonly<{
  check: (texts: TemplateTexts) => Checked
  render: (texts: TemplateTexts, data: TemplateData, options?: RenderOptions) => Outcome
}>

export function openRendering(): Rendering {
  const [plain, escaping] = [openLiquid(false), openLiquid(true)]
  const liquidOf = (part: TemplatePart) => (part === 'html' ? escaping : plain)
  const cache = new WeighedCache<string, Cached>(CACHE_BYTES)

  function read(texts: TemplateTexts, key?: string): Read {
    const known = key === undefined ? undefined : cache.get(key)
    // A deleted template that is saved again starts with version 1.
    if (known !== undefined && isSame(known.texts, texts)) return known.read
    let tags = 0
    const parsed = eachOf(texts, (part, text) => {
      const size = sizeOf(text)
      tags += size.tags
      if (text.length > LONGEST || size.isTangled) throw new OverBudget('template too large')
      return liquidOf(part).parse(text)
    })
    if (key !== undefined && parsed.problems.length === 0) {
      cache.set(key, { texts, read: parsed }, BYTES_PER_CHARACTER * lengthOf(texts) + BYTES_PER_TAG * tags)
    }
    return parsed
  }

  function fill(part: TemplatePart, parsed: readonly Parsed[], data: TemplateData, budget: Budget): string {
    const liquid = liquidOf(part)
    // Tags that count write into the scope, and inherited properties must not be variables.
    const scope = Object.assign(Object.create(null), data) as object
    const context: Context = new BoundedContext(scope, liquid.options, { sync: true }, { ...budget, liquid })
    const filled = String(liquid.renderSync([...parsed], context))
    // Checked before the string is read: until then a text of any length costs nothing.
    if (filled.length > LONGEST) throw new OverBudget('too long')
    return filled
  }

  return {
    check: (texts) => resultOf(read(texts).problems) ?? { kind: 'ok' },

    render(texts, data, { key, millis = RENDER_MS } = {}) {
      const parsed = read(texts, key)
      const budget = openBudget({ millis, memory: texts.html === undefined ? SMALL_MEMORY : LARGE_MEMORY })
      const filled = eachOf(parsed.results, (part, one) => fill(part, one, data, budget))
      const problems = [...parsed.problems, ...filled.problems]
      return { result: toRendered(problems, filled.results), isTime: problems.some(isOutOfTime) }
    },
  }
}

type Read = ReturnType<typeof eachOf<string, readonly Parsed[]>>
type Cached = Readonly<{ texts: TemplateTexts; read: Read }>

const isSame = (one: TemplateTexts, other: TemplateTexts): boolean =>
  one.text === other.text && one.subject === other.subject && one.html === other.html

const lengthOf = ({ text, subject = '', html = '' }: TemplateTexts): number =>
  text.length + subject.length + html.length

/** More than any message has; parsing this much takes milliseconds. */
const MOST_TAGS = 5_000
const LONGEST_TAGS = 64 * 1024
const DEEPEST = 100
const TAG = /\{[{%]-?\s*(end)?(if|unless|case|for|tablerow|capture)?[^}]*/g

function sizeOf(text: string): Readonly<{ tags: number; isTangled: boolean }> {
  let [tags, length, depth] = [0, 0, 0]
  for (const [tag, end, block] of text.matchAll(TAG)) {
    tags += 1
    length += tag.length
    if (block !== undefined) depth += end === undefined ? 1 : -1
    if (tags > MOST_TAGS || length > LONGEST_TAGS || depth > DEEPEST) return { tags, isTangled: true }
  }
  return { tags, isTangled: false }
}

type Problem =
  | Readonly<{ kind: 'missing'; name: string }>
  | Readonly<{ kind: 'flaw'; flaw: Flaw }>
  | Readonly<{ kind: 'too-much'; part: TemplatePart; isTime: boolean }>

const PARTS: readonly TemplatePart[] = ['text', 'subject', 'html']
type Parts<Value> = Readonly<Partial<Record<TemplatePart, Value>>>

/** Handles all parts, so that all their errors are reported together. */
function eachOf<Given, Result>(all: Parts<Given>, act: (part: TemplatePart, given: Given) => Result) {
  const results: Partial<Record<TemplatePart, Result>> = {}
  const problems: Problem[] = []
  for (const part of PARTS) {
    const given = all[part]
    try {
      if (given !== undefined) results[part] = act(part, given)
    } catch (error) {
      problems.push(...toProblems(part, error))
    }
  }
  return { results, problems }
}

function toRendered(problems: readonly Problem[], texts: Parts<string>): Rendered {
  const verdict = resultOf(problems)
  if (verdict !== undefined) return verdict
  const names = new Set(problems.flatMap((trouble) => (trouble.kind === 'missing' ? [trouble.name] : [])))
  return names.size > 0 ? { kind: 'missing', names: [...names] } : { kind: 'ok', texts: texts as TemplateTexts }
}

const isOutOfTime = (problem: Problem): boolean => problem.kind === 'too-much' && problem.isTime

function resultOf(problems: readonly Problem[]): Exclude<Checked, { kind: 'ok' }> | undefined {
  const tooMuch = problems.find((trouble) => trouble.kind === 'too-much')
  if (tooMuch !== undefined) return { kind: 'too-much', part: tooMuch.part }
  const flaws = problems.flatMap((trouble) => (trouble.kind === 'flaw' ? [trouble.flaw] : []))
  return flaws.length > 0 ? { kind: 'faulty', flaws } : undefined
}

function toProblems(part: TemplatePart, error: unknown): readonly Problem[] {
  // Nested as deep as its tags.
  if (error instanceof Error && 'errors' in error && Array.isArray(error.errors)) {
    return error.errors.flatMap((inner) => toProblems(part, inner))
  }
  const cause = LiquidError.is(error) ? (error.originalError ?? error) : error
  // A RangeError is a string or a stack that JavaScript refuses to extend.
  if (cause instanceof OverBudget) return [{ kind: 'too-much', part, isTime: cause.isTime }]
  if (cause instanceof RangeError) return [{ kind: 'too-much', part, isTime: false }]
  if (cause instanceof Error && 'variableName' in cause) return [{ kind: 'missing', name: String(cause.variableName) }]
  if (!LiquidError.is(error)) throw error
  return [{ kind: 'flaw', flaw: toFlaw(part, error) }]
}

const LONGEST_MESSAGE = 200

/** An error during rendering may reveal the data, so only its position is reported. */
function toFlaw(part: TemplatePart, error: LiquidError): Flaw {
  const [line, column] = error.token.getPosition() as [number, number]
  const said = error.originalError?.message ?? error.message.replace(/, line:\d+, col:\d+$/, '')
  const message = RenderError.is(error) ? 'cannot be filled in' : said.slice(0, LONGEST_MESSAGE)
  return { part, line, column, message }
}
