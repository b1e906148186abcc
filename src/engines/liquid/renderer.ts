/** Renders templates with LiquidJS, within bounds. Parsed templates are cached, so frequent ones cost little. */
import { type Context, LiquidError, type Template as Parsed, RenderError } from 'liquidjs'
import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { TemplateData } from '../../domain/directory/template-data.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { Checked, Flaw, Renderer, TemplatePart } from '../../ports/renderer.ts'
import { BoundedContext, type Bounds, type Budget, OverBudget, openBudget } from './budget.ts'
import { openLiquid } from './dialect.ts'

/** `memory` counts characters, and list elements more. An SMS needs little, an email more. */
const SMALL: Bounds = { millis: 50, memory: 100_000 }
const LARGE: Bounds = { millis: 50, memory: 1_000_000 }
/** The longest template, and the longest rendered text. */
const LONGEST = 600 * 1024

const CACHED_TEMPLATES = 256
const LONGEST_CACHED = 64 * 1024

export function openRenderer(): Renderer {
  const plain = openReader(false)
  const readers = { text: plain, subject: plain, html: openReader(true) }

  return {
    async check(texts) {
      return resultOf(eachOf(texts, (part, text) => readers[part].read(text)).problems) ?? { kind: 'ok' }
    },

    async render(texts, data) {
      const read = eachOf(texts, (part, text) => readers[part].read(text))
      const budget = openBudget(texts.html === undefined ? SMALL : LARGE)
      const filled = eachOf(read.results, (part, parsed) => readers[part].fill(parsed, data, budget))
      const verdict = resultOf([...read.problems, ...filled.problems])
      if (verdict !== undefined) return verdict
      const names = new Set(filled.problems.flatMap((trouble) => (trouble.kind === 'missing' ? [trouble.name] : [])))
      if (names.size > 0) return { kind: 'missing', names: [...names] }
      return { kind: 'ok', texts: filled.results as TemplateTexts }
    },
  }
}

function openReader(escapes: boolean) {
  const liquid = openLiquid(escapes)
  const cache = new LruCache<string, readonly Parsed[]>(CACHED_TEMPLATES)

  function read(text: string): readonly Parsed[] {
    const known = cache.get(text)
    if (known !== undefined) return known
    if (text.length > LONGEST || isTangled(text)) throw new OverBudget('template too large')
    const parsed = liquid.parse(text)
    if (text.length <= LONGEST_CACHED) cache.set(text, parsed)
    return parsed
  }

  function fill(parsed: readonly Parsed[], data: TemplateData, budget: Budget): string {
    // Tags that count write into the scope, and inherited properties must not be variables.
    const scope = Object.assign(Object.create(null), data) as object
    const context: Context = new BoundedContext(scope, liquid.options, { sync: true }, { ...budget, liquid })
    const filled = String(liquid.renderSync([...parsed], context))
    // Checked before the string is read: until then a text of any length costs nothing.
    if (filled.length > LONGEST) throw new OverBudget('too long')
    return filled
  }

  return { read, fill }
}

/** More than any message has; parsing this much takes milliseconds. */
const MOST_TAGS = 5_000
const LONGEST_TAGS = 64 * 1024
const DEEPEST = 100
const TAG = /\{[{%]-?\s*(end)?(if|unless|case|for|tablerow|capture)?[^}]*/g

function isTangled(text: string): boolean {
  let [tags, length, depth] = [0, 0, 0]
  for (const [tag, end, block] of text.matchAll(TAG)) {
    tags += 1
    length += tag.length
    if (block !== undefined) depth += end === undefined ? 1 : -1
    if (tags > MOST_TAGS || length > LONGEST_TAGS || depth > DEEPEST) return true
  }
  return false
}

type Problem =
  | Readonly<{ kind: 'missing'; name: string }>
  | Readonly<{ kind: 'flaw'; flaw: Flaw }>
  | Readonly<{ kind: 'too-much'; part: TemplatePart }>

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

function resultOf(problems: readonly Problem[]): Exclude<Checked, { kind: 'ok' }> | undefined {
  const tooMuch = problems.find((trouble) => trouble.kind === 'too-much')
  if (tooMuch !== undefined) return tooMuch
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
  if (cause instanceof OverBudget || cause instanceof RangeError) return [{ kind: 'too-much', part }]
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
