/**
 * The built-in emails of one-time codes. The subject never contains the code: locked screens show subjects, and servers
 * log them.
 */
import { type OtpLocale, type OtpWords, toBuiltInLocale } from './texts.ts'

/** The email of a code, as HTML and text. */
export type OtpMail = Readonly<{ subject: string; html: string; text?: string }>

/** `lead` comes before the code, everything else after it. */
type Wording = Readonly<{ subject: string; lead: string; advice: readonly string[] }>

const WORDINGS: Readonly<Record<OtpLocale, (words: Omit<OtpWords, 'code'>) => Wording>> = {
  en: ({ minutes, appName }) => {
    const whose = appName === undefined ? 'Your code' : `Your ${appName} code`
    return {
      subject: whose,
      lead: `${whose} is:`,
      advice: [
        `It expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. Do not share it with anyone.`,
        'If you did not ask for it, you can ignore this email.',
      ],
    }
  },
  es: ({ minutes, appName }) => {
    const whose = appName === undefined ? 'Tu código' : `Tu código de ${appName}`
    return {
      subject: whose,
      lead: `${whose} es:`,
      advice: [
        `Caduca en ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}. No lo compartas con nadie.`,
        'Si no lo has pedido, puedes ignorar este correo.',
      ],
    }
  },
  pt: ({ minutes, appName }) => {
    const whose = appName === undefined ? 'Seu código' : `Seu código ${appName}`
    return {
      subject: whose,
      lead: `${whose} é:`,
      advice: [
        `Expira em ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}. Não o divulgue a ninguém.`,
        'Se você não o pediu, pode ignorar este e-mail.',
      ],
    }
  },
}

export function toBuiltInMail(words: OtpWords, fallback?: string): Required<OtpMail> {
  const locale = toBuiltInLocale(words, fallback)
  const wording = WORDINGS[locale](words)
  const text = [wording.lead, words.code, ...wording.advice].join('\n\n')
  return { subject: wording.subject, html: toHtml(locale, wording, words.code), text: `${text}\n` }
}

const FONT = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const LARGE = 'font-size:32px;font-weight:bold;letter-spacing:4px'

/**
 * Sets no colours, so that it follows the reader's dark mode, and keeps phones from treating the code as a phone
 * number.
 */
function toHtml(locale: OtpLocale, { subject, lead, advice }: Wording, code: string): string {
  const paragraphs = advice.map((sentence) => `<p>${escaped(sentence)}</p>`)
  return [
    '<!doctype html>',
    `<html lang="${locale}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="format-detection" content="telephone=no">',
    `<title>${escaped(subject)}</title>`,
    '</head>',
    `<body style="margin:0;padding:24px;color-scheme:light dark;${FONT}">`,
    `<p>${escaped(lead)}</p>`,
    `<p style="margin:16px 0;${LARGE}">${escaped(code)}</p>`,
    ...paragraphs,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
