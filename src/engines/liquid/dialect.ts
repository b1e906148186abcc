/**
 * The Liquid dialect of templates: the standard filters and tags, without those that read files or amplify small
 * inputs. Every filter charges the budget for its input.
 */
import {
  CaptureTag,
  type Context,
  defaultOperators,
  type FilterImplOptions,
  Liquid,
  filters as standardFilters,
} from 'liquidjs'

const FILTERS = [
  ...['abs', 'at_least', 'at_most', 'ceil', 'divided_by', 'floor', 'minus', 'modulo', 'plus', 'round', 'times'],
  ...['append', 'capitalize', 'downcase', 'lstrip', 'prepend', 'rstrip', 'strip', 'strip_newlines', 'upcase'],
  ...['remove', 'remove_first', 'remove_last', 'replace', 'replace_first', 'replace_last', 'split'],
  ...['slice', 'truncate', 'truncatewords', 'escape', 'escape_once', 'newline_to_br', 'strip_html', 'raw'],
  ...['url_decode', 'url_encode', 'date', 'default'],
  ...['compact', 'first', 'join', 'last', 'map', 'reverse', 'size', 'sort', 'sort_natural', 'sum', 'uniq', 'where'],
]

/** Templates are self-contained: the first four would read our files. The last one hides its nesting depth. */
const NO_TAGS = ['include', 'render', 'layout', 'block', 'liquid']

/** These search the whole text for their first argument, and hostile input makes every position expensive. */
const SEEKERS = new Set(['remove', 'remove_first', 'remove_last', 'replace', 'replace_first', 'replace_last', 'split'])

/** An element costs far more than a character, and characters are compared many at a time. */
const PER_ELEMENT = 32
const COMPARED_AT_ONCE = 32

export function openLiquid(escapes: boolean): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    strictVariables: true,
    // A variable used in `if` or with a default may be missing.
    lenientIf: true,
    ownPropertyOnly: true,
    catchAllErrors: true,
    relativeReference: false,
    templates: {},
    operators: { ...defaultOperators, contains },
    locale: 'en-US',
    timezoneOffset: 0,
    ...(escapes ? { outputEscape: 'escape' as const } : {}),
  })
  for (const name of Object.keys(liquid.filters)) liquid.unregisterFilter(name)
  for (const name of FILTERS) liquid.registerFilter(name, payingFilter(name, standardFilters[name]))
  for (const name of NO_TAGS) delete liquid.tags[name]
  liquid.registerTag('capture', PayingCapture)
  return liquid
}

function payingFilter(name: string, standard: FilterImplOptions | undefined): FilterImplOptions {
  if (standard === undefined) throw new Error(`unknown filter ${name}`)
  const { handler, raw } = typeof standard === 'function' ? { handler: standard, raw: false } : standard
  return {
    raw,
    handler(value, ...args) {
      this.context.renderLimit.check(performance.now())
      pay(this.context, value)
      if (SEEKERS.has(name)) payForSeeking(this.context, value, args[0])
      return handler.call(this, value, ...args)
    },
  }
}

function pay({ memoryLimit }: Context, value: unknown): void {
  if (typeof value === 'string') memoryLimit.use(value.length)
  else memoryLimit.use(Array.isArray(value) ? value.length * PER_ELEMENT : 1)
}

function payForSeeking({ memoryLimit }: Context, text: unknown, sought: unknown): void {
  memoryLimit.use((String(text).length * String(sought).length) / COMPARED_AT_ONCE)
}

function contains(whole: unknown, part: unknown, context: Context): boolean {
  pay(context, whole)
  if (Array.isArray(whole)) return whole.includes(part)
  if (typeof whole !== 'string' || (typeof part !== 'string' && typeof part !== 'number')) return false
  payForSeeking(context, whole, part)
  return whole.includes(String(part))
}

/** A capture stays in memory, and a template could double it repeatedly. */
class PayingCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context)
    pay(context, context.bottom()[this.variable])
  }
}
