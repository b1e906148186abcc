/**
 * The texts of one-time codes, where the tenant has none of its own. Each is short enough to go as one
 * SMS with the name of most apps in it, also where its letters need UCS-2.
 */
import { toLocales } from '../directory/template.ts'

/** What a text is made of. `minutes` is how long the code is good for. */
export type OtpWords = Readonly<{ code: string; minutes: number; appName?: string; locale?: string }>

export const OTP_LOCALES = ['en', 'es', 'pt'] as const
export type OtpLocale = (typeof OTP_LOCALES)[number]
const FALLBACK: OtpLocale = 'en'

const TEXTS: Readonly<Record<OtpLocale, (words: OtpWords) => string>> = {
  en: ({ code, minutes, appName }) =>
    `${code} is your ${spaced(appName)}code. Do not share it. It expires in ${minutes} min.`,
  es: ({ code, minutes, appName }) =>
    `${code} es tu código${appName === undefined ? '' : ` de ${appName}`}. No lo compartas. Caduca en ${minutes} min.`,
  pt: ({ code, minutes, appName }) =>
    `${code} é o seu código${appName === undefined ? '' : ` ${appName}`}. Não o divulgue. Expira em ${minutes} min.`,
}

const spaced = (text: string | undefined): string => (text === undefined ? '' : `${text} `)

export const toBuiltInText = (words: OtpWords, fallback?: string): string =>
  TEXTS[toBuiltInLocale(words, fallback)](words)

/** The first of its locales that there are texts in: `pt-BR` is told in `pt`, what is not known in `fallback`. */
export function toBuiltInLocale({ locale: wanted }: Pick<OtpWords, 'locale'>, fallback: string = FALLBACK): OtpLocale {
  const locales = toLocales(wanted, fallback).map((locale) => locale.toLowerCase())
  return locales.flatMap((locale) => OTP_LOCALES.filter((known) => known === locale))[0] ?? FALLBACK
}

/** The last line by which browsers and handsets know which site a code is for, and fill it in. */
export const bindToDomain = (text: string, code: string, domain: string): string => `${text}\n\n@${domain} #${code}`
