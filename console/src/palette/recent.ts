/** The latest searches of this tab. Texts that look like a phone number or an address are never stored. */
const KEY = 'pombo.searches'
const KEPT = 5
/** Shorter ones are extensions, years and amounts. */
const LONGEST_NUMBER = 5

/** Digits are counted across what people put between those of a phone number. */
export function isPersonal(text: string): boolean {
  const numbers = text.replaceAll(/(?<=\d)[\s().\-/]+(?=\d)/g, '').match(/\d+/g) ?? []
  return text.includes('@') || numbers.some(({ length }) => length > LONGEST_NUMBER)
}

export function withSearch(searches: readonly string[], text: string): readonly string[] {
  const typed = text.trim()
  if (typed === '' || isPersonal(typed)) return searches
  return [typed, ...searches.filter((one) => one !== typed)].slice(0, KEPT)
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>

/** Those of another tenant are not shown. */
export function readSearches(storage: Storage, tenant: string): readonly string[] {
  try {
    const stored = JSON.parse(storage.getItem(KEY) ?? '{}') as Partial<Record<'tenant' | 'texts', unknown>> | null
    if (stored?.tenant !== tenant || !Array.isArray(stored.texts)) return []
    return stored.texts.filter((text) => typeof text === 'string')
  } catch {
    return []
  }
}

export const addSearch = (storage: Storage, tenant: string, text: string): void =>
  storage.setItem(KEY, JSON.stringify({ tenant, texts: withSearch(readSearches(storage, tenant), text) }))
