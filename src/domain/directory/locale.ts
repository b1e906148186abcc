/** A BCP 47 tag in the one way to write it, `pt-br` as `pt-BR`; undefined when the text is none. */
export function parseLocale(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** The longest anybody uses has a language, a script, a region and a variant. */
const LONGEST = 35
