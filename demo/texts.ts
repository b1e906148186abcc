/** The texts of the demo messages. */

import type { Dice } from '../src/ports/world.ts'
import type { Person } from './people.ts'
import { pick, randomBelow } from './random.ts'

export const TEMPLATES = [
  { name: 'order-shipped', channel: 'sms', locale: 'en', text: 'Hi {{ name }}, your order {{ order }} is on its way.' },
  {
    name: 'order-shipped',
    channel: 'sms',
    locale: 'pt-BR',
    text: 'Olá {{ name }}, seu pedido {{ order }} está a caminho.',
  },
  {
    name: 'order-shipped',
    channel: 'sms',
    locale: 'de',
    text: 'Hallo {{ name }}, Ihre Bestellung {{ order }} ist unterwegs.',
  },
  {
    name: 'receipt',
    channel: 'email',
    locale: 'en',
    subject: 'Receipt for order {{ order }}',
    text: 'Thank you, {{ name }}. Order {{ order }}: {{ total }}.',
    html: '<h1 style="color:#0b6b63">Thank you, {{ name }}</h1><p>Order <b>{{ order }}</b></p><table><tr><td>Birdseed, 2 kg</td><td>{{ total }}</td></tr></table><p>See you soon.</p>',
  },
] as const

export const order = (dice?: Dice): string => String(10_000 + randomBelow(90_000, dice))
const total = (dice?: Dice): string =>
  `${5 + randomBelow(95, dice)}.${String(randomBelow(100, dice)).padStart(2, '0')} EUR`

export const toData = ({ name }: Person): Readonly<Record<string, string>> => ({
  name: name.split(' ')[0] ?? name,
  order: order(),
  total: total(),
})

const TEXTS: readonly ((dice?: Dice) => string)[] = [
  (dice) => `Your parcel ${order(dice)} is on its way. It arrives today before six.`,
  (dice) => `Your table for ${2 + randomBelow(6, dice)} is ready. See you at seven!`,
  (dice) => `Reminder: your appointment is tomorrow at ${8 + randomBelow(10, dice)}:30. Reply to change it.`,
  (dice) => `Payment of ${total(dice)} received. Thank you.`,
  (dice) => `Olá! Seu pedido ${order(dice)} saiu para entrega. Obrigado pela preferência.`,
  (dice) =>
    `Tram line ${1 + randomBelow(20, dice)} is delayed by ${5 + randomBelow(20, dice)} minutes. We are sorry. Other lines run as usual; your ticket is good for all of them, and for the ferry too, until the end of the day.`,
  (dice) => `Storm warning 🌬️ for the coast from ${12 + randomBelow(8, dice)}:00. Please bring in your pigeons.`,
]

export const anyText = (dice?: Dice): string => pick(TEXTS, dice)(dice)

export const EMAILS = [
  ['Your weekly summary', '<h2>This week</h2><p>Three parcels, two letters, no complaints.</p>'],
  [
    'Welcome to the loft',
    '<h2>Welcome!</h2><p>Your account is ready. <a href="https://acme.example/start">Begin here</a>.</p>',
  ],
  ['Your invoice', '<p>Please find your invoice attached. It is due in 14 days.</p>'],
  ['Changes to our terms', '<p>We changed a few words of our terms. Nothing gets worse.</p>'],
] as const

export function anyEmail(): Readonly<Record<string, unknown>> {
  const [subject, html] = pick(EMAILS)
  const content = Buffer.from(`Invoice ${order()}\nBirdseed, 2 kg: ${total()}\n`).toString('base64')
  const attachments = [{ filename: 'invoice.txt', content_type: 'text/plain', content }]
  return { subject, html, from: 'Acme <hello@acme.example>', ...(subject === 'Your invoice' ? { attachments } : {}) }
}
