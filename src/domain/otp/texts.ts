/** The built-in texts of one-time codes. Each fits into one SMS with most app names, even in UCS-2. */
import { toLocales } from '../directory/template.ts'

/** The variables of a text. `minutes` is how long the code is valid. */
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

/** The text in the first locale that we have: `pt-BR` falls back to `pt`, an unknown locale to `fallback`. */
export function toBuiltInLocale({ locale: wanted }: Pick<OtpWords, 'locale'>, fallback: string = FALLBACK): OtpLocale {
  const locales = toLocales(wanted, fallback).map((locale) => locale.toLowerCase())
  return locales.flatMap((locale) => OTP_LOCALES.filter((one) => one === locale))[0] ?? FALLBACK
}

/** Appends the line by which browsers and handsets bind a code to a site and autofill it. */
export const bindToDomain = (text: string, code: string, domain: string): string => `${text}\n\n@${domain} #${code}`
