/** Parses a BCP 47 tag into its canonical form (`pt-br` becomes `pt-BR`); undefined when invalid. */
export function parseLocale(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** Room for a language, a script, a region and a variant. */
const LONGEST = 35
