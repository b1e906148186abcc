/**
 * The texts of one-time codes, where the tenant has none of its own. Each is short enough to go as one
 * SMS with the name of most apps in it, also where its letters need UCS-2.
 */
import { toLocales } from './template.ts'

/** What a text is made of. `minutes` is how long the code is good for. */
export type OtpWords = Readonly<{ code: string; minutes: number; appName?: string; locale?: string }>

const FALLBACK = 'en'

const TEXTS: Readonly<Record<string, (words: OtpWords) => string>> = {
  en: ({ code, minutes, appName }) =>
    `${code} is your ${spaced(appName)}code. Do not share it. It expires in ${minutes} min.`,
  es: ({ code, minutes, appName }) =>
    `${code} es tu código${appName === undefined ? '' : ` de ${appName}`}. No lo compartas. Caduca en ${minutes} min.`,
  pt: ({ code, minutes, appName }) =>
    `${code} é o seu código${appName === undefined ? '' : ` ${appName}`}. Não o divulgue. Expira em ${minutes} min.`,
}

const spaced = (text: string | undefined): string => (text === undefined ? '' : `${text} `)

/** The text in the first of its locales that there is one for: `pt-BR` is told in `pt`, what is not known in `fallback`. */
export function toBuiltInText(words: OtpWords, fallback = FALLBACK): string {
  const locales = [...toLocales(words.locale, fallback), FALLBACK].map((locale) => locale.toLowerCase())
  const known = locales.find((locale) => Object.hasOwn(TEXTS, locale)) ?? FALLBACK
  return TEXTS[known]?.(words) ?? words.code
}

/** The last line by which browsers and handsets know which site a code is for, and fill it in. */
export const bindToDomain = (text: string, code: string, domain: string): string => `${text}\n\n@${domain} #${code}`
