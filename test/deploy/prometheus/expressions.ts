/** Reads PromQL as far as a test needs it: which series an expression selects, and by which labels. */

export type Selector = Readonly<{
  name: string
  /** The labels that it names, with the values if they are given in full. */
  labels: ReadonlyMap<string, readonly string[]>
}>

const SELECTOR = /\b((?:pombo|pipeline|nodejs|process)[_:][\w:]*)\s*(?:\{([^}]*)\})?/g
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g

export const selectorsIn = (expression: string): readonly Selector[] =>
  [...expression.matchAll(SELECTOR)].map(([, name = '', matchers = '']) => ({
    name,
    labels: new Map([...matchers.matchAll(MATCHER)].map(([, label = '', , value = '']) => [label, toValues(value)])),
  }))

/** The labels that an expression groups or joins by. */
export const groupedBy = (expression: string): readonly string[] =>
  [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.match(/\w+/g) ?? [])

/** A variable of the dashboard or a pattern names no value. */
const toValues = (text: string): readonly string[] =>
  text.split('|').filter((value) => /^[\w/]+$/.test(value) && value !== '')
